/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations: put, get, and the accumulate family (MPI-4.1, 13.3).
 *
 * The fast path of put and get is here, inline: bind finds the window, these functions compute the
 * address and copy. proa_put and proa_get in rma/move.c handle all other cases: an awaited post, a
 * derived type, CMA, a dynamic window, an error. All return PROA_OK or a negative code with
 * proa_failure() set; a wrong call has no effect.
 */
#ifndef PROA_RMA_OP_H
#define PROA_RMA_OP_H

#include "base/calls.h"
#include "base/fail.h"
#include "window/epoch.h"
#include "window/sync_ops.h"
#include "type/type.h"
#include "window/win.h"

#include <string.h>

/* The origin's buffer of an operation, or a get's result. */
struct proa_buffer {
    void *address;  /* may be NULL (MPI_BOTTOM) with a type of absolute addresses */
    uint64_t count; /* elements */
    const struct proa_type *type;
};

/* The place in a target's window: rank in the window's group, displacement in the target's units,
 * and layout. call: the call of the program, for messages to the user. */
struct proa_there {
    int rank;
    int64_t displacement;
    uint64_t count;
    const struct proa_type *type;
    enum proa_call call;
};

/* A constant in every call, so that each direction is compiled separately. */
enum proa_direction { PROA_PUT, PROA_GET };

int proa_put(struct proa_win *win, const struct proa_buffer *origin,
             const struct proa_there *there);
int proa_get(struct proa_win *win, const struct proa_buffer *origin,
             const struct proa_there *there);

/* there op= origin. */
int proa_accumulate(struct proa_win *win, const struct proa_buffer *origin,
                    const struct proa_there *there, enum proa_operation operation);

/* The plain case of the accumulate family: the same predefined type on all sides, few elements (1
 * to INT32_MAX, which the caller ensures), mapped here, in an epoch without waits. Returns 1 if
 * done, or 0 without effect; then the general functions perform it or report the error. result:
 * NULL if the old value is not wanted. compare: not NULL for compare_and_swap, with one element and
 * MPI_REPLACE. */
int proa_accumulate_plain(struct proa_win *win, const void *origin, void *result,
                          const void *compare, uint64_t count, const struct proa_type *type,
                          int rank, int64_t displacement, enum proa_operation operation);

/* result = there, there op= origin, atomically for each element. origin: ignored for MPI_NO_OP. */
int proa_get_accumulate(struct proa_win *win, const struct proa_buffer *origin,
                        const struct proa_buffer *result, const struct proa_there *there,
                        enum proa_operation operation);

/* The same for one element of a basic type. */
int proa_fetch_and_op(struct proa_win *win, const void *origin, void *result,
                      const struct proa_there *there, enum proa_operation operation);

/* result = there; there = origin if it was equal to compare; one element. */
int proa_compare_and_swap(struct proa_win *win, const void *origin, const void *compare,
                          void *result, const struct proa_there *there);

/* Returns whether this process may access the target now, without waiting for its post. */
static inline int proa_is_open(const struct proa_win *win, int rank)
{
    uint8_t epoch = proa_epoch_towards(win, rank);

    return epoch != 0 && !(epoch & PROA_EPOCH_AWAITED);
}

/* Returns the address of [at, + bytes) in the span `only`, or NULL if the bytes are not there or
 * the target is awaited. In a window of several spans, such as a head that the kernel reaches,
 * `only` is the largest mapped here. In a dynamic window `at` is an address, and `only` the last
 * region found (rma/regions.h), valid until the target attaches or detaches. Other windows without
 * `fast` have no mapped span. is_dynamic: a constant in every call. */
static inline char *proa_spanned_address(const struct proa_target *target, uint8_t epoch,
                                         uint64_t at, uint64_t bytes, int is_dynamic)
{
    const struct proa_span *span = &target->only;

    if (epoch & PROA_EPOCH_AWAITED || !proa_span_holds(span, at, bytes) ||
        (is_dynamic && (!span->here || !proa_regions_are_unchanged(target))))
        return NULL;
    return proa_span_here(span, at);
}

/* Returns the address of [displacement, + bytes) in the target's window if an epoch is open and the
 * memory is mapped here; else NULL, and the general functions handle the case. Waits for the target
 * if necessary. In a ruled window the general functions wait instead, so that the slow form
 * notifies the watchdog. */
static inline char *proa_fast_address(struct proa_win *win, int rank, int64_t displacement,
                                      uint64_t bytes)
{
    const struct proa_target *target = &win->targets[rank];
    uint8_t epoch = proa_epoch_towards(win, rank);
    int64_t at;

    if (epoch == 0)
        return NULL;
    if (__builtin_expect(!target->fast, 0))
        return proa_spanned_address(target, epoch, (uint64_t)displacement, bytes, 1);
    /* a negative displacement, unsigned, is far outside the window */
    if (__builtin_mul_overflow(displacement, target->disp_unit, &at))
        return NULL;
    if ((uint64_t)at > target->fast_bytes || bytes > target->fast_bytes - (uint64_t)at)
        return proa_spanned_address(target, epoch, (uint64_t)at, bytes, 0);
    if (__builtin_expect(epoch & PROA_EPOCH_AWAITED, 0) &&
        (win->ruled || win->sync->await(win, rank) != PROA_OK))
        return NULL; /* not posted yet, or the target has failed */
    return target->fast + at;
}

/* The same in the target's `fast` memory alone, for a target that is not awaited. Calls no
 * function. */
static inline char *proa_ready_address(const struct proa_target *target, int64_t displacement,
                                       uint64_t bytes)
{
    int64_t at;

    if (!target->fast || __builtin_mul_overflow(displacement, target->disp_unit, &at) ||
        (uint64_t)at > target->fast_bytes || bytes > target->fast_bytes - (uint64_t)at)
        return NULL;
    return target->fast + at;
}

/* Copies small sizes without a call, by one load and one store each, so that other accessors never
 * see an aligned word half written. */
static inline void proa_copy(void *to, const void *from, uint64_t bytes)
{
    switch (bytes) {
    case 8:
        memcpy(to, from, 8);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    default:
        memcpy(to, from, bytes);
    }
}

/* The plain and usual case: the same dense type on both sides, inside the target's window, in
 * memory mapped here; or no element at all. Returns 1 if done, or 0 without effect; then proa_put
 * or proa_get performs it or reports the error. origin: buffer; a get writes to it, and it is const
 * only for puts. */
static inline int proa_move_plain(struct proa_win *win, enum proa_direction direction,
                                  const void *origin, uint64_t count, const struct proa_type *type,
                                  int rank, int64_t displacement)
{
    char *at;

    if (!type->plain_bytes)
        return 0;
    if (count - 1 >= INT32_MAX)
        return count == 0 && proa_is_open(win, rank);
    if (!origin)
        return 0;
    at = proa_fast_address(win, rank, displacement, count * type->plain_bytes);
    if (!at)
        return 0;
    if (direction == PROA_PUT) {
        proa_touch_store(win);
        proa_copy(at, origin, count * type->plain_bytes);
    } else {
        proa_touch_load(win);
        proa_copy((void *)(uintptr_t)origin, at, count * type->plain_bytes);
    }
    return 1;
}

#endif
