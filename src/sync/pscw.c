/* SPDX-License-Identifier: BSD-3-Clause */
/* See pscw.h. */
#include "sync/pscw.h"
#include "base/wait.h"
#include "sync/fence.h"
#include "sync/settle.h"

#include <stdlib.h>

static const struct proa_words words = {proa_tell, proa_heard, proa_hear, proa_pair_of};

/* ---- groups ---- */

static __attribute__((noinline)) int ranks_room(struct proa_ranks *group, int count)
{
    int *rank = realloc(group->rank, 2 * (size_t)count * sizeof *rank);

    if (!rank)
        return proa_fail(PROA_ERR_NO_MEM, "no memory for a group of %d processes", count);
    group->rank = rank;
    group->room = 2 * count;
    return PROA_OK;
}

int proa_ranks_copy(struct proa_ranks *group, const int *ranks, int count)
{
    if (__builtin_expect(count > group->room, 0) && ranks_room(group, count) != PROA_OK)
        return PROA_ERR_NO_MEM;
    group->count = count;
    for (int i = 0; i < count; i++) /* usually few */
        group->rank[i] = ranks[i];
    return PROA_OK;
}

/* ---- the origin's side ---- */

int proa_start_check(struct proa_win *win)
{
    if (win->started)
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "an access epoch is open already: MPI_Win_complete first");
    if (win->locked || win->epoch_all & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "the window is in a lock epoch of this process: unlock first");
    return proa_fence_epoch_end(win, PROA_CALL_Win_start);
}

int proa_start_node(struct proa_win *win, const int *ranks, int count, int mode)
{
    return proa_start_as(win, ranks, count, mode, &words);
}

static int await_post(struct proa_win *win, int target)
{
    uint64_t epoch = proa_pair_of(win, target)->starts;
    int error = proa_hear(win, target, PROA_WORD_POSTED, 0, 2 * epoch);

    if (error)
        return error;
    proa_epoch_seen_post(&win->targets[target],
                         proa_heard(win, target, PROA_WORD_POSTED) == 2 * epoch + 1);
    return PROA_OK;
}

int proa_await_node(struct proa_win *win, int target)
{
    return win->started ? await_post(win, target) : proa_fence_await(win, target);
}

int proa_complete_node(struct proa_win *win)
{
    int error = proa_complete_check(win);

    if (error)
        return error;
    proa_settle_node(win, PROA_SETTLED_IN_ORDER);
    proa_complete_as(win, &words);
    return PROA_OK;
}

/* ---- the target's side ---- */

/* A lock that a neighbour holds on this process is not looked at: it may follow an access epoch
 * without operations, whose start and complete have not waited for this post. */
int proa_post_check(struct proa_win *win)
{
    int error = PROA_OK;

    if (win->exposed)
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "an exposure epoch is open already: MPI_Win_wait first");
    if (proa_epoch_towards(win, win->rank) & PROA_EPOCH_LOCK)
        error =
            proa_lax(win, PROA_LAX_EXPOSED, PROA_ERR_RMA_SYNC, PROA_CALL_Win_post,
                     "the window of this process is locked: it cannot be exposed at the same time");
    return error ? error : proa_fence_epoch_end(win, PROA_CALL_Win_post);
}

int proa_post_node(struct proa_win *win, const int *ranks, int count)
{
    return proa_post_as(win, ranks, count, &words);
}

int proa_exposed_check(const struct proa_win *win)
{
    if (!win->exposed)
        return proa_fail(PROA_ERR_RMA_SYNC, "no exposure epoch is open: there was no MPI_Win_post");
    return PROA_OK;
}

int proa_wait_node(struct proa_win *win)
{
    int error = proa_exposed_check(win);

    return error ? error : proa_wait_as(win, &words);
}

/* ---- test ---- */

/* Fails if an origin is gone that has not completed. PROA_OK: there is no such origin. */
static int report_gone(const struct proa_win *win, const struct proa_words *with)
{
    for (int i = 0; i < win->exposed_group.count; i++) {
        int rank = win->exposed_group.rank[i];

        if (proa_is_gone(win, rank) && !proa_has_completed(win, rank, with))
            return proa_gone_report(win, rank);
    }
    return PROA_OK;
}

int proa_test_for_gone(struct proa_win *win, const struct proa_words *with)
{
    int error;

    proa_vigil_looks(&win->tests);
    error = report_gone(win, with);
    if (error)
        proa_epoch_close_exposure(win);
    return error;
}

/* A program that tests in a loop must still let other processes run, and the host's messages
 * progress. */
int proa_test_node(struct proa_win *win, int *flag)
{
    int error = proa_exposed_check(win);

    if (error)
        return error;
    *flag = proa_have_all_completed(win, &words);
    if (!*flag) {
        proa_wait_idle();
        *flag = proa_have_all_completed(win, &words);
    }
    if (!*flag)
        return proa_test_for_gone(win, &words);
    proa_test_end(win, &words);
    return PROA_OK;
}
