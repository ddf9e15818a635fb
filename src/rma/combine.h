/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations of the accumulate family on elements in a row: in a target's memory that is mapped
 * here, or in a copy of it.
 *
 * Nothing here excludes other accessors: that is the work of rma/guard.h.
 */
#ifndef PROA_RMA_COMBINE_H
#define PROA_RMA_COMBINE_H

#include "rma/guard.h"
#include "base/atomic.h"
#include "rma/op.h"
#include "type/basic.h"

#include <string.h>

/* An operation on `count` elements in a row. compare: not NULL for compare_and_swap, which has one
 * element and stores origin if the target holds *compare. */
struct proa_elements {
    proa_kernel *kernel;
    enum proa_operation operation;
    enum proa_basic basic;
    size_t bytes; /* from one element to the next */
    uint64_t count;
    const char *origin; /* NULL for MPI_NO_OP */
    char *result;       /* NULL if the old value is not wanted */
    const void *compare;
};

/* An accumulate in progress. */
struct proa_combine {
    struct proa_win *win;
    int rank;
    uint64_t total;           /* elements of the whole operation */
    struct proa_elements run; /* that is worked on */
    struct proa_guarded guarded;
};

/* Bytes behind the data of a pair, up to the next one; 0 for all other types. */
size_t proa_padding_of(enum proa_basic basic);

/* Are there bytes, inside or behind the data, that are not the element's? */
int proa_is_padded(enum proa_basic basic);

/* Both hosts take bytes and characters for numbers, but do not agree whether these have a sign.
 * Operations that depend on it are refused: NULL. */
proa_kernel *proa_kernel_of_bytes(enum proa_operation operation, enum proa_basic basic);

/* Does what combine says to its elements in a row at position in the target's window, in one span
 * or several: looks for the span of each. PROA_OK or a code. */
int proa_combine_row(struct proa_combine *combine, uint64_t position);

/* The same to runs of elements: all in the span, or over several. Several together only of elements
 * without padding, of an operation of more elements than may be worked on by processor atomics. The
 * guard of the former is left by the caller. */
int proa_combine_in(struct proa_combine *combine, const struct proa_span *span,
                    const struct proa_runs *runs);
int proa_combine_runs(struct proa_combine *combine, const struct proa_runs *runs);

/* Sees to it that stripes of owner are held of the first runs, and returns of how many; 0: none.
 * Runs in a row are guarded as far as an accumulate may go at a time, others for PROA_GUARD_AT_ONCE
 * bytes at most. key: of runs->position. */
uint64_t proa_combine_guard(struct proa_combine *combine, struct proa_peer *owner, uint64_t key,
                            const struct proa_runs *runs);

/* The ordinary loop: no other process or thread works on these elements meanwhile. */
void proa_apply(const struct proa_elements *c, char *target);

/* Processor atomics, one after the other; elements that are aligned, of a size that
 * proa_guard_atomics_fit. */
void proa_apply_atomic(const struct proa_elements *run, char *target);

/* ---- one element by a processor atomic: inline, as the plain way (rma/accumulate.c) lives on it
 * ---- */

/* One element of a size that the processor can exchange. Sequentially consistent, so a flush after
 * it has nothing left to do. */
#define PROA_ATOMIC_ELEMENT(ctype)                                                               \
    /* Bytes that the kernel leaves alone, such as padding, stay as they are. */                 \
    static inline ctype proa_atomic_kernel_##ctype(const struct proa_elements *c, ctype *target, \
                                                   const void *origin)                           \
    {                                                                                            \
        ctype new, old = proa_atomic_load(target, PROA_RELAXED);                                 \
        do {                                                                                     \
            new = old;                                                                           \
            c->kernel(&new, origin, 1);                                                          \
        } while (!proa_atomic_compare_exchange(target, &old, new, PROA_SEQ_CST, PROA_RELAXED));  \
        return old;                                                                              \
    }                                                                                            \
    static inline void proa_atomic_##ctype(const struct proa_elements *c, void *at)              \
    {                                                                                            \
        ctype old, *target = at;                                                                 \
        ctype value = 0;                                                                         \
        if (c->origin)                                                                           \
            memcpy(&value, c->origin, sizeof value);                                             \
        if (c->compare) {                                                                        \
            memcpy(&old, c->compare, sizeof old);                                                \
            proa_atomic_compare_exchange(target, &old, value, PROA_SEQ_CST, PROA_SEQ_CST);       \
        } else if (c->operation == PROA_OP_SUM && c->basic <= PROA_U64) {                        \
            old = proa_atomic_fetch_add(target, value, PROA_SEQ_CST);                            \
        } else if (c->operation == PROA_OP_REPLACE) {                                            \
            old = proa_atomic_exchange(target, value, PROA_SEQ_CST);                             \
        } else if (c->operation == PROA_OP_NO_OP) {                                              \
            old = proa_atomic_load(target, PROA_SEQ_CST);                                        \
        } else {                                                                                 \
            old = proa_atomic_kernel_##ctype(c, target, &value);                                 \
        }                                                                                        \
        if (c->result)                                                                           \
            memcpy(c->result, &old, sizeof old);                                                 \
    }

PROA_ATOMIC_ELEMENT(uint8_t)
PROA_ATOMIC_ELEMENT(uint16_t)
PROA_ATOMIC_ELEMENT(uint32_t)
PROA_ATOMIC_ELEMENT(uint64_t)

#undef PROA_ATOMIC_ELEMENT

static inline void proa_apply_atomic_one(const struct proa_elements *c, char *target)
{
    switch (c->bytes) {
    case 8:
        proa_atomic_uint64_t(c, target);
        break;
    case 4:
        proa_atomic_uint32_t(c, target);
        break;
    case 2:
        proa_atomic_uint16_t(c, target);
        break;
    default:
        proa_atomic_uint8_t(c, target);
    }
}

#endif
