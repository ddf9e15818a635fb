/* SPDX-License-Identifier: BSD-3-Clause */
/* See span.h. */
#include "window/span.h"
#include "base/fail.h"
#include "window/win.h"

#include <stdlib.h>
#include <string.h>

/* The largest span that is mapped here, for plain load and store. */
static const struct proa_span *largest_here(const struct proa_span *spans, uint32_t count)
{
    const struct proa_span *largest = NULL;

    for (uint32_t i = 0; i < count; i++)
        if (spans[i].here &&
            (!largest || spans[i].end - spans[i].first > largest->end - largest->first))
            largest = &spans[i];
    return largest;
}

int proa_spans_set(struct proa_target *target, const struct proa_span *spans, uint32_t count)
{
    struct proa_span *room = count == 1 ? &target->only : malloc(count * sizeof *room);
    const struct proa_span *span;

    if (!room)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the window's address table");
    target->only = (struct proa_span){0};
    memcpy(room, spans, count * sizeof *room);
    target->spans = room;
    target->span_count = count;
    span = largest_here(room, count);
    target->fast = span ? span->here : NULL;
    /* 0: the second check of rma/op.h finds displacements from its start */
    target->fast_bytes = span && span->first == 0 ? span->end : 0;
    if (span)
        target->only = *span;
    return PROA_OK;
}

void proa_spans_free(struct proa_target *target)
{
    if (target->spans != &target->only)
        free(target->spans);
    target->spans = NULL;
    target->span_count = 0;
}
