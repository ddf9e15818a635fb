/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends of arrows that wait for their other ends: what the files that find arrows share (run.h). */
#ifndef PROA_TRACE_ENDS_H
#define PROA_TRACE_ENDS_H

#include "run.h"

/* An end; number: of the part that it is about (trace/format.h), of the wait's last notification,
 * or how often the operation's origin has set the number of its counters; or 0. */
struct proa_item {
    struct proa_model_end end;
    int64_t waited_ns;
    uint64_t number;
};

/* First in, first out. */
struct proa_queue {
    size_t first, count, room;
    struct proa_item *items;
};

/* The key of a table: ranks or an index of a window. Made by proa_key, so that its padding is 0. */
struct proa_key {
    int window, a, b;
    int unused;
    uint64_t number;
};

struct proa_key proa_key(int window, int a, int b, uint64_t number);

/* Memory of zeros, or the end of the command. */
void *proa_zeroed(size_t bytes);

/* A queue has an end: then its oldest item goes, and counts as abandoned. */
void proa_queue_put(struct proa_run *run, struct proa_queue *queue, struct proa_item item);
struct proa_item proa_queue_take(struct proa_queue *queue);

/* The oldest, of a queue that is not empty. */
static inline struct proa_item *proa_queue_first(const struct proa_queue *queue)
{
    return &queue->items[queue->first];
}

struct proa_model_end proa_end_at(const struct proa_model_event *event, int64_t ns);

/* The process's rank in the window; -1: none. */
int proa_rank_in(const struct proa_model_window *window, int process);

/* Gives the arrow to the sink, and counts it if it goes back in time. */
void proa_arrow_give(struct proa_run *run, const struct proa_model_arrow *arrow);

#endif
