/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claims record which process of this node has which lock of a window, so that the locks stay
 * usable after the death of a process.
 *
 * The words of a lock (sync/rwlock.h, struct proa_all_ctl) count holders and do not name them, so
 * they do not tell which locks a dead process had. So each process writes the locks that it holds
 * into its own block: a claim is set before the atomic that takes the lock, removed before the one
 * that gives it back. Claims are read only after a death. Then the locks of the window on this node
 * are broken: a bit in each word (PROA_RW_BROKEN) makes every later try for it fail. From then on a
 * lock is granted where the claims of the living allow it, and claimed under the window's turn.
 * Only one process has the turn at a time; if it dies, another process takes the turn over.
 *
 * Why no holder is missed: a try that has taken a lock by its word did so before the word was
 * broken, and its claim was set before that. A process reads claims only after it has broken the
 * words, or has seen them broken. A lock_all stores into no such word; its own word, the count of
 * lock_alls, is what the breaking process meets it in. A lock that was granted by its queue is
 * claimed after that, and so confirmed: if its word is broken by then, it is given back, and asked
 * for again. The claim of a try that fails is at worst read as a lock for an instant; the reader
 * then looks again.
 *
 * Broken locks are not fair: when one is given back, the first process to look has it next. A
 * waiting writer never keeps later readers out. So processes wait for each other in a circle only
 * if the program itself makes that circle.
 */
#ifndef PROA_SYNC_CLAIMS_H
#define PROA_SYNC_CLAIMS_H

#include "window/win.h"
#include "base/atomic.h"

enum proa_claim { PROA_CLAIM_NONE, PROA_CLAIM_SHARED, PROA_CLAIM_EXCLUSIVE };

/* Records that the calling process has, or tries for, such a lock on the neighbour of that slot;
 * or, with PROA_CLAIM_NONE, that it no longer does. Called before the atomic on the lock's word
 * that takes the lock or gives it back. Releases what was done under the lock. */
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
 * change: 1, one more; -1, one less. Called inside the progress engine. */
static inline void proa_claim_served(struct proa_win *win, enum proa_claim claim, int change)
{
    proa_atomic_fetch_add(&win->ctl->served[claim], (uint32_t)change, PROA_RELEASE);
}

/* A neighbour is gone: breaks all locks of the window on this node, and wakes the waiters. */
void proa_claims_break(struct proa_win *win);

/* Are the locks of the neighbours broken, or some of them? */
int proa_claims_are_broken(const struct proa_win *win);

/* Do the present claims of living processes allow such a lock? target < 0: on all, for a
 * lock_all. */
int proa_claims_allow(const struct proa_win *win, int target, enum proa_claim wanted);

/* Takes the turn, under which claims are read and set: 1, this process has it until it gives it
 * back; or 0. */
int proa_claims_take_turn(const struct proa_win *win);
/* Does no living process have it? */
int proa_claims_turn_is_free(const struct proa_win *win);
void proa_claims_give_turn(const struct proa_win *win);

#endif
