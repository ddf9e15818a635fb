/* SPDX-License-Identifier: BSD-3-Clause */
/* Passive target synchronization: lock, unlock, lock_all, unlock_all, flush, sync (MPI-4.1, 13.5.3
 * and 13.5.4). */
#include "base/fail.h"
#include "core/lock.h"
#include "core/remote.h"
#include "core/room.h"
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

PROA_FORMS int take(struct proa_win *win, int rank, int exclusive, int general)
{
    proa_claim(win, rank, exclusive ? PROA_CLAIM_EXCLUSIVE : PROA_CLAIM_SHARED, general);
    return __builtin_expect(proa_lock_try(all_of(win), win->targets[rank].ctl, exclusive), 1)
               ? PROA_OK
               : proa_lock_wait(win, rank, exclusive ? PROA_LOCK_EXCLUSIVE : PROA_LOCK_SHARED);
}

/* Those that calls have returned for come first; then the room, of a window over several nodes. */
static int before_lock(struct proa_win *win, struct proa_target *target, int in_room)
{
    int error = target->away ? proa_remote_expect(target) : PROA_OK;

    if (error)
        return error;
    proa_remote_keep_promises();
    if (in_room && win->spread)
        proa_room_enter(win, PROA_ROOM_EXCLUSIVE);
    return PROA_OK;
}

static int not_locked_after_all(struct proa_win *win, int error)
{
    proa_win_enter(win);
    proa_epoch_after_lock(win);
    proa_win_leave(win);
    return error;
}

/* The mutex is not held while we wait for the lock: other threads of this process may have to
 * unlock other targets first. */
PROA_FORMS int lock(struct proa_win *win, int rank, int exclusive, int mode, int general)
{
    struct proa_target *target = &win->targets[rank];
    int nocheck = mode & PROA_MODE_NOCHECK, error;
    uint8_t epoch;

    if (general)
        proa_win_enter(win);
    error = lock_check(win, rank);
    epoch = proa_epoch_of_lock(win, rank, exclusive, nocheck);
    if (!error)
        proa_epoch_before_lock(win);
    if (general)
        proa_win_leave(win);
    if (error)
        return error;
    if (general)
        error = before_lock(win, target, exclusive && !nocheck);
    if (error)
        return not_locked_after_all(win, error);
    if (general && target->away)
        proa_remote_lock(win, rank, exclusive, nocheck);
    else if (!nocheck)
        error = take(win, rank, exclusive, general);
    if (error)
        return not_locked_after_all(win, error);
    if (general)
        taken_by(win, &target->taker);
    proa_epoch_open_lock(target, epoch);
    return PROA_OK;
}

static __attribute__((noinline)) int lock_generally(struct proa_win *win, int rank, int exclusive,
                                                    int mode)
{
    return lock(win, rank, exclusive, mode, 1);
}

int proa_win_lock(struct proa_win *win, int rank, int exclusive, int mode)
{
    return PROA_GENERALLY(win) ? lock_generally(win, rank, exclusive, mode)
                               : lock(win, rank, exclusive, mode, 0);
}

/* What is given back is told; what was not taken is not. */
static enum proa_settled settled_by(uint8_t epoch)
{
    return epoch & PROA_EPOCH_NOCHECK ? PROA_SETTLED_VISIBLE : PROA_SETTLED_TOLD;
}

PROA_FORMS int unlock(struct proa_win *win, int rank, int general)
{
    struct proa_target *target = &win->targets[rank];
    uint8_t epoch = proa_epoch_one(target);
    int is_remote = general && target->away, error;

    if (!(epoch & PROA_EPOCH_LOCK))
        return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", rank);
    /* what went wrong elsewhere is told, and the epoch is over all the same */
    error = is_remote ? proa_remote_unlock(win, rank, epoch & PROA_EPOCH_NOCHECK)
                      : proa_settle_form(win, rank, settled_by(epoch), general);
    proa_epoch_close_lock(target);
    if (!is_remote && !(epoch & PROA_EPOCH_NOCHECK)) {
        proa_claim(win, rank, PROA_CLAIM_NONE, general);
        proa_lock_give_back(target->ctl, epoch & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_WRITER));
    }
    if (general && win->spread && epoch & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_WRITER) &&
        !(epoch & PROA_EPOCH_NOCHECK))
        proa_room_leave(win);
    if (general)
        proa_win_enter(win);
    proa_epoch_after_lock(win);
    if (general)
        proa_win_leave(win);
    proa_polled(&win->polls);
    return error;
}

static __attribute__((noinline)) int unlock_generally(struct proa_win *win, int rank)
{
    return unlock(win, rank, 1);
}

int proa_win_unlock(struct proa_win *win, int rank)
{
    return PROA_GENERALLY(win) ? unlock_generally(win, rank) : unlock(win, rank, 0);
}

/* On other nodes nobody has an exclusive lock while we are in this room: no target need be asked.
 */
static void before_lock_all(struct proa_win *win, int mode)
{
    proa_remote_keep_promises();
    if (win->spread && !(mode & PROA_MODE_NOCHECK))
        proa_room_enter(win, PROA_ROOM_ALL);
}

int proa_win_lock_all(struct proa_win *win, int mode)
{
    int error = lock_check(win, -1);

    if (!error && win->locked)
        error = proa_fail(PROA_ERR_RMA_SYNC, "%d target(s) are locked by this process already",
                          win->locked);
    if (error)
        return error;
    if (PROA_GENERALLY(win))
        before_lock_all(win, mode);
    if (!(mode & PROA_MODE_NOCHECK)) {
        proa_claim_all(win, 1);
        if (!proa_lock_try_all(win, all_of(win)))
            proa_lock_wait(win, -1,
                           PROA_LOCK_ALL); /* as no target is waited for, it does not fail */
    }
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
    error = win->remotes ? proa_remote_unlock_all(win) : PROA_OK;
    if (!error)
        error = proa_settle(win, -1, settled_by(epoch));
    proa_epoch_close_lock_all(win);
    if (!(epoch & PROA_EPOCH_NOCHECK)) {
        proa_claim_all(win, 0);
        proa_ask_all_leave(all_of(win));
    }
    if (win->spread && !(epoch & PROA_EPOCH_NOCHECK))
        proa_room_leave(win);
    proa_touch_nothing(win);
    proa_polled(&win->polls);
    return error;
}

/* ---- flush and sync ---- */

static int not_locked(int target)
{
    return target < 0 ? proa_fail(PROA_ERR_RMA_SYNC, "no target is locked by this process")
                      : proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process",
                                  target);
}

PROA_FORMS int flush(struct proa_win *win, int target, enum proa_settled how, int general)
{
    int error;

    if (!(win->epoch_all & PROA_EPOCH_LOCK) &&
        !(proa_epoch_one(&win->targets[target]) & PROA_EPOCH_LOCK))
        return not_locked(target);
    error = proa_settle_form(win, target, how, general);
    if (!error)
        proa_polled(&win->polls);
    return error;
}

static __attribute__((noinline)) int flush_generally(struct proa_win *win, int target,
                                                     enum proa_settled how)
{
    int error = flush(win, target, how, 1);

    return error ? error : PROA_FLUSHED_GENERALLY;
}

int proa_win_flush(struct proa_win *win, int target)
{
    return PROA_GENERALLY(win) ? flush_generally(win, target, PROA_SETTLED_VISIBLE)
                               : flush(win, target, PROA_SETTLED_VISIBLE, 0);
}

int proa_win_flush_local(struct proa_win *win, int target)
{
    return PROA_GENERALLY(win) ? flush_generally(win, target, PROA_SETTLED_LOCAL)
                               : flush(win, target, PROA_SETTLED_LOCAL, 0);
}

static int flush_all(struct proa_win *win, enum proa_settled how)
{
    int error;

    if (!(win->epoch_all & PROA_EPOCH_LOCK) && !proa_epoch_locks(win))
        return not_locked(-1);
    error = proa_settle(win, -1, how);
    if (!error)
        proa_polled(&win->polls);
    return error;
}

int proa_win_flush_all(struct proa_win *win)
{
    return flush_all(win, PROA_SETTLED_VISIBLE);
}

int proa_win_flush_local_all(struct proa_win *win)
{
    return flush_all(win, PROA_SETTLED_LOCAL);
}

void proa_win_sync(struct proa_win *win)
{
    proa_membar_full();
    proa_polled(&win->polls);
}
