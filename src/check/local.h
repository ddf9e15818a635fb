/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's own loads and stores, with PROA_CHECK=memory: of memory of windows, and of buffers
 * of pending operations (check/buffers.h), as the tool sees them that the program runs in
 * (translator/translator.h).
 *
 * The next call takes them: nothing has become ordered for this process in between. An access is
 * complete at once, at its own process. A load that may poll (check/polls.h) is not compared, and
 * what its process may have learned by it counts as ordered.
 */
#ifndef PROA_CHECK_LOCAL_H
#define PROA_CHECK_LOCAL_H

#include "check/ordering.h"
#include "window/win.h"

/* Before the first window: begins if settings say so, or logs why not. */
void proa_local_start(void);
int proa_local_is_on(void);

/* A window has come to be, or goes. ordering NULL: accesses are compared with operations of this
 * process alone. */
void proa_local_open(const struct proa_win *win, struct proa_ordering *ordering);
void proa_local_close(const struct proa_win *win);

/* Memory is attached to a window that is open, and detached. */
void proa_local_attach(const struct proa_win *win, const void *base, uint64_t bytes);
void proa_local_detach(const struct proa_win *win, const void *base);

/* Takes the accesses since the last call. polls: a call begins that programs poll with
 * (check/polls.h). Not entered (check/ordering.h). */
void proa_local_take(int polls);

/* A call from that place is over, and has not completed or ordered anything for this process yet:
 * the program's other threads get some time, and their accesses are taken. So a thread that no
 * order leads to from this one is seen beside the call, and not only by luck. caller NULL: does
 * nothing. */
void proa_local_await_threads(const void *caller);

/* A call on a window is over. One of the host's that programs poll with counts as MPI_Win_sync. */
void proa_local_called(enum proa_call call);

/* When MPI ends: logs how much was not seen, if anything. */
void proa_local_tell(void);

#endif
