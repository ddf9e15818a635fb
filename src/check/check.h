/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check mode (PROA_CHECK): conflicts between operations of one origin, told where no call of
 * synchronization orders them. A window that is checked is a watched one (watch/watch.h). Each
 * operation is compared with those of the same origin and target that are not complete yet, and
 * kept until a call completes it.
 *
 * Nothing is told that is not proved. A call completes all that it may complete, even if it fails.
 * An operation is not kept if this process cannot see its completion: after the request forms of
 * gets, and notified operations.
 */
#ifndef PROA_CHECK_CHECK_H
#define PROA_CHECK_CHECK_H

#include "base/calls.h"
#include "host/handle.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>

struct proa_check;

/* What is checked of a new window on comm; NULL: nothing, as by PROA_CHECK, or without memory. */
struct proa_check *proa_check_new(MPI_Comm comm);

/* Frees it. NULL: does nothing. */
void proa_check_drop(struct proa_check *check);

/* An operation was done. count, datatype, displacement: at the target; caller: its return address.
 * Calls that are no operations are none here. */
void proa_check_operation(struct proa_check *check, const struct proa_win *win, enum proa_call call,
                          int rank, MPI_Aint displacement, int64_t count, MPI_Datatype datatype,
                          int is_no_op, const void *caller);

/* A call is over; rank: as of proa_watched; caller: its return address. */
void proa_check_complete(struct proa_check *check, enum proa_call call, int rank,
                         const void *caller);

/* The observer of check mode (watch/watch.h). */
static inline __attribute__((always_inline)) void proa_check_observe(const struct proa_win *win,
                                                                     enum proa_call call, int rank)
{
    struct proa_check *check = proa_handle_of(win)->check;

    if (check)
        proa_check_complete(check, call, rank, __builtin_return_address(0));
}

#endif
