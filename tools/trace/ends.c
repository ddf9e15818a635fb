/* SPDX-License-Identifier: BSD-3-Clause */
/* See ends.h. */
#include "ends.h"

#include <stdlib.h>
#include <string.h>

enum { PENDING_MOST = 1 << 16 }; /* items of a queue */

struct proa_key proa_key(int window, int a, int b, uint64_t number)
{
    struct proa_key key;

    memset(&key, 0, sizeof key);
    key.window = window;
    key.a = a;
    key.b = b;
    key.number = number;
    return key;
}

void *proa_zeroed(size_t bytes)
{
    return memset(proa_need(NULL, bytes), 0, bytes);
}

void proa_queue_put(struct proa_run *run, struct proa_queue *queue, struct proa_item item)
{
    if (queue->count == PENDING_MOST) {
        run->model->abandoned++;
        proa_queue_take(queue);
    }
    if (queue->first > 0 && queue->first + queue->count == queue->room) {
        memmove(queue->items, queue->items + queue->first, queue->count * sizeof *queue->items);
        queue->first = 0;
    }
    if (queue->count == queue->room) {
        queue->room = queue->room ? 2 * queue->room : 4;
        queue->items = proa_need(queue->items, queue->room * sizeof *queue->items);
    }
    queue->items[queue->first + queue->count++] = item;
}

struct proa_item proa_queue_take(struct proa_queue *queue)
{
    queue->count--;
    return queue->items[queue->first++];
}

struct proa_model_end proa_end_at(const struct proa_model_event *event, int64_t ns)
{
    return (struct proa_model_end){event->process, event->thread, ns,
                                   event->id,      event->place,  event->call};
}

int proa_rank_in(const struct proa_model_window *window, int process)
{
    for (int rank = 0; rank < window->size; rank++)
        if (window->processes[rank] == process)
            return rank;
    return -1;
}

void proa_arrow_give(struct proa_run *run, const struct proa_model_arrow *arrow)
{
    struct proa_model *model = run->model;
    int64_t back = arrow->from.ns - arrow->to.ns - proa_model_error(model, arrow->from.process) -
                   proa_model_error(model, arrow->to.process);

    if (back > 0) {
        model->backward++;
        model->backward_most_ns = back > model->backward_most_ns ? back : model->backward_most_ns;
    }
    if (run->sink->arrow)
        run->sink->arrow(run->sink->user, arrow);
}
