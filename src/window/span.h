/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spans: the pieces of memory that a target's window consists of. Each lies in the memory of one
 * process, and has the road by which this process gets there.
 *
 * Most targets have one. The spans of a window lie side by side and hold all of its bytes; in a
 * dynamic window they are the attached regions, read from the target's table as they are needed
 * (rma/regions.h), with gaps between. All processes see the same borders, owners and keys, by any
 * road; an element that goes over a border belongs to the span of its first byte, and is guarded
 * there.
 */
#ifndef PROA_WINDOW_SPAN_H
#define PROA_WINDOW_SPAN_H

#include "shm/peer.h"

#include <stddef.h>
#include <stdint.h>

struct proa_win;
struct proa_target;

/* rma/road.h */
enum proa_road_number { PROA_ROAD_STORE, PROA_ROAD_CMA, PROA_ROAD_NET };

struct proa_span {
    /* bytes of the target's window, end not included; in a dynamic window addresses in the
     * target */
    uint64_t first, end;
    char *here;              /* where the first is mapped in this process; NULL: nowhere */
    struct proa_peer *owner; /* the process in whose memory they lie: its stripes guard them */
    /* the owner's own address of the first: the same number for the same byte, in every process */
    uint64_t key;
    uint8_t road; /* enum proa_road_number: how this process gets there */
    /* May single elements be worked on by processor atomics? The same for all accessors of these
     * bytes, by any road. */
    uint8_t atomics;
    uint8_t adopted; /* mapped, and the program's own memory, which may move back (adopt/adopt.h) */
};

/* base + offset, also where base itself is no address in memory, as with absolute types: by
 * numbers, which may wrap. */
static inline char *proa_at(const void *base, int64_t offset)
{
    return (char *)((uintptr_t)base + (uintptr_t)offset);
}

/* Where a byte of the window is mapped, of a span that is; and the owner's address of it. position:
 * from the start of the window, or address; that of a displacement may lie outside of the span. */
static inline char *proa_span_here(const struct proa_span *span, uint64_t position)
{
    return proa_at(span->here, (int64_t)(position - span->first));
}

static inline uint64_t proa_span_key(const struct proa_span *span, uint64_t position)
{
    return span->key + (position - span->first);
}

/* The latter from the former. */
static inline uint64_t proa_span_key_at(const struct proa_span *span, const char *here)
{
    return span->key + (uint64_t)(here - span->here);
}

static inline int proa_span_holds(const struct proa_span *span, uint64_t position, uint64_t bytes)
{
    return position >= span->first && position <= span->end && bytes <= span->end - position;
}

/* Sets the pieces of target: count spans in order, the first at 0 and the last up to target->bytes,
 * copied. PROA_OK or PROA_ERR_NO_MEM. Sets target->fast as well. */
int proa_spans_set(struct proa_target *target, const struct proa_span *spans, uint32_t count);

/* Gives back what proa_spans_set has allocated. */
void proa_spans_free(struct proa_target *target);

#endif
