/* SPDX-License-Identifier: BSD-3-Clause */
/* See events.h: a heap. */
#include "events.h"

#include <stdlib.h>

static struct {
    struct event *events;
    size_t count, room;
    uint64_t number;
} heap;

static int is_before(const struct event *a, const struct event *b)
{
    return a->at < b->at || (a->at == b->at && a->number < b->number);
}

void simulate_push(struct event event)
{
    size_t at = heap.count;

    if (heap.count == heap.room) {
        heap.room = heap.room ? 2 * heap.room : 1024;
        heap.events = realloc(heap.events, heap.room * sizeof event);
        if (!heap.events)
            simulate_failed("out of memory for events");
    }
    event.number = heap.number++;
    for (heap.count++; at && is_before(&event, &heap.events[(at - 1) / 2]); at = (at - 1) / 2)
        heap.events[at] = heap.events[(at - 1) / 2];
    heap.events[at] = event;
}

int simulate_pop(struct event *event)
{
    struct event last;
    size_t at = 0, next;

    if (!heap.count)
        return 0;
    *event = heap.events[0];
    last = heap.events[--heap.count];
    while ((next = 2 * at + 1) < heap.count) {
        if (next + 1 < heap.count && is_before(&heap.events[next + 1], &heap.events[next]))
            next++;
        if (!is_before(&heap.events[next], &last))
            break;
        heap.events[at] = heap.events[next];
        at = next;
    }
    heap.events[at] = last;
    return 1;
}
