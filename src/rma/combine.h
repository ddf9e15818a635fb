/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations of the accumulate family on contiguous elements, in mapped memory of a target or
 * in a copy of it.
 *
 * These functions do not exclude other accessors; rma/guard.h does.
 */
#ifndef PROA_RMA_COMBINE_H
#define PROA_RMA_COMBINE_H

#include "rma/guard.h"
#include "base/atomic.h"
#include "rma/op.h"
#include "type/basic.h"

#include <string.h>

/* An operation on `count` contiguous elements. compare: not NULL for compare_and_swap, which has
 * one element and stores origin if the target equals *compare. */
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
    struct proa_elements run; /* the run in progress */
    struct proa_guarded guarded;
};

/* Returns the number of padding bytes after the data of a pair, up to the next one; 0 for all other
 * types. */
size_t proa_padding_of(enum proa_basic basic);

/* Returns whether an element has padding inside or after its data. */
int proa_is_padded(enum proa_basic basic);

/* Returns the kernel for bytes and characters. Both hosts treat these as numbers, but differ in
 * their sign. Returns NULL for operations that depend on the sign. */
proa_kernel *proa_kernel_of_bytes(enum proa_operation operation, enum proa_basic basic);

/* Applies the operation to its contiguous elements, in one span or several, and finds the span of
 * each. position: offset in the target's window, in bytes, or address in a dynamic window. Returns
 * PROA_OK or a code. */
int proa_combine_row(struct proa_combine *combine, uint64_t position);

/* The same for runs of elements, all in the span or over several spans. Several runs may be passed
 * only for elements without padding, in an operation of more elements than processor atomics may
 * apply. The caller leaves the guard of the former function. */
int proa_combine_in(struct proa_combine *combine, const struct proa_span *span,
                    const struct proa_runs *runs);
int proa_combine_runs(struct proa_combine *combine, const struct proa_runs *runs);

/* Ensures that the stripes of owner for the first runs are held. key: key of runs->position.
 * Returns the number of these runs, which may be 0. Contiguous runs are guarded up to the longest
 * piece of an accumulate, others up to PROA_GUARD_AT_ONCE bytes. */
uint64_t proa_combine_guard(struct proa_combine *combine, struct proa_peer *owner, uint64_t key,
                            const struct proa_runs *runs);

/* The plain loop: no other process or thread accesses these elements meanwhile. */
void proa_apply(const struct proa_elements *c, char *target);

/* Applies processor atomics, one after the other, to aligned elements of a size that
 * proa_guard_atomics_fit accepts. */
void proa_apply_atomic(const struct proa_elements *run, char *target);

/* ---- one element by a processor atomic: inline, as the plain way (rma/accumulate.c) lives on it
 * ---- */

/* One element of a size that the processor can exchange. Sequentially consistent, so a later flush
 * need not do anything. */
#define PROA_ATOMIC_ELEMENT(ctype)                                                               \
    /* Bytes that the kernel does not write, such as padding, do not change. */                  \
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
