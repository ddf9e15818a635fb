/* SPDX-License-Identifier: BSD-3-Clause */
/* See pscw.h. */
#include "sync/pscw.h"
#include "base/fail.h"
#include "base/wait.h"
#include "sync/fence.h"
#include "sync/completion.h"
#include "window/strict.h"

#include <stdlib.h>

static const struct proa_words node_words = {
    .notify = proa_notify, .notified = proa_notified, .await = proa_await, .pair = proa_pair_of};

/* ---- groups ---- */

static __attribute__((noinline)) int ranks_room(struct proa_ranks *group, int count)
{
    int *rank = realloc(group->rank, 2 * (size_t)count * sizeof *rank);

    if (!rank)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a group of %d processes", count);
    group->rank = rank;
    group->room = 2 * count;
    return PROA_OK;
}

/* Copies the ranks of a group. Returns PROA_OK or PROA_ERR_NO_MEM. */
static int ranks_copy(struct proa_ranks *group, const int *ranks, int count)
{
    if (__builtin_expect(count > group->room, 0) && ranks_room(group, count) != PROA_OK)
        return PROA_ERR_NO_MEM;
    group->count = count;
    for (int i = 0; i < count; i++) /* usually few */
        group->rank[i] = ranks[i];
    return PROA_OK;
}

/* ---- the origin's side ---- */

static int start_check(struct proa_win *win)
{
    if (win->started)
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "an access epoch is open already: MPI_Win_complete first");
    if (win->locked || win->epoch_all & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC,
                         "the window is in a lock epoch of this process: unlock first");
    return proa_fence_epoch_end(win, PROA_CALL_Win_start);
}

PROA_FORM int proa_start_as(struct proa_win *win, const int *ranks, int count, int mode,
                            const struct proa_words *words)
{
    int error = start_check(win);

    if (!error)
        error = ranks_copy(&win->started_group, ranks, count);
    if (error)
        return error;
    for (int i = 0; i < count; i++) {
        words->pair(win, ranks[i])->starts++;
        proa_epoch_start_target(&win->targets[ranks[i]], !(mode & PROA_MODE_NOCHECK));
    }
    proa_epoch_open_start(win);
    return PROA_OK;
}

PROA_FORM int proa_await_as(struct proa_win *win, int target, int waits,
                            const struct proa_words *words)
{
    uint64_t epoch = words->pair(win, target)->starts, posted;
    int error = waits ? words->await(win, target, PROA_WORD_POSTED, 0, 2 * epoch) : PROA_OK;

    if (error)
        return error;
    posted = words->notified(win, target, PROA_WORD_POSTED);
    if (waits || posted >= 2 * epoch)
        proa_epoch_seen_post(&win->targets[target], posted == 2 * epoch + 1);
    return PROA_OK;
}

int proa_complete_check(const struct proa_win *win)
{
    return win->started ? PROA_OK
                        : proa_fail(PROA_ERR_RMA_SYNC,
                                    "no access epoch is open: there was no MPI_Win_start");
}

PROA_FORM void proa_complete_as(struct proa_win *win, const struct proa_words *words)
{
    for (int i = 0; i < win->started_group.count; i++) {
        int rank = win->started_group.rank[i];
        struct proa_target *target = &win->targets[rank];

        proa_epoch_close_one(target);
        /* releases our operations */
        words->notify(win, target, PROA_WORD_COMPLETED, 0, ++words->pair(win, rank)->completes);
    }
    proa_epoch_close_start(win);
}

/* ---- the target's side ---- */

/* A lock that a neighbour holds on this process is not checked. It may follow an access epoch
 * without operations, whose start and complete did not wait for this post. */
static int post_check(struct proa_win *win)
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

/* Returns whether to notify the origin that only it accesses the window. Not if the window was
 * locked while exposed, as this process may access it too. */
static int is_sole(const struct proa_win *win, int count)
{
    return count == 1 && !(win->lax & PROA_LAX_EXPOSED);
}

PROA_FORM int proa_post_as(struct proa_win *win, const int *ranks, int count,
                           const struct proa_words *words)
{
    int error = post_check(win), sole;

    if (!error)
        error = ranks_copy(&win->exposed_group, ranks, count);
    if (error)
        return error;
    proa_epoch_open_exposure(win);
    sole = is_sole(win, count);
    for (int i = 0; i < count; i++) {
        uint64_t posted = 2 * ++words->pair(win, ranks[i])->posts + (uint64_t)sole;

        /* releases our loads and stores before the exposure */
        words->notify(win, &win->targets[ranks[i]], PROA_WORD_POSTED, 0, posted);
    }
    return PROA_OK;
}

static int exposed_check(const struct proa_win *win)
{
    if (!win->exposed)
        return proa_fail(PROA_ERR_RMA_SYNC, "no exposure epoch is open: there was no MPI_Win_post");
    return PROA_OK;
}

/* Returns whether that origin of the exposure epoch has completed. */
PROA_FORMS int has_completed(const struct proa_win *win, int rank, const struct proa_words *words)
{
    return words->notified(win, rank, PROA_WORD_COMPLETED) > words->pair(win, rank)->waits;
}

/* Sends delayed posts now, as an origin that has not completed may wait for our post. */
PROA_FORMS void hurry(const struct proa_win *win, const struct proa_words *words)
{
    for (int i = 0; words->hurry && i < win->exposed_group.count; i++)
        if (!has_completed(win, win->exposed_group.rank[i], words))
            words->hurry(win, win->exposed_group.rank[i]);
}

PROA_FORM int proa_wait_as(struct proa_win *win, const struct proa_words *words)
{
    int error = exposed_check(win);

    if (error)
        return error;
    hurry(win, words);
    for (int i = 0; i < win->exposed_group.count && !error; i++) {
        int rank = win->exposed_group.rank[i];

        error = words->await(win, rank, PROA_WORD_COMPLETED, 0, ++words->pair(win, rank)->waits);
    }
    proa_epoch_close_exposure(win);
    return error;
}

/* ---- test ---- */

PROA_FORMS int have_all_completed(const struct proa_win *win, const struct proa_words *words)
{
    for (int i = 0; i < win->exposed_group.count; i++)
        if (!has_completed(win, win->exposed_group.rank[i], words))
            return 0;
    return 1;
}

/* If an origin died before it completed, the call fails and the exposure epoch is over. */
static int test_for_gone(struct proa_win *win, const struct proa_words *words)
{
    proa_vigil_looks(&win->tests);
    for (int i = 0; i < win->exposed_group.count; i++) {
        int rank = win->exposed_group.rank[i];

        if (proa_is_failed(win, rank) && !has_completed(win, rank, words)) {
            proa_epoch_close_exposure(win);
            return proa_failed_report(win, rank);
        }
    }
    return PROA_OK;
}

/* A program that tests in a loop must still let other processes run, and the host's messages
 * progress. */
PROA_FORM int proa_test_as(struct proa_win *win, int *flag, const struct proa_words *words)
{
    int error = exposed_check(win);

    if (error)
        return error;
    *flag = have_all_completed(win, words);
    if (!*flag) {
        hurry(win, words);
        proa_wait_idle();
        *flag = have_all_completed(win, words);
    }
    if (!*flag)
        return test_for_gone(win, words);
    for (int i = 0; i < win->exposed_group.count; i++)
        words->pair(win, win->exposed_group.rank[i])->waits++;
    proa_epoch_close_exposure(win);
    return PROA_OK;
}

/* ---- of windows of one node ---- */

int proa_start_node(struct proa_win *win, const int *ranks, int count, int mode)
{
    return proa_start_as(win, ranks, count, mode, &node_words);
}

int proa_post_node(struct proa_win *win, const int *ranks, int count)
{
    return proa_post_as(win, ranks, count, &node_words);
}

int proa_await_node(struct proa_win *win, int target)
{
    return win->started ? proa_await_as(win, target, 1, &node_words)
                        : proa_fence_await(win, target);
}

int proa_complete_node(struct proa_win *win)
{
    int error = proa_complete_check(win);

    if (error)
        return error;
    proa_complete_ops_node(win, PROA_COMPLETED_IN_ORDER, 0);
    proa_complete_as(win, &node_words);
    return PROA_OK;
}

int proa_wait_node(struct proa_win *win)
{
    return proa_wait_as(win, &node_words);
}

int proa_test_node(struct proa_win *win, int *flag)
{
    return proa_test_as(win, flag, &node_words);
}
