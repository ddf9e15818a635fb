/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check mode (PROA_CHECK): reports conflicts between operations that nothing orders. A checked
 * window is a watched window (watch/watch.h). Each operation is compared with pending operations of
 * the same origin and target, and kept until a call completes it. It is then handed over to its
 * target, which compares it with operations of other origins (check/ordering.h).
 *
 * Only proved conflicts are reported. A call is assumed to complete all that it may complete, even
 * if it fails. A notified operation counts as complete at once, as its target can respond to it.
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

/* Returns the checks of a new window on comm. Returns NULL if PROA_CHECK does not ask for them, or
 * without memory. */
struct proa_check *proa_check_new(MPI_Comm comm);

/* The window was created. Collective over comm. check: checks of the window, or NULL in a process
 * without checks. */
void proa_check_open(struct proa_check *check, struct proa_win *win, MPI_Comm comm);

/* Memory was attached to the window, or is detached. base: address in the program. check: NULL
 * makes the call a no-op. */
void proa_check_attach(struct proa_check *check, const void *base, uint64_t bytes);
void proa_check_detach(struct proa_check *check, const void *base);

/* Frees the checks. NULL is a no-op. */
void proa_check_drop(struct proa_check *check);

/* An operation was issued. count, datatype, displacement: arguments at the target. caller: return
 * address of the call. Calls that are no operations are ignored. */
void proa_check_operation(struct proa_check *check, const struct proa_win *win, enum proa_call call,
                          int rank, MPI_Aint displacement, int64_t count, MPI_Datatype datatype,
                          MPI_Op op, const void *caller);

/* Registers the origin buffer, or the result buffer, of the operation that this thread is
 * issuing. */
void proa_check_origin(const void *origin, int64_t count, MPI_Datatype datatype);
void proa_check_result(const void *result, int64_t count, MPI_Datatype datatype);

/* The program is about to get a pointer to another rank's memory of the window. NULL is a no-op. */
void proa_check_share(struct proa_check *check);

/* True if loads and stores are checked (check/local.h). Calls that affect no access of an operation
 * must be reported then as well. */
extern PROA_HIDDEN int proa_check_sees_memory;

/* A call starts that is an operation, or one that is not. */
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

/* Such a call returned. rank: as for proa_watched. caller: return address of the call. */
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
