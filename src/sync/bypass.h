/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bypass: when a process acquires a lock before others that wait for it, and why no process waits
 * forever.
 *
 * A process that finds a lock taken waits in its queue, first come first served (sync/rwlock.h).
 * Two kinds of requests wait outside the queue, for the writer inside or at its head: a lock_all,
 * and a shared lock of a process that already holds others. In the queue, two readers that each
 * hold the lock the other requests, with a writer queued at each lock, would wait forever. Waiters
 * outside are counted in `asked` and `granted`. A later writer waits until they have been granted.
 *
 * Rule: a process is pressed while another process waits for a lock that it holds. A pressed
 * process waits only for holders. It bypasses writers that only wait, and does not give way to
 * waiters outside. A process that is not pressed bypasses no other, even if it holds locks.
 *
 * Proof: let processes wait for each other in a cycle. Each waits either for a lock that the next
 * one holds, or because the next one came earlier and waits too. If one of them waits for a holder,
 * that holder is pressed, so it waits for a holder as well, and so on around the cycle. Then each
 * holds the lock that another one waits for, and the program itself is wrong. If none waits for a
 * holder, each came later than the next one, which is impossible in a cycle.
 *
 * A process's knowledge has two limits. Another of its threads may hold a lock that it can release
 * only after this thread's call returns. So locks of other threads count as well, but only after a
 * second: independent threads should not bypass other processes for each other's sake. An origin of
 * another node reports that it holds locks, but not whether they have waiters. It counts as pressed
 * after 10 ms of waiting. So does a process that requests a lock on its node and holds one of a
 * target on another node, where it cannot see the waiters.
 *
 * A process checks its locks only after it has found a lock taken, so that acquiring and releasing
 * a lock need no counting. It reads them from the epochs of its windows. A lock that is not granted
 * yet, or was skipped by NOCHECK, does not count there.
 */
#ifndef PROA_SYNC_BYPASS_H
#define PROA_SYNC_BYPASS_H

#include "base/hidden.h"
#include "sync/claims.h"

struct proa_lock_request;

/* The process that requests a lock (sync/lock.h). These functions are called when the lock is not
 * free. */
struct proa_lock_requester {
    int (*holds_any)(
        const struct proa_lock_request *request);         /* returns whether it holds any lock */
    int (*is_pressed)(struct proa_lock_request *request); /* called by checks of a stage */
    /* sets the claim on the lock, or removes it if is_set is 0 (sync/claims.h) */
    void (*claim)(struct proa_lock_request *request, enum proa_claim claim, int is_set);
};

/* This process, for the calling thread; and an origin of another node, which sets
 * request->holds. */
extern PROA_HIDDEN const struct proa_lock_requester proa_lock_requester_self,
    proa_lock_requester_origin;

/* For a writer: returns whether the waiters outside were granted or it bypasses them. */
int proa_bypass_of_outside(struct proa_lock_request *request);

/* For a waiter outside: returns whether no writer excludes it. Once it was pressed, a writer that
 * only waits does not. */
int proa_bypass_of_writers(struct proa_lock_request *request);

/* ---- the locks that this process holds ---- */

/* proa_held_watch adds a window, at its creation, to those whose locks count; proa_held_forget
 * removes it before its memory is freed. */
void proa_held_watch(struct proa_win *win);
void proa_held_forget(struct proa_win *win);

/* Returns whether this process holds any lock, of any target of any window. */
int proa_held_any(void);

/* Returns whether there is a waiter for a lock that this thread holds or, with PROA_HOLDER_PROCESS,
 * any thread of this process. A lock counts for the thread that acquired it, even if another thread
 * will release it. */
enum proa_holder { PROA_HOLDER_THREAD, PROA_HOLDER_PROCESS };
int proa_held_wanted(enum proa_holder holder);

#endif
