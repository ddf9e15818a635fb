/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronization: what MPI_Win_fence, start, complete, post, wait, test, lock, unlock, lock_all,
 * unlock_all, flush and sync do once bind has turned their arguments into ours. Each returns
 * PROA_OK, or PROA_ERR_RMA_SYNC (proa_failure() says what is wrong) having done nothing.
 */
#ifndef PROA_CORE_SYNC_H
#define PROA_CORE_SYNC_H

#include "base/calls.h"
#include "core/epoch.h"

/* Assertions (MPI-4.1, 13.5.5); MPI's own values differ from host to host. */
enum {
    PROA_MODE_NOCHECK = 1,
    PROA_MODE_NOSTORE = 2,
    PROA_MODE_NOPUT = 4,
    PROA_MODE_NOPRECEDE = 8,
    PROA_MODE_NOSUCCEED = 16
};

/* Collective over the window. A barrier, unless mode has NOPRECEDE: with NOSUCCEED as well it does
 * nothing, without it may return before the others call theirs, and first operations wait
 * (proa_fence_await). */
int proa_win_fence(struct proa_win *win, int mode) PROA_HOT;

/* ranks: count ranks in the window's group, copied. Neither call waits for anybody. */
int proa_win_start(struct proa_win *win, const int *ranks, int count, int mode) PROA_HOT;
int proa_win_post(struct proa_win *win, const int *ranks, int count, int mode) PROA_HOT;
int proa_win_complete(struct proa_win *win) PROA_HOT;
int proa_win_wait(struct proa_win *win) PROA_HOT;
/* *flag: 1 and the exposure epoch is over, or 0 and nothing has changed. */
int proa_win_test(struct proa_win *win, int *flag);

/* For the first operation to a target whose epoch says PROA_EPOCH_AWAITED. After a start: waits for
 * the target's post (figure 11.2 of MPI-2.2: weak synchronization); after a fence that ended
 * nothing: for the target's own. */
int proa_start_await(struct proa_win *win, int target);
int proa_fence_await(struct proa_win *win, int target);

static inline int proa_target_await(struct proa_win *win, int target)
{
    return win->started ? proa_start_await(win, target) : proa_fence_await(win, target);
}

int proa_win_lock(struct proa_win *win, int target, int exclusive, int mode);
int proa_win_unlock(struct proa_win *win, int target);
int proa_win_lock_all(struct proa_win *win, int mode);
int proa_win_unlock_all(struct proa_win *win);

/* On one node operations are done when they return; a flush makes them visible before anything that
 * follows. A flush of one target returns PROA_FLUSHED_GENERALLY in place of PROA_OK where it may
 * have waited, or several threads may flush at once: so whoever counts them need not ask. */
enum { PROA_FLUSHED_GENERALLY = 1 };
int proa_win_flush(struct proa_win *win, int target);
int proa_win_flush_local(struct proa_win *win, int target);
int proa_win_flush_all(struct proa_win *win);
int proa_win_flush_local_all(struct proa_win *win);
void proa_win_sync(struct proa_win *win);

/* May the window be freed now? PROA_ERR_RMA_SYNC: an epoch is open, or operations were issued since
 * the last fence. */
int proa_win_may_free(const struct proa_win *win);

/* For start, post, lock and free: a fence epoch that had no operation was none (MPI-4.1, 13.5.1),
 * and is over. PROA_ERR_RMA_SYNC if it had. */
int proa_fence_epoch_end(struct proa_win *win, enum proa_call call);

#endif
