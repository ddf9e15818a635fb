/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check mode (PROA_CHECK): conflicts between operations, told where nothing orders them. A window
 * that is checked is a watched one (watch/watch.h). Each operation is compared with those of the
 * same origin and target that are not complete yet, and kept until a call completes it. Then it is
 * handed over to its target, which compares it with those of other origins (check/ordering.h).
 *
 * Nothing is told that is not proved. A call completes all that it may complete, even if it fails.
 * A notified operation counts as complete at once, as its target can answer it.
 */
#ifndef PROA_CHECK_CHECK_H
#define PROA_CHECK_CHECK_H

#include "base/calls.h"
#include "base/hidden.h"
#include "findings/source.h"
#include "host/handle.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>

struct proa_check;

/* The checks of a new window on comm; NULL: nothing, as by PROA_CHECK, or without memory. */
struct proa_check *proa_check_new(MPI_Comm comm);

/* The window has come to be; collective over comm. check NULL: of a process that checks nothing. */
void proa_check_open(struct proa_check *check, struct proa_win *win, MPI_Comm comm);

/* Memory is attached to the window, where the program has it, or detached. NULL: does nothing. */
void proa_check_attach(struct proa_check *check, const void *base, uint64_t bytes);
void proa_check_detach(struct proa_check *check, const void *base);

/* Frees it. NULL: does nothing. */
void proa_check_drop(struct proa_check *check);

/* An operation was done. count, datatype, displacement: at the target; caller: its return address.
 * Calls that are no operations are none here. */
void proa_check_operation(struct proa_check *check, const struct proa_win *win, enum proa_call call,
                          int rank, MPI_Aint displacement, int64_t count, MPI_Datatype datatype,
                          MPI_Op op, const void *caller);

/* The operation that this thread has begun has this origin buffer, or this result buffer. */
void proa_check_origin(const void *origin, int64_t count, MPI_Datatype datatype);
void proa_check_result(const void *result, int64_t count, MPI_Datatype datatype);

/* The program is about to get a pointer to another rank's memory of the window. NULL: does nothing.
 */
void proa_check_share(struct proa_check *check);

/* Are loads and stores looked at (check/local.h)? Then calls have to be told of that mean nothing
 * to accesses of operations. */
extern PROA_HIDDEN int proa_check_sees_memory;

/* A call begins that is an operation, or is none. */
void proa_check_operates(struct proa_check *check, enum proa_call call, int rank);
void proa_check_before(struct proa_check *check, enum proa_call call, int rank);

static inline int proa_check_is_operation(enum proa_call call)
{
    return (call >= PROA_CALL_Put && call <= PROA_CALL_Rget_accumulate) ||
           (call >= PROA_CALL_Put_c && call <= PROA_CALL_Rget_accumulate_c) ||
           (call >= PROA_CALL_Put_notify && call <= PROA_CALL_Rget_accumulate_notify_c);
}

static inline int proa_check_is_flush(enum proa_call call)
{
    return call >= PROA_CALL_Win_flush && call <= PROA_CALL_Win_flush_local_all;
}

static inline __attribute__((always_inline)) void proa_check_enter(struct proa_check *check,
                                                                   enum proa_call call, int rank)
{
    if (proa_check_is_operation(call))
        proa_check_operates(check, call, rank);
    else if (!proa_check_is_flush(call) || proa_check_sees_memory)
        proa_check_before(check, call, rank);
}

/* Such a call is over; rank: as of proa_watched; caller: its return address. */
void proa_check_operated(struct proa_check *check, enum proa_call call, int rank);
void proa_check_complete(struct proa_check *check, enum proa_call call, int rank,
                         const void *caller);

/* The observer of check mode (watch/watch.h). */
static inline __attribute__((always_inline)) void proa_check_observe(const struct proa_win *win,
                                                                     enum proa_call call, int rank)
{
    struct proa_check *check = proa_handle_of(win)->check;

    if (check && proa_check_is_operation(call))
        proa_check_operated(check, call, rank);
    else if (check)
        proa_check_complete(check, call, rank, proa_source_here);
}

#endif
