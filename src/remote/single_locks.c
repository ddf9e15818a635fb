/* SPDX-License-Identifier: BSD-3-Clause */
/* See single_locks.h. */
#include "remote/single_locks.h"
#include "remote/progress.h"
#include "remote/batch.h"
#include "remote/origin.h"
#include "remote/window.h"
#include "sync/lock.h"

static int neighbours_try(struct proa_win *win)
{
    struct proa_lock_request request = {
        .requester = &proa_lock_requester_self, .win = win, .target = -1, .all = &win->leader->all};

    return proa_lock_try_ahead(&request, PROA_LOCK_ALL);
}

/* The list is for proa_remote_unlock_all. A try that cannot be sent is like one that is refused. */
static void ask(struct proa_remote_process *process)
{
    struct proa_remote *r = proa_remote_make(process);
    int error = r ? PROA_OK : PROA_ERR_NO_MEM;

    if (error)
        return;
    r->grant.lock = PROA_REMOTE_WANTS_TRY;
    proa_remote_enlist(r, PROA_REMOTE_USED);
    while (!error && !process->lost && proa_remote_wants_lock(r))
        error = proa_batch_send(r, 0);
    if (error)
        r->grant.lock = PROA_REMOTE_UNLOCKED;
}

/* The target answers at once. Nothing is to be had of a process that is gone. */
static int is_granted(struct proa_remote_process *process)
{
    struct proa_remote *r = process->remote;

    if (r && r->grant.lock == PROA_REMOTE_TRIED)
        proa_batch_await(r, proa_batch_is_answered);
    return process->lost || (r && r->grant.lock == PROA_REMOTE_ASKED);
}

/* All are asked before the first answer is waited for. */
static int others_try(struct proa_win *win)
{
    int is_held = 1;

    proa_progress_enter();
    for (int rank = 0; rank < win->size; rank++)
        if (win->targets[rank].remote)
            ask(win->targets[rank].remote);
    for (int rank = 0; rank < win->size; rank++)
        if (win->targets[rank].remote)
            is_held &= is_granted(win->targets[rank].remote);
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
