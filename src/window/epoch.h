/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which epochs are open in a window, here: the one place where that is written.
 *
 * The words are those of struct proa_win (epoch_all, started, exposed, locked, touched) and of
 * struct proa_target (epoch). The synchronization calls write them through the functions below,
 * each named for what it means; the operations only read them. Other threads may read all of them
 * at any time without the mutex (sync/bypass.c, flushes, operations), hence the relaxed atomics.
 */
#ifndef PROA_WINDOW_EPOCH_H
#define PROA_WINDOW_EPOCH_H

#include "window/win.h"
#include "base/atomic.h"

/* Which epoch lets this process access a target. Bits of proa_target.epoch (that target) and
 * proa_win.epoch_all (every target). */
enum {
    PROA_EPOCH_FENCE = 1, /* a fence may have opened one: it has if an operation follows */
    PROA_EPOCH_START = 2,
    PROA_EPOCH_LOCK = 4,      /* MPI_Win_lock or lock_all */
    PROA_EPOCH_EXCLUSIVE = 8, /* the lock is exclusive */
    PROA_EPOCH_NOCHECK = 16,  /* the lock was not taken, and will not be released */
    /* started or fenced, but the target's post or fence has not been seen yet */
    PROA_EPOCH_AWAITED = 32,
    PROA_EPOCH_SOLE = 64, /* started, and we are the only origin that the target has posted to */
    /* as EXCLUSIVE, on a window of ours that is exposed as well: others may work on it
     * (window/strict.h) */
    PROA_EPOCH_WRITER = 128
};

/* Bits of proa_win.touched. */
enum {
    PROA_TOUCH_ISSUED = 1, /* an operation was issued: a fence epoch has begun */
    PROA_TOUCH_STORED = 2  /* by plain stores, which a flush must make visible */
};

/* ---- what is open: PROA_EPOCH_* ---- */

/* For this target alone. */
static inline uint8_t proa_epoch_one(const struct proa_target *target)
{
    return proa_atomic_load(&target->epoch, PROA_RELAXED);
}

/* For every target. */
static inline uint8_t proa_epoch_all(const struct proa_win *win)
{
    return proa_atomic_load(&win->epoch_all, PROA_RELAXED);
}

/* All epochs that let this process access a target; 0: none is open. */
static inline uint8_t proa_epoch_towards(const struct proa_win *win, int rank)
{
    return proa_epoch_one(&win->targets[rank]) | win->epoch_all;
}

/* How many targets are locked by MPI_Win_lock, or are about to be. */
static inline int proa_epoch_locks(const struct proa_win *win)
{
    return proa_atomic_load(&win->locked, PROA_RELAXED);
}

/* PROA_TOUCH_*: the operations since the last fence or flush of any kind. */
static inline uint8_t proa_epoch_touched(const struct proa_win *win)
{
    return proa_atomic_load(&win->touched, PROA_RELAXED);
}

/* ---- for the functions below only ---- */

static inline void proa_epoch_one_set(struct proa_target *target, unsigned bits)
{
    proa_atomic_store(&target->epoch, (uint8_t)bits, PROA_RELAXED);
}

static inline void proa_epoch_all_set(struct proa_win *win, unsigned bits)
{
    proa_atomic_store(&win->epoch_all, (uint8_t)bits, PROA_RELAXED);
}

/* ---- the end of an epoch ---- */

/* Of this target alone: it is completed, its fence has been seen or need not be any more, or its
 * lock is about to be given back. */
static inline void proa_epoch_close_one(struct proa_target *target)
{
    proa_epoch_one_set(target, 0);
}

/* Of every target: no operation has followed a fence, so there was no epoch; or a lock_all is about
 * to be given back. */
static inline void proa_epoch_close_all(struct proa_win *win)
{
    proa_epoch_all_set(win, 0);
}

/* ---- what was done in an epoch ---- */

static inline void proa_touch_store(struct proa_win *win)
{
    proa_atomic_store(&win->touched, PROA_TOUCH_ISSUED | PROA_TOUCH_STORED, PROA_RELAXED);
}

static inline void proa_touch_load(struct proa_win *win)
{
    if (proa_epoch_touched(win) == 0)
        proa_atomic_store(&win->touched, PROA_TOUCH_ISSUED, PROA_RELAXED);
}

/* All that was issued is complete. */
static inline void proa_touch_nothing(struct proa_win *win)
{
    win->touched = 0;
}

/* ---- fence ---- */

/* Every operation so far is complete. opens: the operations that follow are in an epoch that this
 * fence has begun. */
static inline void proa_epoch_pass_fence(struct proa_win *win, int opens)
{
    proa_touch_nothing(win);
    proa_epoch_all_set(win, opens ? PROA_EPOCH_FENCE : 0);
}

/* After a fence that ended nothing: the target's own fence has not been seen yet. */
static inline void proa_epoch_await_fence(struct proa_target *target)
{
    proa_epoch_one_set(target, PROA_EPOCH_AWAITED);
}

/* ---- start and complete ---- */

/* One target of the group. awaited: its post has to be seen before the first operation. */
static inline void proa_epoch_start_target(struct proa_target *target, int awaited)
{
    proa_epoch_one_set(target, PROA_EPOCH_START | (awaited ? PROA_EPOCH_AWAITED : 0));
}

/* Its post has been seen. sole: it was to us only. */
static inline void proa_epoch_seen_post(struct proa_target *target, int sole)
{
    proa_epoch_one_set(target, PROA_EPOCH_START | (sole ? PROA_EPOCH_SOLE : 0));
}

/* Around all targets of the group. */
static inline void proa_epoch_open_start(struct proa_win *win)
{
    win->started = 1;
}

static inline void proa_epoch_close_start(struct proa_win *win)
{
    win->started = 0;
    proa_touch_nothing(win);
}

/* ---- post and wait ---- */

/* A lock that this process may hold on itself excludes other processes no longer: they may work on
 * the window as well (window/strict.h). */
static inline void proa_epoch_open_exposure(struct proa_win *win)
{
    struct proa_target *self = &win->targets[win->rank];
    uint8_t epoch = proa_epoch_one(self);

    if (epoch & PROA_EPOCH_EXCLUSIVE)
        proa_epoch_one_set(self, epoch ^ (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_WRITER));
    win->exposed = 1;
}

static inline void proa_epoch_close_exposure(struct proa_win *win)
{
    win->exposed = 0;
}

/* ---- lock and unlock ---- */

/* Under the mutex, before the lock is asked for. */
static inline void proa_epoch_before_lock(struct proa_win *win)
{
    proa_atomic_store(&win->locked, win->locked + 1, PROA_RELAXED);
}

/* The bits of the epoch that such a lock will open; to be asked under the mutex. */
static inline uint8_t proa_epoch_of_lock(const struct proa_win *win, int rank, int exclusive,
                                         int nocheck)
{
    /* not alone: an origin that was posted to may work on it */
    int exposed = win->exposed && rank == win->rank;

    return (uint8_t)(PROA_EPOCH_LOCK | (nocheck ? PROA_EPOCH_NOCHECK : 0) |
                     (exclusive ? (exposed ? PROA_EPOCH_WRITER : PROA_EPOCH_EXCLUSIVE) : 0));
}

/* The lock is ours: taken, or not looked at (NOCHECK). */
static inline void proa_epoch_open_lock(struct proa_target *target, uint8_t epoch)
{
    proa_epoch_one_set(target, epoch);
}

/* A window over several nodes counts the locks that it has taken: its targets are many. By any
 * thread. */
static inline void proa_epoch_count_taken(struct proa_win *win, int change)
{
    proa_atomic_fetch_add(&win->taken, change, PROA_RELAXED);
}

static inline int proa_epoch_taken(const struct proa_win *win)
{
    return proa_atomic_load(&win->taken, PROA_RELAXED);
}

/* Under the mutex, once it has been given back. Another thread may just have touched the window
 * again. */
static inline void proa_epoch_after_lock(struct proa_win *win)
{
    proa_atomic_store(&win->locked, win->locked - 1, PROA_RELAXED);
    if (win->locked == 0 && !win->threads)
        proa_touch_nothing(win);
}

static inline void proa_epoch_open_lock_all(struct proa_win *win, int nocheck)
{
    proa_epoch_all_set(win, PROA_EPOCH_LOCK | (nocheck ? PROA_EPOCH_NOCHECK : 0));
}

#endif
