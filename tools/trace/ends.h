/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends of arrows without their other ends yet: shared by the files that find arrows (run.h). */
#ifndef PROA_TRACE_ENDS_H
#define PROA_TRACE_ENDS_H

#include "run.h"

/* An end of an arrow. number: of its part (trace/format.h), of the wait's last notification, or of
 * the times that the operation's origin set the number of its counters; or 0. */
struct proa_item {
    struct proa_model_end end;
    int64_t waited_ns;
    uint64_t number;
};

/* A queue, first in, first out. */
struct proa_queue {
    size_t first, count, room;
    struct proa_item *items;
};

/* The key of a table: ranks or a window's index. Created by proa_key, so that its padding is 0. */
struct proa_key {
    int window, a, b;
    int unused;
    uint64_t number;
};

struct proa_key proa_key(int window, int a, int b, uint64_t number);

/* Returns zeroed memory. Exits if there is none. */
void *proa_zeroed(size_t bytes);

/* Adds an item. A full queue drops its oldest item, which counts as abandoned. */
void proa_queue_put(struct proa_run *run, struct proa_queue *queue, struct proa_item item);
struct proa_item proa_queue_take(struct proa_queue *queue);

/* Returns the oldest item of a queue that is not empty. */
static inline struct proa_item *proa_queue_first(const struct proa_queue *queue)
{
    return &queue->items[queue->first];
}

struct proa_model_end proa_end_at(const struct proa_model_event *event, int64_t ns);

/* Returns the process's rank in the window; -1 for none. */
int proa_rank_in(const struct proa_model_window *window, int process);

/* Passes the arrow to the sink, and counts it if it leads back in time. */
void proa_arrow_give(struct proa_run *run, const struct proa_model_arrow *arrow);

#endif
