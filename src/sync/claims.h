/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claims record which process of this node has which lock of a window, so that the locks stay
 * usable after the death of a process.
 *
 * The words of a lock (sync/rwlock.h, struct proa_all_ctl) count holders but do not name them, so
 * they do not show the locks of a dead process. So each process records the locks that it holds in
 * its own block. A claim is set before the atomic that takes the lock, and removed before the one
 * that releases it. Claims are read only after a death. Then the locks of the window on this node
 * are broken: a bit in each word (PROA_RW_BROKEN) makes every later try fail. From then on a lock
 * is granted if the claims of the living allow it, and claimed under the window's turn, a lock for
 * changing claims. If the process that has the turn dies, another takes it over.
 *
 * Why no holder is missed: a try that has taken a lock by its word did so before the word was
 * broken, and its claim was set before that. A process reads claims only after it has broken the
 * words, or has seen them broken. A lock_all stores into no such word; the breaking process
 * synchronizes with it through its own word, the count of lock_alls. A lock granted by its queue is
 * claimed only after that, and so confirmed: if its word is broken by then, it is released and
 * requested again. The claim of a try that fails may be read as a lock for an instant; the reader
 * then checks again.
 *
 * Broken locks are not fair: when one is released, the first process to check acquires it. A
 * waiting writer never excludes later readers. So processes wait for each other in a cycle only if
 * the program itself makes that cycle.
 */
#ifndef PROA_SYNC_CLAIMS_H
#define PROA_SYNC_CLAIMS_H

#include "window/win.h"
#include "base/atomic.h"

enum proa_claim { PROA_CLAIM_NONE, PROA_CLAIM_SHARED, PROA_CLAIM_EXCLUSIVE };

/* Records that the calling process holds, or tries to acquire, such a lock on the neighbour of that
 * slot, or with PROA_CLAIM_NONE that it no longer does. Called before the atomic on the lock's word
 * that takes or releases the lock. Releases the accesses made under the lock. */
static inline void proa_claim(struct proa_win *win, int slot, enum proa_claim claim)
{
    proa_atomic_store(&win->claims[slot], (uint8_t)claim, PROA_RELEASE);
}

/* The same for a lock_all. */
static inline void proa_claim_all(struct proa_win *win, int yes)
{
    proa_atomic_store(&win->ctl->claims_all, (uint32_t)yes, PROA_RELEASE);
}

/* The same for a lock on this process's own part of the window, held for an origin on another node.
 * change: 1 for one more, -1 for one less. Called inside the progress engine. */
static inline void proa_claim_served(struct proa_win *win, enum proa_claim claim, int change)
{
    proa_atomic_fetch_add(&win->ctl->served[claim], (uint32_t)change, PROA_RELEASE);
}

/* After the failure of a neighbour: breaks all locks of the window on this node, and wakes the
 * waiters. */
void proa_claims_break(struct proa_win *win);

/* Returns whether locks of the neighbours are broken, at least some. */
int proa_claims_are_broken(const struct proa_win *win);

/* Returns whether the present claims of living processes allow such a lock. target: rank, or < 0
 * for all, for a lock_all. */
int proa_claims_allow(const struct proa_win *win, int target, enum proa_claim wanted);

/* Tries to take the turn, under which claims are read and set. Returns 1 if this process now has
 * it, else 0. */
int proa_claims_take_turn(const struct proa_win *win);
/* Returns whether no living process has the turn. */
int proa_claims_turn_is_free(const struct proa_win *win);
void proa_claims_give_turn(const struct proa_win *win);

#endif
