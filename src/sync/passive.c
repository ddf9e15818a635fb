/* SPDX-License-Identifier: BSD-3-Clause */
/* See passive.h. */
#include "sync/passive.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "sync/lock.h"
#include "sync/completion.h"
#include "window/strict.h"

/* ---- lock ---- */

int proa_lock_check(struct proa_win *win, int target)
{
    enum proa_call call = target < 0 ? PROA_CALL_Win_lock_all : PROA_CALL_Win_lock;
    int error = PROA_OK;

    if (win->epoch_all & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "the window is in a lock_all epoch of this process already");
    if (target < 0 && win->locked)
        return proa_fail(PROA_ERR_RMA_SYNC, "%d target(s) are locked by this process already",
                         win->locked);
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

PROA_FORMS int take(struct proa_win *win, int rank, int slot, int exclusive)
{
    proa_claim(win, slot, exclusive ? PROA_CLAIM_EXCLUSIVE : PROA_CLAIM_SHARED);
    return __builtin_expect(proa_lock_try(&win->leader->all, win->targets[rank].ctl, exclusive), 1)
               ? PROA_OK
               : proa_lock_wait(win, rank, exclusive ? PROA_LOCK_EXCLUSIVE : PROA_LOCK_SHARED);
}

int proa_lock_take(struct proa_win *win, int rank, int exclusive)
{
    return take(win, rank, (int)win->targets[rank].ctl->slot, exclusive);
}

int proa_lock_node(struct proa_win *win, int rank, int exclusive, int mode)
{
    int nocheck = mode & PROA_MODE_NOCHECK, error = proa_lock_check(win, rank);
    uint8_t epoch = proa_epoch_of_lock(win, rank, exclusive, nocheck);

    if (error)
        return error;
    proa_epoch_before_lock(win);
    if (!nocheck)
        error = take(win, rank, rank, exclusive);
    if (error)
        return proa_lock_end(win, rank, epoch, error);
    proa_epoch_open_lock(&win->targets[rank], epoch);
    return PROA_OK;
}

/* ---- with several threads ---- */

/* The mutex is not held while we wait for the lock: other threads of this process may have to
 * unlock other targets first. */
int proa_lock_begin(struct proa_win *win, int rank, int exclusive, int mode, uint8_t *epoch)
{
    int error;

    proa_win_enter(win);
    error = proa_lock_check(win, rank);
    *epoch = proa_epoch_of_lock(win, rank, exclusive, mode & PROA_MODE_NOCHECK);
    if (!error)
        proa_epoch_before_lock(win);
    proa_win_leave(win);
    return error;
}

/* Called before the epoch shows that the lock is held (sync/bypass.h). */
static void taken_by(const struct proa_win *win, pthread_t *taker)
{
    if (win->threads)
        proa_atomic_store(taker, pthread_self(), PROA_RELAXED);
}

int proa_lock_end(struct proa_win *win, int rank, uint8_t epoch, int error)
{
    if (error) {
        proa_unlock_end(win);
        return error;
    }
    taken_by(win, &win->targets[rank].taker);
    proa_epoch_open_lock(&win->targets[rank], epoch);
    return PROA_OK;
}

static void (*before_locks)(void);

void proa_lock_set_before(void (*before)(void))
{
    proa_atomic_store(&before_locks, before, PROA_RELEASE); /* partner: before_lock */
}

static void before_lock(void)
{
    void (*before)(void) = proa_atomic_load(&before_locks, PROA_ACQUIRE);

    if (before)
        before();
}

int proa_lock_threads(struct proa_win *win, int rank, int exclusive, int mode)
{
    uint8_t epoch;
    int error = proa_lock_begin(win, rank, exclusive, mode, &epoch);

    if (error)
        return error;
    before_lock();
    if (!(mode & PROA_MODE_NOCHECK))
        error = proa_lock_take(win, rank, exclusive);
    return proa_lock_end(win, rank, epoch, error);
}

/* ---- unlock ---- */

int proa_unlock_check(struct proa_win *win, int rank, uint8_t *epoch)
{
    *epoch = proa_epoch_one(&win->targets[rank]);
    return *epoch & PROA_EPOCH_LOCK
               ? PROA_OK
               : proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", rank);
}

PROA_FORMS void give_back(struct proa_win *win, int rank, int slot, uint8_t epoch)
{
    proa_claim(win, slot, PROA_CLAIM_NONE);
    proa_lock_give_back(&win->targets[rank].ctl->lock, proa_epoch_is_writers(epoch));
}

void proa_lock_return(struct proa_win *win, int rank, uint8_t epoch)
{
    give_back(win, rank, (int)win->targets[rank].ctl->slot, epoch);
}

int proa_unlock_node(struct proa_win *win, int rank)
{
    uint8_t epoch;
    int error = proa_unlock_check(win, rank, &epoch);

    if (error)
        return error;
    proa_complete_ops_node(win, proa_completed_by(epoch), 0);
    proa_epoch_close_one(&win->targets[rank]);
    if (!(epoch & PROA_EPOCH_NOCHECK))
        give_back(win, rank, rank, epoch);
    proa_epoch_after_lock(win);
    proa_polled(&win->polls);
    return PROA_OK;
}

void proa_unlock_end(struct proa_win *win)
{
    proa_win_enter(win);
    proa_epoch_after_lock(win);
    proa_win_leave(win);
}

int proa_unlock_threads(struct proa_win *win, int rank)
{
    uint8_t epoch;
    int error = proa_unlock_check(win, rank, &epoch);

    if (error)
        return error;
    proa_complete_ops_node(win, proa_completed_by(epoch), win->threads);
    proa_epoch_close_one(&win->targets[rank]);
    if (!(epoch & PROA_EPOCH_NOCHECK))
        proa_lock_return(win, rank, epoch);
    proa_unlock_end(win);
    proa_polled(&win->polls);
    return PROA_OK;
}

/* ---- lock_all, unlock_all ---- */

void proa_lock_all_open(struct proa_win *win, int mode)
{
    taken_by(win, &win->taker);
    proa_epoch_open_lock_all(win, mode & PROA_MODE_NOCHECK);
}

/* The wait does not depend on a target, so it does not fail. */
void proa_lock_all_take(struct proa_win *win, int mode)
{
    if (!(mode & PROA_MODE_NOCHECK)) {
        proa_claim_all(win, 1);
        if (!proa_lock_try_all(win, &win->leader->all))
            proa_lock_wait(win, -1, PROA_LOCK_ALL);
    }
    proa_lock_all_open(win, mode);
}

int proa_lock_all_node(struct proa_win *win, int mode)
{
    int error = proa_lock_check(win, -1);

    if (error)
        return error;
    before_lock();
    proa_lock_all_take(win, mode);
    return PROA_OK;
}

int proa_unlock_all_check(const struct proa_win *win)
{
    return win->epoch_all & PROA_EPOCH_LOCK
               ? PROA_OK
               : proa_fail(PROA_ERR_RMA_SYNC,
                           "the window is not in a lock_all epoch of this process");
}

void proa_unlock_all_end(struct proa_win *win)
{
    uint8_t epoch = win->epoch_all;

    proa_epoch_close_all(win);
    if (!(epoch & PROA_EPOCH_NOCHECK))
        proa_lock_give_back_all(win);
    proa_touch_nothing(win);
    proa_polled(&win->polls);
}

int proa_unlock_all_node(struct proa_win *win)
{
    int error = proa_unlock_all_check(win);

    if (error)
        return error;
    win->sync->complete_ops(win, -1, proa_completed_by(win->epoch_all));
    proa_unlock_all_end(win);
    return PROA_OK;
}

/* ---- flush and sync ---- */

/* Not inlined, so that a flush needs no stack. */
static __attribute__((cold, noinline)) int not_locked(int target)
{
    return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", target);
}

static inline int is_unlocked(const struct proa_win *win, int target)
{
    return !(win->epoch_all & PROA_EPOCH_LOCK) &&
           !(proa_epoch_one(&win->targets[target]) & PROA_EPOCH_LOCK);
}

int proa_flush_node(struct proa_win *win, int target)
{
    if (is_unlocked(win, target))
        return not_locked(target);
    proa_complete_ops_node(win, PROA_COMPLETED_VISIBLE, 0);
    proa_polled(&win->polls);
    return PROA_OK;
}

int proa_flush_local_node(struct proa_win *win, int target)
{
    if (is_unlocked(win, target))
        return not_locked(target);
    proa_polled(&win->polls);
    return PROA_OK;
}

static int flush_slow(struct proa_win *win, int target, enum proa_completion how)
{
    int error =
        is_unlocked(win, target) ? not_locked(target) : win->sync->complete_ops(win, target, how);

    if (error)
        return error;
    proa_polled(&win->polls);
    return PROA_FLUSHED_GENERALLY;
}

int proa_flush_slow(struct proa_win *win, int target)
{
    return flush_slow(win, target, PROA_COMPLETED_VISIBLE);
}

int proa_flush_local_slow(struct proa_win *win, int target)
{
    return flush_slow(win, target, PROA_COMPLETED_LOCAL);
}

static int flush_all(struct proa_win *win, enum proa_completion how)
{
    int error;

    if (!(win->epoch_all & PROA_EPOCH_LOCK) && !proa_epoch_locks(win))
        return proa_fail(PROA_ERR_RMA_SYNC, "no target is locked by this process");
    error = win->sync->complete_ops(win, -1, how);
    if (!error)
        proa_polled(&win->polls);
    return error;
}

int proa_win_flush_all(struct proa_win *win)
{
    return flush_all(win, PROA_COMPLETED_VISIBLE);
}

int proa_win_flush_local_all(struct proa_win *win)
{
    return flush_all(win, PROA_COMPLETED_LOCAL);
}

void proa_synchronize_node(struct proa_win *win)
{
    proa_membar_full();
    proa_polled(&win->polls);
}
