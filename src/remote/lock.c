/* SPDX-License-Identifier: BSD-3-Clause */
/* Passive target synchronization in windows over several nodes. */
#include "base/fail.h"
#include "remote/origin.h"
#include "remote/sync.h"
#include "remote/room.h"

/* Requests the lock; deferred lock requests, for which calls have returned, come first. */
static int take(struct proa_win *win, int rank, int exclusive, int nocheck)
{
    const struct proa_target *target = &win->targets[rank];
    int in_room = exclusive && !nocheck,
        error = target->away ? proa_remote_expect(target) : PROA_OK;

    if (error)
        return error;
    proa_remote_keep_promises();
    if (in_room)
        proa_room_enter(win, PROA_ROOM_EXCLUSIVE);
    if (target->away)
        proa_remote_lock(win, rank, exclusive, nocheck);
    else if (!nocheck)
        error = proa_lock_take(win, rank, exclusive);
    if (error && in_room)
        proa_room_leave(win);
    return error;
}

int proa_lock_remote(struct proa_win *win, int rank, int exclusive, int mode)
{
    uint8_t epoch;
    int error = proa_lock_begin(win, rank, exclusive, mode, &epoch);

    if (error)
        return error;
    error = take(win, rank, exclusive, mode & PROA_MODE_NOCHECK);
    return proa_lock_end(win, rank, epoch, error);
}

/* Errors at the target are returned, and the epoch is over all the same. */
int proa_unlock_remote(struct proa_win *win, int rank)
{
    struct proa_target *target = &win->targets[rank];
    uint8_t epoch;
    int error = proa_unlock_check(win, rank, &epoch), is_taken = !(epoch & PROA_EPOCH_NOCHECK);

    if (error)
        return error;
    error = target->away ? proa_remote_unlock(win, rank, !is_taken)
                         : win->sync->settle(win, rank, proa_settled_by(epoch));
    proa_epoch_close_lock(target);
    if (!target->away && is_taken)
        proa_lock_return(win, rank, epoch);
    if (is_taken && proa_epoch_is_writers(epoch))
        proa_room_leave(win);
    proa_unlock_end(win);
    proa_polled(&win->polls);
    return error;
}

/* On other nodes there is no exclusive lock while we are in this room: so no target is asked. */
int proa_lock_all_remote(struct proa_win *win, int mode)
{
    int error = proa_lock_all_check(win);

    if (error)
        return error;
    proa_remote_keep_promises();
    if (!(mode & PROA_MODE_NOCHECK))
        proa_room_enter(win, PROA_ROOM_ALL);
    proa_lock_all_take(win, mode);
    return PROA_OK;
}

int proa_unlock_all_remote(struct proa_win *win)
{
    int error = proa_unlock_all_check(win), in_room = !(win->epoch_all & PROA_EPOCH_NOCHECK);

    if (error)
        return error;
    error = win->remotes ? proa_remote_unlock_all(win) : PROA_OK;
    if (!error)
        error = win->sync->settle(win, -1, proa_settled_by(win->epoch_all));
    proa_unlock_all_end(win);
    if (in_room)
        proa_room_leave(win);
    return error;
}
