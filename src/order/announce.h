/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of operations, announced to ThreadSanitizer in programs that are built with it
 * (traps/sanitizer.h): so it compares them with all loads and stores of the program, and its
 * reports name both lines.
 *
 * Each other process of which operations are taken (order/crossing.h) is an actor. Its access comes
 * after the calls of this process that its clock of issue knows, and before the calls that know its
 * stamp. All that a call may have learned of is taken before the call returns, and so before any
 * access of the program that comes after it.
 *
 * Pending operations of this process are actors, too: from the call to the completion they access
 * their buffers, and their target if that is this process.
 *
 * While this process shares memory with others (proa_clock_shares) their operations are left out:
 * it may learn from them at any time. A load behind MPI_Win_sync, until the next call, may poll, so
 * it is not compared, and what the process has accessed before counts as known to others. Without
 * ThreadSanitizer, or without check mode, all functions do nothing. They are safe from any thread,
 * where nothing else is said.
 */
#ifndef PROA_ORDER_ANNOUNCE_H
#define PROA_ORDER_ANNOUNCE_H

#include "base/atomic.h"
#include "base/hidden.h"
#include "order/accesses.h"
#include "window/win.h"

/* Begins, if ThreadSanitizer is there. */
void proa_announce_begin(void);
extern PROA_HIDDEN int proa_announce_on;

static inline int proa_announce_is_on(void)
{
    return proa_atomic_load(&proa_announce_on, PROA_ACQUIRE);
}

/* Clocks are there from now on, or about to end. */
void proa_announce_follow(void);
void proa_announce_end(void);

/* Around each call on a window or of the host's by which order may come about. The caller of these,
 * and of those below that say so, excludes other threads. */
void proa_announce_before(void);
void proa_announce_after(void);

/* The same of MPI_Win_sync, when it is over. */
void proa_announce_sync(void);

/* Around a call of the host's whose buffers check mode compares itself (check/own.h): what the host
 * does to them meanwhile is left out. From any thread. */
void proa_announce_host(int begins);

/* An access of another process to this one's memory, which was taken. Excluded. */
void proa_announce_taken(const struct proa_access *access);

/* A buffer of a pending operation, by the access's window, origin (that is the target's rank),
 * request, caller and kind; or the memory of this process that it works on. */
void proa_announce_buffer(const struct proa_access *access);
void proa_announce_own(const struct proa_access *access);

/* As proa_buffers_complete; local: only at the origin. */
void proa_announce_complete(const struct proa_win *win, int rank, int requested, int local);

#endif
