/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open epochs of a window in this process. Only this file writes them.
 *
 * The words are those of struct proa_win (epoch_all, started, exposed, locked, touched) and of
 * struct proa_target (epoch). The synchronization calls write them through the functions below; the
 * operations only read them. Other threads may read all of them at any time without the mutex
 * (sync/bypass.c, flushes, operations), hence the relaxed atomics.
 */
#ifndef PROA_WINDOW_EPOCH_H
#define PROA_WINDOW_EPOCH_H

#include "window/win.h"
#include "base/atomic.h"

/* The epochs that let this process access a target. Bits of proa_target.epoch (one target) and
 * proa_win.epoch_all (all targets). */
enum {
    PROA_EPOCH_FENCE = 1, /* a fence may have opened an epoch; it has if an operation follows */
    PROA_EPOCH_START = 2,
    PROA_EPOCH_LOCK = 4,      /* MPI_Win_lock or lock_all */
    PROA_EPOCH_EXCLUSIVE = 8, /* the lock is exclusive */
    PROA_EPOCH_NOCHECK = 16,  /* the lock was not taken, and will not be released */
    /* started or fenced, but the target's post or fence has not arrived yet */
    PROA_EPOCH_AWAITED = 32,
    PROA_EPOCH_SOLE = 64, /* started, and we are the only origin that the target has posted to */
    /* as EXCLUSIVE, on our own window while it is exposed: others may access it
     * (window/strict.h) */
    PROA_EPOCH_WRITER = 128
};

/* Bits of proa_win.touched. */
enum {
    PROA_TOUCH_ISSUED = 1, /* an operation was issued: a fence epoch has begun */
    PROA_TOUCH_STORED = 2  /* operations issued plain stores, which a flush must make visible */
};

/* ---- the open epochs: PROA_EPOCH_* ---- */

/* Returns the epochs of this target alone. */
static inline uint8_t proa_epoch_one(const struct proa_target *target)
{
    return proa_atomic_load(&target->epoch, PROA_RELAXED);
}

/* Returns the epochs of all targets. */
static inline uint8_t proa_epoch_all(const struct proa_win *win)
{
    return proa_atomic_load(&win->epoch_all, PROA_RELAXED);
}

/* Returns all epochs that let this process access a target; 0 if none is open. */
static inline uint8_t proa_epoch_towards(const struct proa_win *win, int rank)
{
    return proa_epoch_one(&win->targets[rank]) | win->epoch_all;
}

/* Returns the number of targets locked, or about to be locked, by MPI_Win_lock. */
static inline int proa_epoch_locks(const struct proa_win *win)
{
    return proa_atomic_load(&win->locked, PROA_RELAXED);
}

/* Returns PROA_TOUCH_* for the operations since the last fence or flush of any kind. */
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

/* Closes the epoch of this target alone: it is completed, its fence has arrived or is not awaited
 * any more, or its lock is about to be released. */
static inline void proa_epoch_close_one(struct proa_target *target)
{
    proa_epoch_one_set(target, 0);
}

/* Closes the epoch of all targets: no operation followed a fence, so there was no epoch, or a
 * lock_all is about to be released. */
static inline void proa_epoch_close_all(struct proa_win *win)
{
    proa_epoch_all_set(win, 0);
}

/* ---- operations in an epoch ---- */

static inline void proa_touch_store(struct proa_win *win)
{
    proa_atomic_store(&win->touched, PROA_TOUCH_ISSUED | PROA_TOUCH_STORED, PROA_RELAXED);
}

static inline void proa_touch_load(struct proa_win *win)
{
    if (proa_epoch_touched(win) == 0)
        proa_atomic_store(&win->touched, PROA_TOUCH_ISSUED, PROA_RELAXED);
}

/* All issued operations are complete. */
static inline void proa_touch_nothing(struct proa_win *win)
{
    win->touched = 0;
}

/* ---- fence ---- */

/* All operations so far are complete. opens: 1 if this fence opens an epoch for the following
 * operations. */
static inline void proa_epoch_pass_fence(struct proa_win *win, int opens)
{
    proa_touch_nothing(win);
    proa_epoch_all_set(win, opens ? PROA_EPOCH_FENCE : 0);
}

/* After a fence that ended no epoch: the target's own fence has not arrived yet. */
static inline void proa_epoch_await_fence(struct proa_target *target)
{
    proa_epoch_one_set(target, PROA_EPOCH_AWAITED);
}

/* ---- start and complete ---- */

/* Opens the epoch for one target of the group. awaited: 1 if its post must arrive before the first
 * operation. */
static inline void proa_epoch_start_target(struct proa_target *target, int awaited)
{
    proa_epoch_one_set(target, PROA_EPOCH_START | (awaited ? PROA_EPOCH_AWAITED : 0));
}

/* The target's post has arrived. sole: 1 if it was to us only. */
static inline void proa_epoch_seen_post(struct proa_target *target, int sole)
{
    proa_epoch_one_set(target, PROA_EPOCH_START | (sole ? PROA_EPOCH_SOLE : 0));
}

/* Opens and closes the epoch for all targets of the group. */
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

/* Opens the exposure. A lock that this process may hold on itself no longer excludes other
 * processes, which may access the window as well (window/strict.h). */
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

/* Called under the mutex, before the lock is requested. */
static inline void proa_epoch_before_lock(struct proa_win *win)
{
    proa_atomic_store(&win->locked, win->locked + 1, PROA_RELAXED);
}

/* Returns the bits of the epoch that such a lock will open. Called under the mutex. */
static inline uint8_t proa_epoch_of_lock(const struct proa_win *win, int rank, int exclusive,
                                         int nocheck)
{
    /* not exclusive: an origin that was posted to may access it */
    int exposed = win->exposed && rank == win->rank;

    return (uint8_t)(PROA_EPOCH_LOCK | (nocheck ? PROA_EPOCH_NOCHECK : 0) |
                     (exclusive ? (exposed ? PROA_EPOCH_WRITER : PROA_EPOCH_EXCLUSIVE) : 0));
}

/* Opens the lock epoch: the lock was acquired, or skipped (NOCHECK). */
static inline void proa_epoch_open_lock(struct proa_target *target, uint8_t epoch)
{
    proa_epoch_one_set(target, epoch);
}

/* Counts the acquired locks of a window over several nodes, as it has many targets. Callable from
 * any thread. */
static inline void proa_epoch_count_taken(struct proa_win *win, int change)
{
    proa_atomic_fetch_add(&win->taken, change, PROA_RELAXED);
}

static inline int proa_epoch_taken(const struct proa_win *win)
{
    return proa_atomic_load(&win->taken, PROA_RELAXED);
}

/* Called under the mutex, after the lock was released. Another thread may already have issued
 * operations again. */
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
