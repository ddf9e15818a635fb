/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock_all that consists of the shared locks of all targets, instead of the room
 * (remote/group_lock.h).
 *
 * A process in the room for exclusive locks may itself be waiting for its lock: a second process
 * may hold that lock shared, and in turn wait for a lock of the caller. In the room's queue that
 * cycle has no end. So a process that holds other locks, and has waited for the room for long,
 * tries for the lock of each target. The tries go ahead of writers that only wait, like those of a
 * pressed process on one node (sync/bypass.h).
 *
 * A try gets all locks or none: a process that kept some, and waited for another, could be in a
 * cycle with a process that takes several exclusive locks. So if a target has a writer inside, all
 * locks are given back. Then the caller waits for a holder, which is pressed, and so waits for
 * holders only.
 *
 * Without a keeper there is no room, and every lock_all is taken this way. It tries until it
 * succeeds. So it is in no cycle, but has no turn among many writers that are never idle.
 */
#include "remote/origin.h"
#include "progress/progress.h"
#include "remote/batch.h"
#include "remote/window.h"
#include "base/system.h"
#include "sync/lock.h"
#include "sync/peer_failure.h"

static int neighbours_try(struct proa_win *win)
{
    struct proa_lock_request request = {
        .requester = &proa_lock_requester_self, .win = win, .target = -1, .all = &win->leader->all};

    return proa_lock_try_ahead(&request, PROA_LOCK_ALL);
}

/* proa_remote_unlock_all needs the target in the list. A try that cannot be sent counts as refused.
 */
static void ask(struct proa_win *win, int rank)
{
    struct proa_remote *r = proa_remote_make(win, rank);
    int error = r ? PROA_OK : PROA_ERR_NO_MEM;

    if (error)
        return;
    r->grant.lock = PROA_REMOTE_WANTS_TRY;
    proa_remote_enlist(r, PROA_REMOTE_USED);
    while (!error && !proa_remote_is_lost(r) && proa_remote_wants_lock(r))
        error = proa_batch_send(r, 0);
    if (error)
        r->grant.lock = PROA_REMOTE_UNLOCKED;
}

/* The target answers at once. A process that is gone counts as granted. */
static int is_granted(const struct proa_win *win, int rank)
{
    struct proa_remote *r = proa_remote_of(win, rank);

    if (r && r->grant.lock == PROA_REMOTE_TRIED)
        proa_batch_await(r, proa_batch_is_answered);
    return proa_is_failed(win, rank) || (r && r->grant.lock == PROA_REMOTE_ASKED);
}

/* Sends all tries before it waits for the first answer. */
static int others_try(struct proa_win *win)
{
    int is_held = 1;

    proa_progress_enter();
    for (int rank = 0; rank < win->size; rank++)
        if (proa_is_remote(&win->targets[rank]))
            ask(win, rank);
    for (int rank = 0; rank < win->size; rank++)
        if (proa_is_remote(&win->targets[rank]))
            is_held &= is_granted(win, rank);
    proa_progress_leave();
    return is_held;
}

int proa_single_locks_try(struct proa_win *win)
{
    if (!neighbours_try(win))
        return 0;
    if (others_try(win))
        return 1;
    (void)proa_remote_unlock_all(win); /* a target whose process is gone needs no release */
    proa_lock_give_back_all(win);
    return 0;
}

static int is_due(void *due_ns)
{
    return proa_system->now_ns() >= *(long *)due_ns;
}

void proa_single_locks_take(struct proa_win *win)
{
    enum { FIRST_NS = 100000, MOST_NS = 10000000 };
    struct proa_vigil vigil = {.win = win, .from = -1};

    for (long pause_ns = FIRST_NS, due_ns; !proa_single_locks_try(win);
         pause_ns = pause_ns < MOST_NS / 2 ? 2 * pause_ns : MOST_NS) {
        due_ns = proa_system->now_ns() + pause_ns;
        proa_wait_unless(is_due, &due_ns, NULL, proa_vigil_looks, &vigil);
    }
}
