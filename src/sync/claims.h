/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claims: which process of this node has which lock of a window, so that locks outlive the death of
 * a process.
 *
 * The words of a lock (sync/rwlock.h, struct proa_all_ctl) count holders and do not name them, so
 * they do not tell which locks a dead process had. So each process writes the locks that it holds
 * into its own block: a claim is set before the atomic that takes the lock, removed before the one
 * that gives it back. Only a death makes the claims be read. Then the locks of the window on this
 * node are broken: a bit in each word (PROA_RW_BROKEN) makes every later try for it fail. From then
 * on a lock is granted where the claims of the living allow it, and claimed under the window's
 * turn, which only one process has at a time, and which is taken over from a dead one.
 *
 * Why no holder is missed: a try that has taken a lock by its word has done so before the word was
 * broken, and its claim was there before that. A process reads claims only after it has broken the
 * words, or has seen them broken. A lock that was granted by its queue is claimed after that, and
 * so confirmed: if its word is broken by then, it is given back, and asked for again. A claim of a
 * try that fails is seen as a lock for an instant, at the worst, and looked at once more.
 *
 * Broken locks are not fair: when one is given back, the first process to look has it next. A
 * writer never keeps readers out that come later, so no circle can come of it that the program
 * itself does not make.
 */
#ifndef PROA_SYNC_CLAIMS_H
#define PROA_SYNC_CLAIMS_H

#include "window/win.h"

enum proa_claim { PROA_CLAIM_NONE, PROA_CLAIM_SHARED, PROA_CLAIM_EXCLUSIVE };

/* The calling process has, or tries for, such a lock on the neighbour of that slot; or none any
 * more. Before the atomic to its word that takes it or gives it back. Releases what was done under
 * the lock. */
static inline void proa_claim(struct proa_win *win, int slot, enum proa_claim claim)
{
    __atomic_store_n(&win->claims[slot], (uint8_t)claim, __ATOMIC_RELEASE);
}

/* The same of a lock_all. */
static inline void proa_claim_all(struct proa_win *win, int yes)
{
    __atomic_store_n(&win->ctl->claims_all, (uint32_t)yes, __ATOMIC_RELEASE);
}

/* The same of a lock on this process's own part, for an origin on another node: one more, 1, or one
 * less, -1. Inside the agent. */
static inline void proa_claim_served(struct proa_win *win, enum proa_claim claim, int change)
{
    __atomic_fetch_add(&win->ctl->served[claim], (uint32_t)change, __ATOMIC_SEQ_CST);
}

/* A neighbour is gone: breaks all locks of the window on this node, and wakes the waiters. */
void proa_claims_break(struct proa_win *win);

/* Are those of the neighbours broken, or some of them? */
int proa_claims_are_broken(const struct proa_win *win);

/* Do the present claims of the living allow such a lock? target < 0: on all, for a lock_all. */
int proa_claims_allow(const struct proa_win *win, int target, enum proa_claim wanted);

/* The turn, in which claims are looked at and set: 1, it is ours until it is given back; or 0. */
int proa_claims_take_turn(const struct proa_win *win);
void proa_claims_give_turn(const struct proa_win *win);

#endif
