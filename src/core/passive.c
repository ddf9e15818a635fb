/* SPDX-License-Identifier: BSD-3-Clause */
/* Passive target synchronization: lock, unlock, lock_all, unlock_all, flush, sync (MPI-4.1, 13.5.3
 * and 13.5.4). */
#include "base/fail.h"
#include "core/lock.h"
#include "core/settle.h"
#include "core/strict.h"
#include "core/sync.h"

static struct proa_all_ctl *all_of(const struct proa_win *win)
{
    return &win->leader->all;
}

/* ---- lock and unlock ---- */

static int lock_check(struct proa_win *win, int target)
{
    enum proa_call call = target < 0 ? PROA_CALL_Win_lock_all : PROA_CALL_Win_lock;
    int error = PROA_OK;

    if (win->epoch_all & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "the window is in a lock_all epoch of this process already");
    if (target >= 0 && win->targets[target].epoch & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is locked by this process already",
                         target);
    if (win->started)
        return proa_fail(PROA_ERR_RMA_SYNC, "an access epoch is open: MPI_Win_complete first");
    if (win->exposed && (target < 0 || target == win->rank))
        error = proa_lax(win, PROA_LAX_EXPOSED, PROA_ERR_RMA_SYNC, call,
                         "the window of this process is exposed: MPI_Win_wait first");
    return error ? error : proa_fence_epoch_end(win, call);
}

/* Before the epoch says that the lock is held (core/held.h). */
static void taken_by(const struct proa_win *win, pthread_t *taker)
{
    if (win->threads)
        __atomic_store_n(taker, pthread_self(), __ATOMIC_RELAXED);
}

static void take(struct proa_win *win, int rank, int exclusive)
{
    struct proa_win_ctl *ctl = win->targets[rank].ctl;

    if (exclusive ? !proa_lock_try_exclusive(all_of(win), &ctl->lock, &ctl->lock_bell)
                  : !proa_rwlock_read_try(&ctl->lock, &ctl->lock_bell))
        proa_lock_wait(win, rank, exclusive ? PROA_LOCK_EXCLUSIVE : PROA_LOCK_SHARED);
}

/* The mutex is not held while we wait for the lock: other threads of this process may have to
 * unlock other targets first. */
int proa_win_lock(struct proa_win *win, int rank, int exclusive, int mode)
{
    struct proa_target *target = &win->targets[rank];
    uint8_t epoch;
    int error;

    proa_win_enter(win);
    error = lock_check(win, rank);
    epoch = proa_epoch_of_lock(win, rank, exclusive, mode & PROA_MODE_NOCHECK);
    if (!error)
        proa_epoch_before_lock(win);
    proa_win_leave(win);
    if (error)
        return error;
    if (!(mode & PROA_MODE_NOCHECK))
        take(win, rank, exclusive);
    taken_by(win, &target->taker);
    proa_epoch_open_lock(target, epoch);
    return PROA_OK;
}

/* What is given back is told; what was not taken is not. */
static enum proa_settled settled_by(uint8_t epoch)
{
    return epoch & PROA_EPOCH_NOCHECK ? PROA_SETTLED_VISIBLE : PROA_SETTLED_TOLD;
}

static void give_back(struct proa_win_ctl *ctl, int exclusive)
{
    if (exclusive)
        proa_rwlock_write_unlock(&ctl->lock, &ctl->lock_bell);
    else
        proa_rwlock_read_unlock(&ctl->lock, &ctl->lock_bell);
}

int proa_win_unlock(struct proa_win *win, int rank)
{
    struct proa_target *target = &win->targets[rank];
    uint8_t epoch = proa_epoch_one(target);
    int error;

    if (!(epoch & PROA_EPOCH_LOCK))
        return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", rank);
    error = proa_settle(win, rank, settled_by(epoch));
    if (error)
        return error;
    proa_epoch_close_lock(target);
    if (!(epoch & PROA_EPOCH_NOCHECK))
        give_back(target->ctl, epoch & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_WRITER));
    proa_win_enter(win);
    proa_epoch_after_lock(win);
    proa_win_leave(win);
    proa_polled(&win->polls);
    return PROA_OK;
}

int proa_win_lock_all(struct proa_win *win, int mode)
{
    int error = lock_check(win, -1);

    if (!error && win->locked)
        error = proa_fail(PROA_ERR_RMA_SYNC, "%d target(s) are locked by this process already",
                          win->locked);
    if (error)
        return error;
    if (!(mode & PROA_MODE_NOCHECK) && !proa_lock_try_all(win, all_of(win)))
        proa_lock_wait(win, -1, PROA_LOCK_ALL);
    taken_by(win, &win->taker);
    proa_epoch_open_lock_all(win, mode & PROA_MODE_NOCHECK);
    return PROA_OK;
}

int proa_win_unlock_all(struct proa_win *win)
{
    uint8_t epoch = win->epoch_all;
    int error;

    if (!(epoch & PROA_EPOCH_LOCK))
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "the window is not in a lock_all epoch of this process");
    error = proa_settle(win, -1, settled_by(epoch));
    if (error)
        return error;
    proa_epoch_close_lock_all(win);
    if (!(epoch & PROA_EPOCH_NOCHECK))
        proa_ask_all_leave(all_of(win));
    proa_touch_nothing(win);
    proa_polled(&win->polls);
    return PROA_OK;
}

/* ---- flush and sync ---- */

static int flush_check(const struct proa_win *win, int target)
{
    if (win->epoch_all & PROA_EPOCH_LOCK)
        return PROA_OK;
    if (target < 0)
        return proa_epoch_locks(win)
                   ? PROA_OK
                   : proa_fail(PROA_ERR_RMA_SYNC, "no target is locked by this process");
    if (proa_epoch_one(&win->targets[target]) & PROA_EPOCH_LOCK)
        return PROA_OK;
    return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", target);
}

int proa_win_flush(struct proa_win *win, int target)
{
    int error = flush_check(win, target);

    if (!error)
        error = proa_settle(win, target, PROA_SETTLED_VISIBLE);
    if (!error)
        proa_polled(&win->polls);
    return error;
}

int proa_win_flush_local(struct proa_win *win, int target)
{
    int error = flush_check(win, target);

    if (!error)
        error = proa_settle(win, target, PROA_SETTLED_LOCAL);
    if (!error)
        proa_polled(&win->polls);
    return error;
}

void proa_win_sync(struct proa_win *win)
{
    proa_membar_full();
    proa_polled(&win->polls);
}
