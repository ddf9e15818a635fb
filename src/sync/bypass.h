/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bypass: when a process goes ahead of others that wait for a lock, and why no process waits for
 * ever.
 *
 * A process that finds a lock taken waits in its queue, first come first served (sync/rwlock.h).
 * Two kinds of requests wait outside of the queue, for the writer inside or at its head: a
 * lock_all, and a shared lock of a process that holds others already. Two readers that cross, each
 * with a writer queued behind it, would wait for ever in the queue. Waiters outside are counted in
 * `asked` and `granted`. A writer that comes later waits until they have had their turn.
 *
 * Rule: a process is pressed while another process waits for a lock that it holds. A pressed
 * process waits for holders only. It bypasses writers that only wait, and does not give way to
 * waiters outside. A process that is not pressed bypasses no other, even if it holds locks.
 *
 * Proof: let processes wait for each other in a circle. Each waits either for a lock that the next
 * one holds, or because the next one came earlier and waits too. If one of them waits for a holder,
 * that holder is pressed, so it waits for a holder as well, and so on around the circle. Then each
 * holds the lock that another one waits for, and the program itself is wrong. If none waits for a
 * holder, each came later than the next one, and no circle is so.
 *
 * Two limits to what a process knows. Another thread of it may hold a lock that it can give back
 * only after this thread's call returns. So locks of other threads count as well, but only after a
 * second: threads that do not depend on each other should not bypass other processes for each
 * other's sake. An origin of another node tells that it holds locks, but not whether they have
 * waiters. It counts as pressed after 10 ms of waiting. So does a process that asks for a lock on
 * its node and holds one of a target on another node: it does not see the waiters there.
 *
 * A process looks at its locks only after it has found a lock taken. So taking a lock and giving it
 * back count nothing. The answer is read from the epochs of its windows. A lock that is not granted
 * yet, or that NOCHECK has not taken, does not count there.
 */
#ifndef PROA_SYNC_BYPASS_H
#define PROA_SYNC_BYPASS_H

#include "base/hidden.h"
#include "sync/claims.h"

struct proa_lock_request;

/* The process that asks for a lock (sync/lock.h). Called when the lock is not free. */
struct proa_lock_requester {
    int (*holds_any)(
        const struct proa_lock_request *request); /* does it hold any lock, of any window? */
    int (*is_pressed)(struct proa_lock_request *request); /* called by looks */
    /* sets the claim on the lock, or with is_set 0 removes it (sync/claims.h) */
    void (*claim)(struct proa_lock_request *request, enum proa_claim claim, int is_set);
};

/* This process, for the calling thread; and an origin of another node, with request->holds. */
extern PROA_HIDDEN const struct proa_lock_requester proa_lock_requester_self,
    proa_lock_requester_origin;

/* For a writer: have the waiters outside had their turn, or does it bypass them? */
int proa_bypass_of_outside(struct proa_lock_request *request);

/* For a waiter outside: is no writer in its way? Once it has been pressed, a writer that only waits
 * is not. */
int proa_bypass_of_writers(struct proa_lock_request *request);

/* ---- the locks that this process holds ---- */

/* proa_held_watch adds a window, at its creation, to those whose locks count; proa_held_forget
 * removes it, before its memory goes. */
void proa_held_watch(struct proa_win *win);
void proa_held_forget(struct proa_win *win);

/* Does this process hold any lock, of any target of any window? */
int proa_held_any(void);

/* Is there a waiter for a lock that this thread holds; or, with PROA_HOLDER_PROCESS, any thread of
 * this process? A lock counts for the thread that took it, even if another thread will give it
 * back. */
enum proa_holder { PROA_HOLDER_THREAD, PROA_HOLDER_PROCESS };
int proa_held_wanted(enum proa_holder holder);

#endif
