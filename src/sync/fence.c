/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Win_fence in windows of one node (MPI-4.1, 13.5.1), and the meaning of a fence epoch for the
 * other calls. */
#include "sync/fence.h"
#include "base/fail.h"
#include "sync/shared_words.h"
#include "sync/barrier.h"
#include "sync/completion.h"

int proa_fence_check(const struct proa_win *win)
{
    if (win->epoch_all & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "the window is in a lock_all epoch: MPI_Win_unlock_all first");
    if (win->locked)
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "%d target(s) are locked by this process: MPI_Win_unlock first",
                         win->locked);
    if (win->started)
        return proa_fail(PROA_ERR_RMA_SYNC, "an access epoch is open: MPI_Win_complete first");
    if (win->exposed)
        return proa_fail(PROA_ERR_RMA_SYNC, "an exposure epoch is open: MPI_Win_wait first");
    return PROA_OK;
}

/* ---- a fence that ends no epoch ---- */

/* Up to this many processes a barrier is the fastest way to detect the other's fence, and waits for
 * no third process. */
enum { BARRIER_SUFFICES = 2 };

int proa_fence_await(struct proa_win *win, int target)
{
    struct proa_win_ctl *ctl = win->targets[target].ctl;
    int error = proa_shared_reached(win, target, ctl, &ctl->opened, win->opens);

    if (!error)
        proa_epoch_close_one(&win->targets[target]);
    return error;
}

/* NOPRECEDE: no process waits for operations of others. Only an origin waits for its target's fence
 * (MPI-4.1, 13.5.1), at its first operation. If the program itself loads and stores in its
 * neighbours' memory, the first operation cannot be detected; then this process waits at once. */
static __attribute__((noinline)) int open_alone(struct proa_win *win)
{
    int error = PROA_OK;

    proa_shared_set(win->ctl, &win->ctl->opened, ++win->opens);
    for (int i = 0; i < win->size; i++)
        if (i != win->rank)
            proa_epoch_await_fence(&win->targets[i]);
    win->opening = 1;
    for (int i = 0; i < win->size && win->direct && !error; i++)
        error = proa_fence_await(win, i);
    return error;
}

static void opening_end(struct proa_win *win)
{
    if (!win->opening)
        return;
    for (int i = 0; i < win->size; i++)
        proa_epoch_close_one(&win->targets[i]);
    win->opening = 0;
}

/* ---- fences ---- */

int proa_fence_node(struct proa_win *win, int mode)
{
    int error = proa_fence_check(win), ends = !(mode & PROA_MODE_NOPRECEDE),
        begins = !(mode & PROA_MODE_NOSUCCEED);

    if (error)
        return error;
    if (ends)
        proa_complete_ops_node(win, PROA_COMPLETED_BY_BARRIER, 0);
    opening_end(win);
    if (ends || (begins && win->size <= BARRIER_SUFFICES))
        error = proa_barrier_node(win);
    else if (begins)
        error = open_alone(win);
    proa_epoch_pass_fence(win, begins); /* the epoch in which a process has failed is over as
                                         * well */
    return error;
}

static __attribute__((cold)) int unfinished(enum proa_call call)
{
    return proa_fail(
        PROA_ERR_RMA_SYNC,
        "operations were issued since the last fence: a fence must complete them before %s",
        proa_call_name(call));
}

int proa_fence_epoch_end(struct proa_win *win, enum proa_call call)
{
    if (!(win->epoch_all & PROA_EPOCH_FENCE))
        return PROA_OK;
    if (win->touched)
        return unfinished(call);
    opening_end(win);
    proa_epoch_close_all(win);
    return PROA_OK;
}

int proa_win_may_free(const struct proa_win *win)
{
    int error = proa_fence_check(win);

    if (!error && (win->epoch_all & PROA_EPOCH_FENCE) && win->touched)
        error = unfinished(PROA_CALL_Win_free);
    return error;
}
