/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words that processes look at, and count in, where they stand: in the block of their owner, or of
 * the window's leader.
 *
 * Each has its functions here, and is touched nowhere else. For one who has no load and store to
 * the block each of these functions is a question to the owner; those that say so are only for who
 * is the owner, or serves him. The words of a lock are in sync/rwlock.h, in the same way; those of
 * attached regions in rma/regions.c, and those of stripes in rma/guard.c.
 */
#ifndef PROA_SYNC_ASK_H
#define PROA_SYNC_ASK_H

#include "sync/gone.h"
#include "window/win.h"

/* ---- opened: how many fences of a process ended nothing (sync/fence.c) ---- */

/* The owner's: ours have come to this number. Releases our loads and stores before that fence;
 * partner: proa_ask_opened. */
static inline void proa_opened(struct proa_win *win, uint64_t number)
{
    __atomic_store_n(&win->ctl->opened, number, __ATOMIC_RELEASE);
    proa_bell_ring(&win->ctl->barrier_bell);
}

/* Returns once those of the target have come to at least this number: PROA_OK, acquires; or it is
 * gone. */
static inline int proa_ask_opened(struct proa_win *win, int target, uint64_t least)
{
    struct proa_win_ctl *ctl = win->targets[target].ctl;

    return proa_hear_word(win, target, &ctl->opened, least, &ctl->barrier_bell);
}

/* ---- agreed: how creation goes for a process (create/create.c) ---- */

/* The owner's: releases what we have made ready; partner: proa_ask_agreed. */
static inline void proa_agreed(struct proa_win *win, uint64_t number)
{
    __atomic_store_n(&win->ctl->agreed, number, __ATOMIC_RELEASE);
    proa_bell_ring(&win->ctl->barrier_bell);
}

/* Returns once the target's number is at least *number, and stores it there: PROA_OK, acquires; or
 * the target is gone. */
static inline int proa_ask_agreed(struct proa_win *win, int target, uint64_t *number)
{
    struct proa_win_ctl *ctl = win->targets[target].ctl;
    int error = proa_hear_word(win, target, &ctl->agreed, *number, &ctl->barrier_bell);

    *number = __atomic_load_n(&ctl->agreed, __ATOMIC_ACQUIRE);
    return error;
}

/* ---- arrived, passed: the crowded barrier, at the leader (sync/barrier.c) ---- */

/* We have arrived: the how manieth? Releases what we did before, and acquires what those did who
 * have arrived already. */
static inline uint64_t proa_ask_arrive(const struct proa_win *win)
{
    return __atomic_fetch_add(&win->leader->arrived, 1, __ATOMIC_ACQ_REL) + 1;
}

/* We were the last. Releases what all did before; partner: proa_ask_passed. */
static inline void proa_ask_pass(const struct proa_win *win, uint64_t number)
{
    __atomic_store_n(&win->leader->passed, number, __ATOMIC_RELEASE);
    proa_bell_ring(&win->leader->barrier_bell);
}

/* Returns once the barrier of that number has been passed: PROA_OK, acquires; or one is gone. */
static inline int proa_ask_passed(struct proa_win *win, uint64_t number)
{
    return proa_hear_word(win, -1, &win->leader->passed, number, &win->leader->barrier_bell);
}

/* The same at the leader, where others arrive: so many have. */
static inline int proa_ask_arrived(struct proa_win *win, uint64_t least)
{
    return proa_hear_word(win, -1, &win->ctl->arrived, least, &win->ctl->barrier_bell);
}

/* ---- lock_all, and those who wait outside of a lock's queue, at the leader (sync/lock.c) ---- */

/* We hold, or try for, a lock_all. Sequentially consistent: the caller goes on to look for
 * writers. */
static inline void proa_ask_all_enter(struct proa_all_ctl *all)
{
    __atomic_fetch_add(&all->active, 1, __ATOMIC_SEQ_CST);
}

/* No more. Releases; partner: proa_ask_all_none. */
static inline void proa_ask_all_leave(struct proa_all_ctl *all)
{
    __atomic_fetch_sub(&all->active, 1, __ATOMIC_SEQ_CST);
    proa_bell_ring(&all->bell);
}

/* Does nobody? Sequentially consistent: the caller has a lock, or asks for one, that others look
 * at. Acquires what was done under lock_alls. */
static inline int proa_ask_all_none(const struct proa_all_ctl *all)
{
    return __atomic_load_n(&all->active, __ATOMIC_SEQ_CST) == 0;
}

/* We wait outside; and have got what we wait for. */
static inline void proa_ask_outside(struct proa_all_ctl *all)
{
    __atomic_fetch_add(&all->asked, 1, __ATOMIC_SEQ_CST);
}

static inline void proa_ask_granted(struct proa_all_ctl *all)
{
    __atomic_fetch_add(&all->granted, 1, __ATOMIC_SEQ_CST);
    proa_bell_ring(&all->bell);
}

/* How many have begun to wait outside, ever; and have these, or as many, got what they wait for? */
static inline uint32_t proa_ask_asked(const struct proa_all_ctl *all)
{
    return __atomic_load_n(&all->asked, __ATOMIC_RELAXED);
}

static inline int proa_ask_are_granted(const struct proa_all_ctl *all, uint32_t asked)
{
    return (int32_t)(__atomic_load_n(&all->granted, __ATOMIC_RELAXED) - asked) >= 0;
}

#endif
