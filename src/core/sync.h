/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synchronization: what MPI_Win_fence, start, complete, post, wait, test, lock, unlock, lock_all,
 * unlock_all, flush and sync do once bind has turned their arguments into ours. Each returns
 * PROA_OK, or PROA_ERR_RMA_SYNC (proa_failure() says what is wrong) having done nothing.
 *
 * A window has a table of these functions, set when it is made:
 *
 *   proa_sync_node      one node, processes of one thread: fence.c, pscw.c, passive.c, barrier.c
 *   proa_sync_threads   one node, several threads, or a process that has windows over several nodes
 *   proa_sync_remote    several nodes: remote_sync.c, remote_lock.c
 */
#ifndef PROA_CORE_SYNC_H
#define PROA_CORE_SYNC_H

#include "base/calls.h"
#include "base/hidden.h"
#include "core/settle.h"

/* Assertions (MPI-4.1, 13.5.5); MPI's own values differ from host to host. */
enum {
    PROA_MODE_NOCHECK = 1,
    PROA_MODE_NOSTORE = 2,
    PROA_MODE_NOPUT = 4,
    PROA_MODE_NOPRECEDE = 8,
    PROA_MODE_NOSUCCEED = 16
};

struct proa_sync_ops {
    int (*fence)(struct proa_win *win, int mode);
    int (*start)(struct proa_win *win, const int *ranks, int count, int mode);
    int (*post)(struct proa_win *win, const int *ranks, int count);
    int (*complete)(struct proa_win *win);
    int (*wait)(struct proa_win *win);
    int (*test)(struct proa_win *win, int *flag);
    /* the first operation to a target of the group: waits for its post */
    int (*await_post)(struct proa_win *win, int target);

    int (*lock)(struct proa_win *win, int target, int exclusive, int mode);
    int (*unlock)(struct proa_win *win, int target);
    int (*lock_all)(struct proa_win *win, int mode);
    int (*unlock_all)(struct proa_win *win);
    int (*flush)(struct proa_win *win, int target);
    int (*flush_local)(struct proa_win *win, int target);
    /* core/settle.h, of a lock epoch; target < 0: all */
    int (*settle)(struct proa_win *win, int target, enum proa_settled how);

    /* core/barrier.h */
    int (*barrier)(struct proa_win *win);
    int (*disseminate)(struct proa_win *win, uint64_t number);
    /* The word of that number (core/tell.h) that the process of rank `from` tells us; NULL: there
     * is none yet. */
    uint64_t *(*word)(const struct proa_win *win, int from, int word);
};

extern PROA_HIDDEN const struct proa_sync_ops proa_sync_node, proa_sync_threads, proa_sync_remote;

/* All windows of one node in this process have proa_sync_threads from now on: one of its windows
 * has come to span nodes. */
void proa_sync_generally(void);

/* Collective over the window. A barrier, unless mode has NOPRECEDE: with NOSUCCEED as well it does
 * nothing, without it may return before the others call theirs, and first operations wait
 * (proa_fence_await). */
static inline int proa_win_fence(struct proa_win *win, int mode)
{
    return win->sync->fence(win, mode);
}

/* ranks: count ranks in the window's group, copied. Neither call waits for another process. */
static inline int proa_win_start(struct proa_win *win, const int *ranks, int count, int mode)
{
    return win->sync->start(win, ranks, count, mode);
}

/* NOCHECK, NOSTORE and NOPUT allow nothing to be skipped that would not cost more to tell. */
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

/* *flag: 1 and the exposure epoch is over, or 0 and nothing has changed. */
static inline int proa_win_test(struct proa_win *win, int *flag)
{
    return win->sync->test(win, flag);
}

/* For the first operation to a target whose epoch says PROA_EPOCH_AWAITED. After a start: waits for
 * the target's post (figure 11.2 of MPI-2.2: weak synchronization); after a fence that ended
 * nothing, which only windows of one node have: for the target's own. */
int proa_fence_await(struct proa_win *win, int target);

static inline int proa_target_await(struct proa_win *win, int target)
{
    return win->started ? win->sync->await_post(win, target) : proa_fence_await(win, target);
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

/* On one node operations are done when they return; a flush makes them visible before anything that
 * follows. A flush of one target returns PROA_FLUSHED_GENERALLY in place of PROA_OK where it may
 * have waited, or several threads may flush at once: the caller that counts it need not ask. */
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
void proa_win_sync(struct proa_win *win);

/* May the window be freed now? PROA_ERR_RMA_SYNC: an epoch is open, or operations were issued since
 * the last fence. */
int proa_win_may_free(const struct proa_win *win);

/* For start, post, lock and free: a fence epoch that had no operation was none (MPI-4.1, 13.5.1),
 * and is over. PROA_ERR_RMA_SYNC if it had. */
int proa_fence_epoch_end(struct proa_win *win, enum proa_call call);

#endif
