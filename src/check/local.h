/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program's own loads and stores, with PROA_CHECK_MEMORY: of window memory that Proa has
 * allocated (traps/view.h), and of buffers of pending operations (check/buffers.h).
 *
 * Memory that cannot be protected is seen by single steps (traps/steps.h) and by watchpoints.
 *
 * Handlers of signals write accesses down, and the next call on a window takes them: nothing has
 * become ordered for this process in between. An access is complete at once, at its own process.
 *
 * A load that may poll (check/polls.h) is not compared, and what its process may have learned by it
 * counts as ordered.
 */
#ifndef PROA_CHECK_LOCAL_H
#define PROA_CHECK_LOCAL_H

#include "check/ordering.h"
#include "window/win.h"

/* At MPI_Init: threads that the program makes from here on must not block what traps need. */
void proa_local_begin(void);

/* Before the first window: begins if settings say so, and logs the parts that the system refuses.
 */
void proa_local_start(void);
int proa_local_is_on(void);

/* A window has come to be, or goes. ordering NULL: accesses are compared with operations of this
 * process alone. */
void proa_local_open(const struct proa_win *win, struct proa_ordering *ordering);
void proa_local_close(const struct proa_win *win);

/* Guards the part of a window's memory that the program brings and that does not trap. */
void proa_local_guard(const struct proa_win *win, const void *memory, uint64_t bytes);

/* Memory is attached to a window that is open, and detached. Where the program has it. */
void proa_local_attach(const struct proa_win *win, const void *base, uint64_t bytes);
void proa_local_detach(const struct proa_win *win, const void *base);

/* Takes the accesses since the last call. syncs: a call of MPI_Win_sync begins. Not entered
 * (check/ordering.h). */
void proa_local_take(int syncs);

/* A call from that place is over, and has not completed or ordered anything for this process yet:
 * the program's other threads get some time, and their accesses are taken. So a thread that no
 * order leads to from this one is seen beside the call, and not only by luck. caller NULL: does
 * nothing. */
void proa_local_linger(const void *caller);

/* A call on a window is over. */
void proa_local_called(enum proa_call call);

/* The program goes on behind a call from that place: where memory matters that does not trap, by
 * single steps. caller NULL: does nothing. */
void proa_local_go_on(const void *caller);

/* When MPI ends: logs how much was not seen, if anything. */
void proa_local_tell(void);

#endif
