/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common needs of every exported function: the alias, and the conversion of core's codes to MPI's
 * errors.
 *
 * Each function of the chapter is defined as PMPI_X and also exported as MPI_X, weakly, as an MPI
 * library does. So profiling tools are layered above Proa, and a host's other bindings call Proa,
 * whichever of the two names they use.
 */
#ifndef PROA_BIND_BIND_H
#define PROA_BIND_BIND_H

#include "base/fail.h"
#include "base/hidden.h"
#include "host/pmpi.h"
#include "host/start.h"
#include "host/handle.h"

#include <mpi.h>

#define PROA_EXPORT __attribute__((visibility("default")))
#define PROA_ALIAS(name)                                  \
    PROA_EXPORT extern __typeof__(PMPI_##name) MPI_##name \
        __attribute__((weak, alias("PMPI_" #name)))

/* Starts the definition of an exported function. The name may be a macro (bind/width.h). */
#define PROA_MPI_OF(name) \
    PROA_ALIAS(name);     \
    PROA_EXPORT int PMPI_##name
#define PROA_MPI(name) PROA_MPI_OF(name)

#define PROA_RARELY(condition) __builtin_expect(!!(condition), 0)

/* Not an error: the target is MPI_PROC_NULL, and there is nothing to do. */
enum { PROA_NOWHERE = 2 };

/* Returns the MPI class of one of core's codes. */
int proa_class_of(int code);

/* Returns MPI_ERR_RMA_NOTIFICATION (draft of MPI-5.1, 12.6), a class that is added to the host's at
 * the first call. */
int proa_class_of_notification(void);

/* Reports the failure `code` in `call` to the user and raises its class on the window's error
 * handler. Returns the call's return value: the class; or MPI_SUCCESS after a handler of MPICH's
 * C++, as MPICH does. */
int proa_raise(const struct proa_win *win, enum proa_call call, int code) __attribute__((cold));

/* This thread has raised an error since check mode began its call. */
extern PROA_HIDDEN _Thread_local int proa_has_raised PROA_INITIAL_EXEC;

/* The same on a communicator's error handler: for the calls that create a window. */
int proa_raise_on_comm(MPI_Comm comm, enum proa_call call, int code) __attribute__((cold));

/* Raises MPI_ERR_WIN for a call on a window of Proa's that has been freed. Returns the class. */
int proa_raise_freed(enum proa_call call) __attribute__((cold));

/* Raises MPI_ERR_UNSUPPORTED_OPERATION on a window of the host, for a call that the host does not
 * have. Returns the class. */
int proa_raise_unserved(MPI_Win handle, enum proa_call call) __attribute__((cold));

/* Returns the host's result for a handle that is not a window of Proa's. But hosts accept the
 * handle of a freed window, or crash on it, so Proa remembers its own freed handles. */
#define PROA_HOST_ANSWERS(name, handle, ...)                           \
    (proa_handle_is_freed(handle) ? proa_raise_freed(PROA_CALL_##name) \
                                  : proa_pmpi()->name(__VA_ARGS__))

/* Called before (yes: 1) and after (0) the host raises an error for Proa, or the program raises one
 * on a window of Proa's: that error is not the host's own. */
void proa_raising(int yes);

/* Called when the host raises an error on this thread. Unless the host does so for Proa, the last
 * sentence is forgotten. */
void proa_raised_by_host(void);

/* Returns the return value of a call on a window. */
static inline int proa_return(const struct proa_win *win, enum proa_call call, int code)
{
    return PROA_RARELY(code < 0) ? proa_raise(win, call, code) : MPI_SUCCESS;
}

/* Checks that rank is a rank of the window. Returns PROA_OK, PROA_NOWHERE for MPI_PROC_NULL, or
 * PROA_ERR_RANK. */
int proa_rank_outside(const struct proa_win *win, int rank) __attribute__((cold));

static inline int proa_check_rank(const struct proa_win *win, int rank)
{
    return PROA_RARELY((unsigned)rank >= (unsigned)win->size) ? proa_rank_outside(win, rank)
                                                              : PROA_OK;
}

/* Returns the host window of a handle, for the host's own services; the handle itself if it is not
 * Proa's. */
MPI_Win proa_host_handle(MPI_Win handle);

/* Gets a predefined attribute for Fortran, which receives values, not addresses (MPI-4.1, 13.2.6).
 * Only here the hosts' Fortran does not use the C calls (doc/HOSTS.md): the calls that it makes
 * instead are in fortran_HOST.c. Returns 1 with *flag 1 if handle is a window of Proa's and keyval
 * (as C numbers it) a predefined one; else 0 with *flag 0. */
int proa_attribute_for_fortran(MPI_Win handle, int keyval, MPI_Aint *value, int *flag);

/* The keyvals of the predefined attributes of notified communication. The host gives each at the
 * first call. */
enum proa_notify_keyval {
    PROA_NOTIFY_NUM_SB,
    PROA_NOTIFY_NUM_UB,
    PROA_NOTIFY_VALUE_UB,
    PROA_NOTIFY_KEYVALS
};
int proa_notify_keyval(enum proa_notify_keyval which);

/* Converts MPI's assertions to core's bits. allowed: core's bits that the call accepts. Returns
 * PROA_OK, or PROA_ERR_ASSERT for other bits. No assertion is the usual case, and has to be fast.
 */
int proa_mode_of(int assert, int allowed, int *mode);

static inline int proa_mode(int assert, int allowed, int *mode)
{
    *mode = 0;
    return assert ? proa_mode_of(assert, allowed, mode) : PROA_OK;
}

#endif
