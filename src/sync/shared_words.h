/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words that processes read and count in directly: in the block of their owner, or in that of the
 * window's leader.
 *
 * Only the functions in this file access these words. A process without load and store access to
 * the block sends the owner a message instead of calling such a function.
 */
#ifndef PROA_SYNC_SHARED_WORDS_H
#define PROA_SYNC_SHARED_WORDS_H

#include "sync/peer_failure.h"
#include "base/atomic.h"
#include "window/win.h"

/* ---- counters that processes wait for at a block's barrier doorbell ---- */

/* opened: number of fences of a process that ended no epoch (sync/fence.c); agreed: outcome of a
 * window's creation so far at a process (create/agree.c). The owner sets them, and each neighbour
 * waits for them. arrived, passed: the barrier of an oversubscribed node, at the leader
 * (sync/barrier.c). All count in the first; the last process to arrive sets the second. */

/* Sets such a counter in that block. Releases all that this process did, or acquired, before;
 * partner: proa_shared_reached. */
static inline void proa_shared_set(struct proa_win_ctl *ctl, uint64_t *counter, uint64_t number)
{
    proa_atomic_store(counter, number, PROA_RELEASE);
    proa_doorbell_ring(&ctl->barrier_doorbell);
}

/* Returns once the counter in that block is at least this: PROA_OK, acquires; or an error. The
 * process of rank `from` sets it; from < 0: it depends on all processes. */
static inline int proa_shared_reached(struct proa_win *win, int from, struct proa_win_ctl *ctl,
                                      const uint64_t *counter, uint64_t least)
{
    return proa_await_word(win, from, counter, least, &ctl->barrier_doorbell);
}

/* Counts this process as arrived, and returns the count. Releases all that this process did before;
 * acquires all that the processes counted earlier did before they arrived. */
static inline uint64_t proa_shared_arrive(const struct proa_win *win)
{
    return proa_atomic_fetch_add(&win->leader->arrived, 1, PROA_ACQ_REL) + 1;
}

/* ---- lock_all, and waiters outside of a lock's queue, at the leader (sync/lock.c) ---- */

/* Counts this process among those that hold, or try for, a lock_all. Sequentially consistent: the
 * caller then looks for writers. */
static inline void proa_shared_all_enter(struct proa_all_ctl *all)
{
    proa_atomic_fetch_add(&all->active, 1, PROA_SEQ_CST);
}

/* Changes nothing, once the locks of all targets are broken. A process that was counted before has
 * set its claim before that, and this process sees the claim; one that is counted later sees that
 * the locks are broken. A lock_all stores into no lock, so the breaking alone would not do. */
static inline void proa_shared_all_meet(struct proa_all_ctl *all)
{
    proa_atomic_fetch_add(&all->active, 0, PROA_SEQ_CST);
}

/* Takes that count back. Releases; partner: proa_shared_all_none. */
static inline void proa_shared_all_leave(struct proa_all_ctl *all)
{
    proa_atomic_fetch_sub(&all->active, 1, PROA_SEQ_CST);
    proa_doorbell_ring(&all->bell);
}

/* Is that count 0? Sequentially consistent: the caller has a lock, or asks for one, that processes
 * counted here look at. Acquires all that was done under lock_alls. */
static inline int proa_shared_all_none(const struct proa_all_ctl *all)
{
    return proa_atomic_load(&all->active, PROA_SEQ_CST) == 0;
}

/* proa_shared_outside counts a waiter outside of the queue; proa_shared_granted counts it as
 * granted. is_for_all: it waits for a lock_all, not for a target's lock. Relaxed: the counts only
 * decide whose turn it is. */
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

/* Does a lock_all wait? The answer may be old: a process that asks while it waits asks again. */
static inline int proa_shared_all_waits(const struct proa_all_ctl *all)
{
    return proa_atomic_load(&all->waiting_alls, PROA_RELAXED) != 0;
}

/* The number of waiters ever counted outside; and have at least so many been granted? */
static inline uint32_t proa_shared_asked(const struct proa_all_ctl *all)
{
    return proa_atomic_load(&all->asked, PROA_RELAXED);
}

static inline int proa_shared_are_granted(const struct proa_all_ctl *all, uint32_t asked)
{
    return (int32_t)(proa_atomic_load(&all->granted, PROA_RELAXED) - asked) >= 0;
}

#endif
