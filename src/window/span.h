/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spans: the pieces of memory of a target's window. Each lies in the memory of one process and has
 * a road, the way by which this process reaches it.
 *
 * Most targets have one. The spans of a window are adjacent and hold all of its bytes. In a dynamic
 * window they are the attached regions, read on demand from the target's table (rma/regions.h),
 * with gaps between them. All processes see the same borders, owners and keys, by any road. An
 * element that crosses a border belongs to the span of its first byte and is guarded there.
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
    /* bytes of the target's window, end exclusive; in a dynamic window addresses in the target */
    uint64_t first, end;
    char *here;              /* address of the first in this process; NULL if not mapped */
    struct proa_peer *owner; /* the process whose memory holds them; its stripes guard them */
    /* the owner's address of the first: the same number for the same byte in every process */
    uint64_t key;
    uint8_t road; /* enum proa_road_number */
    /* 1 if single elements may be accessed by processor atomics. The same for all accessors of
     * these bytes, by any road. */
    uint8_t atomics;
    uint8_t adopted; /* 1 if mapped memory of the program, which may move back (adopt/adopt.h) */
};

/* Returns base + offset, computed with integers, which may wrap: with absolute types, base is not
 * an address in memory. */
static inline char *proa_at(const void *base, int64_t offset)
{
    return (char *)((uintptr_t)base + (uintptr_t)offset);
}

/* Return the address here of a byte of a mapped span, and the owner's address of it. position:
 * offset in the window, or address in a dynamic window; may lie outside the span. */
static inline char *proa_span_here(const struct proa_span *span, uint64_t position)
{
    return proa_at(span->here, (int64_t)(position - span->first));
}

static inline uint64_t proa_span_key(const struct proa_span *span, uint64_t position)
{
    return span->key + (position - span->first);
}

/* Returns the owner's address from the address here. */
static inline uint64_t proa_span_key_at(const struct proa_span *span, const char *here)
{
    return span->key + (uint64_t)(here - span->here);
}

static inline int proa_span_holds(const struct proa_span *span, uint64_t position, uint64_t bytes)
{
    return position >= span->first && position <= span->end && bytes <= span->end - position;
}

/* Sets the spans of target, and target->fast. spans: count spans in order, the first at 0 and the
 * last up to target->bytes; they are copied. Returns PROA_OK or PROA_ERR_NO_MEM. */
int proa_spans_set(struct proa_target *target, const struct proa_span *spans, uint32_t count);

/* Frees the memory that proa_spans_set has allocated. */
void proa_spans_free(struct proa_target *target);

#endif
