/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words that processes read and count up directly, in the block of their owner or of the window's
 * leader.
 *
 * Only the functions in this file access these words. A process without load and store access to
 * the block sends the owner a message instead of calling such a function.
 */
#ifndef PROA_SYNC_SHARED_WORDS_H
#define PROA_SYNC_SHARED_WORDS_H

#include "sync/peer_failure.h"
#include "base/atomic.h"
#include "window/win.h"

/* ---- counters that processes await on a block's barrier doorbell ---- */

/* opened: number of fences of a process that ended no epoch (sync/fence.c); agreed: result of a
 * window's creation so far at a process (create/agree.c). The owner sets them, and each neighbour
 * waits for them. arrived, passed: the barrier of an oversubscribed node, in the leader's block
 * (sync/barrier.c). All processes count up the first; the last one to arrive sets the second. */

/* Sets such a counter in that block. Releases all earlier actions and acquires of this process;
 * partner: proa_shared_reached. */
static inline void proa_shared_set(struct proa_win_ctl *ctl, uint64_t *counter, uint64_t number)
{
    proa_atomic_store(counter, number, PROA_RELEASE);
    proa_doorbell_ring(&ctl->barrier_doorbell);
}

/* Waits until the counter in that block is at least `least`. from: rank of the process that sets
 * it, or < 0 if it depends on all processes. Returns PROA_OK and acquires, or an error. */
static inline int proa_shared_reached(struct proa_win *win, int from, struct proa_win_ctl *ctl,
                                      const uint64_t *counter, uint64_t least)
{
    return proa_await_word(win, from, counter, least, &ctl->barrier_doorbell);
}

/* Counts this process as arrived, and returns the count. Releases all earlier actions of this
 * process; acquires those of the processes that arrived before. */
static inline uint64_t proa_shared_arrive(const struct proa_win *win)
{
    return proa_atomic_fetch_add(&win->leader->arrived, 1, PROA_ACQ_REL) + 1;
}

/* ---- lock_all, and waiters outside a lock's queue, at the leader (sync/lock.c) ---- */

/* Counts this process among those that hold or try to acquire a lock_all. Sequentially consistent:
 * the caller then checks for writers. */
static inline void proa_shared_all_enter(struct proa_all_ctl *all)
{
    proa_atomic_fetch_add(&all->active, 1, PROA_SEQ_CST);
}

/* Synchronizes with lock_alls after the locks of all targets were broken; adds 0 to the count. If a
 * process was counted before, this process sees its claim; if it is counted later, it sees that the
 * locks are broken. A lock_all stores into no lock, so breaking alone would not suffice. */
static inline void proa_shared_all_meet(struct proa_all_ctl *all)
{
    proa_atomic_fetch_add(&all->active, 0, PROA_SEQ_CST);
}

/* Withdraws that count. Releases; partner: proa_shared_all_none. */
static inline void proa_shared_all_leave(struct proa_all_ctl *all)
{
    proa_atomic_fetch_sub(&all->active, 1, PROA_SEQ_CST);
    proa_doorbell_ring(&all->bell);
}

/* Returns whether that count is 0. Sequentially consistent: the caller holds or requests a lock
 * that processes counted here check. Acquires all actions under lock_alls. */
static inline int proa_shared_all_none(const struct proa_all_ctl *all)
{
    return proa_atomic_load(&all->active, PROA_SEQ_CST) == 0;
}

/* proa_shared_outside counts a waiter outside the queue; proa_shared_granted counts it as granted.
 * is_for_all: 1 if it waits for a lock_all, 0 for a target's lock. Relaxed, as the counts only
 * determine the order. */
static inline void proa_shared_outside(struct proa_all_ctl *all, int is_for_all)
{
    if (is_for_all)
        proa_atomic_fetch_add(&all->waiting_alls, 1, PROA_RELAXED);
    proa_atomic_fetch_add(&all->asked, 1, PROA_RELAXED);
}

static inline void proa_shared_granted(struct proa_all_ctl *all, int is_for_all)
{
    if (is_for_all)
        proa_atomic_fetch_sub(&all->waiting_alls, 1, PROA_RELAXED);
    proa_atomic_fetch_add(&all->granted, 1, PROA_RELAXED);
    proa_doorbell_ring(&all->bell);
}

/* Returns whether a lock_all waits. The result may be stale; a waiting process checks again. */
static inline int proa_shared_all_waits(const struct proa_all_ctl *all)
{
    return proa_atomic_load(&all->waiting_alls, PROA_RELAXED) != 0;
}

/* Return the number of waiters ever counted outside, and whether at least `asked` of them were
 * granted. */
static inline uint32_t proa_shared_asked(const struct proa_all_ctl *all)
{
    return proa_atomic_load(&all->asked, PROA_RELAXED);
}

static inline int proa_shared_are_granted(const struct proa_all_ctl *all, uint32_t asked)
{
    return (int32_t)(proa_atomic_load(&all->granted, PROA_RELAXED) - asked) >= 0;
}

#endif
