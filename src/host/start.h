/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When Proa is at work: from the first window or MPI_Alloc_mem on, until MPI_Finalize has deleted
 * the attributes of MPI_COMM_SELF (which it does first, and where callbacks of the user run).
 */
#ifndef PROA_HOST_START_H
#define PROA_HOST_START_H

#include "base/hidden.h"

#include <mpi.h>

/* Starts at the first call. comm: any communicator of the call at hand, or MPI_COMM_NULL; in a
 * program that has sessions but no MPI_Init, Proa starts from it. 1: windows can be served. 0: they
 * are the host's, by PROA_DISABLE=1 or because something Proa needs is missing (said in the log,
 * once), or because MPI is not initialized, or finalized. */
int proa_is_on(MPI_Comm comm);

/* From MPI_Init: has MPI_Finalize end Proa, when it comes to that. An attribute of MPI_COMM_SELF
 * does it, set before any of the program's, so that it is the last to be deleted. Does nothing the
 * second time. MPI_SUCCESS or the host's error. */
int proa_watch_finalize(void);

/* From MPI_Init, which takes milliseconds: prepares the objects that the first window would wait
 * for otherwise, if they take neither memory nor files, as far as the host has them. Errors come
 * when Proa starts. */
void proa_start_prepare(void);

/* Must this process take part in the agreement of all processes when a window is created? It must
 * even if it can serve no window: its neighbour processes may, and would wait for it. 0: MPI is not
 * initialized, or has shut Proa down, which the neighbours' has too. Starts at the first call, as
 * proa_is_on does. */
int proa_takes_part(MPI_Comm comm);

/* Why proa_is_on is 0 in a process that takes part. */
const char *proa_why_off(void);

/* A session ends, and the last window of a program without MPI_Init is gone: Proa gives back all
 * that it took from the session. It starts anew when needed. */
void proa_end_of_session(void);

/* Several threads may call MPI at once (MPI_THREAD_MULTIPLE). Valid once on. */
int proa_has_threads(void);

/* Called at Proa's end, before it gives anything back, while MPI can still be used: set by bind. */
extern PROA_HIDDEN void (*proa_at_end)(void);

/* Called in MPI_Finalize before that, even if Proa never started: set by bind in MPI_Init. */
extern PROA_HIDDEN void (*proa_at_finalize)(void);

#endif
