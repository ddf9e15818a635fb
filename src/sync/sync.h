/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronization: MPI_Win_fence, start, complete, post, wait, test, lock, unlock, lock_all,
 * unlock_all, flush and sync, after bind has converted their arguments. Each returns PROA_OK, or
 * PROA_ERR_RMA_SYNC without effect; proa_failure() then has the reason.
 */
#ifndef PROA_SYNC_SYNC_H
#define PROA_SYNC_SYNC_H

#include "base/calls.h"
#include "window/epoch.h"
#include "window/sync_ops.h"

/* Assertions (MPI-4.1, 13.5.5); MPI's own values differ from host to host. */
enum {
    PROA_MODE_NOCHECK = 1,
    PROA_MODE_NOSTORE = 2,
    PROA_MODE_NOPUT = 4,
    PROA_MODE_NOPRECEDE = 8,
    PROA_MODE_NOSUCCEED = 16
};

/* All windows of one node in this process use the table proa_sync_threads from now on. Called when
 * a window of the process first spans nodes. */
void proa_sync_slow(void);

/* Collective over the window. A barrier, unless mode has NOPRECEDE. With NOPRECEDE and NOSUCCEED it
 * has no effect. With NOPRECEDE alone it may return before other processes call theirs; the first
 * operation on each target then waits (sync/fence.h). */
static inline int proa_win_fence(struct proa_win *win, int mode)
{
    return win->sync->fence(win, mode);
}

/* ranks: `count` ranks in the window's group; they are copied. Neither start nor post waits for
 * another process. */
static inline int proa_win_start(struct proa_win *win, const int *ranks, int count, int mode)
{
    return win->sync->start(win, ranks, count, mode);
}

/* mode: unused, as the steps that NOCHECK, NOSTORE and NOPUT permit to skip cost less than
 * notifying the origins. */
static inline int proa_win_post(struct proa_win *win, const int *ranks, int count, int mode)
{
    (void)mode;
    return win->sync->post(win, ranks, count);
}

static inline int proa_win_complete(struct proa_win *win)
{
    return win->sync->complete(win);
}

static inline int proa_win_wait(struct proa_win *win)
{
    return win->sync->wait(win);
}

/* *flag: 1 if the exposure epoch has ended, 0 if the call had no effect. */
static inline int proa_win_test(struct proa_win *win, int *flag)
{
    return win->sync->test(win, flag);
}

static inline int proa_win_lock(struct proa_win *win, int target, int exclusive, int mode)
{
    return win->sync->lock(win, target, exclusive, mode);
}

static inline int proa_win_unlock(struct proa_win *win, int target)
{
    return win->sync->unlock(win, target);
}

static inline int proa_win_lock_all(struct proa_win *win, int mode)
{
    return win->sync->lock_all(win, mode);
}

static inline int proa_win_unlock_all(struct proa_win *win)
{
    return win->sync->unlock_all(win);
}

/* On one node operations are done when they return; a flush makes them visible before all later
 * actions. A flush of one target returns PROA_FLUSHED_GENERALLY instead of PROA_OK if it may have
 * waited or several threads may flush at once. The caller, which counts the flush, then need not
 * check that itself. */
enum { PROA_FLUSHED_GENERALLY = 1 };

static inline int proa_win_flush(struct proa_win *win, int target)
{
    return win->sync->flush(win, target);
}

static inline int proa_win_flush_local(struct proa_win *win, int target)
{
    return win->sync->flush_local(win, target);
}

int proa_win_flush_all(struct proa_win *win);
int proa_win_flush_local_all(struct proa_win *win);

static inline void proa_win_sync(struct proa_win *win)
{
    win->sync->synchronize(win);
}

/* Checks that the window may be freed now. Returns PROA_OK, or PROA_ERR_RMA_SYNC if an epoch is
 * open or operations were issued since the last fence. */
int proa_win_may_free(const struct proa_win *win);

/* For start, post, lock and free: ends a fence epoch without operations, which was no epoch
 * (MPI-4.1, 13.5.1). Returns PROA_OK, or PROA_ERR_RMA_SYNC if it had operations. */
int proa_fence_epoch_end(struct proa_win *win, enum proa_call call);

#endif
