/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When Proa is active: from the first window or MPI_Alloc_mem on, until MPI_Finalize has deleted
 * the attributes of MPI_COMM_SELF (which it does first, and where callbacks of the user run).
 */
#ifndef PROA_HOST_START_H
#define PROA_HOST_START_H

#include "base/hidden.h"

#include <mpi.h>

/* Starts Proa at the first call. comm: any communicator of the current call, or MPI_COMM_NULL; in a
 * program that has sessions but no MPI_Init, Proa starts from it. Returns 1 if windows can be
 * served. Returns 0 if the host serves them: because of PROA_DISABLE=1, or because something that
 * Proa needs is missing (logged once), or because MPI is not initialized, or finalized. */
int proa_is_on(MPI_Comm comm);

/* Called in MPI_Init: lets MPI_Finalize end Proa. An attribute of MPI_COMM_SELF does it, set before
 * any of the program's, so that it is deleted last. Does nothing the second time. Returns
 * MPI_SUCCESS or the host's error. */
int proa_watch_finalize(void);

/* Called in MPI_Init, which takes milliseconds: prepares the objects that the first window would
 * otherwise wait for, if they take neither memory nor files, as far as the host has them. Errors
 * are reported when Proa starts. */
void proa_start_prepare(void);

/* Returns whether this process must take part in the agreement of all processes when a window is
 * created. It must even if it can serve no window: its neighbour processes may serve it, and would
 * wait for this one. Returns 0 if MPI is not initialized, or has ended Proa, also on the
 * neighbours. Starts Proa at the first call, as proa_is_on does. */
int proa_takes_part(MPI_Comm comm);

/* Returns why proa_is_on is 0 in a process that takes part. */
const char *proa_why_off(void);

/* Called when a session ends, and the last window of a program without MPI_Init is gone: Proa gives
 * back all that it took from the session. It starts again when needed. */
void proa_end_of_session(void);

/* Returns whether several threads may call MPI at once (MPI_THREAD_MULTIPLE). Valid once on. */
int proa_has_threads(void);

/* Called when Proa ends, before it frees anything, while MPI can still be used. Set by bind. */
extern PROA_HIDDEN void (*proa_at_end)(void);

/* Called in MPI_Finalize before that, even if Proa never started: set by bind in MPI_Init. */
extern PROA_HIDDEN void (*proa_at_finalize)(void);

#endif
