/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * General active target synchronization: post, start, complete, wait, test (MPI-4.1, 13.5.2).
 *
 * The standard matches the calls like sends and receives on a hidden communicator. Here each
 * directed pair of processes has two counters (core/pair.h): how often
 * one has posted to the other, and how often the other has completed towards it. The k-th start of
 * a pair matches the k-th post, the k-th wait the k-th complete; so a process that runs ahead, even
 * past several epochs without an operation, is never taken for another one. NOCHECK skips the
 * waiting, not the counting.
 */
#include "base/fail.h"
#include "core/pair.h"
#include "core/remote.h"
#include "core/settle.h"
#include "core/spread.h"
#include "core/strict.h"
#include "core/sync.h"
#include "core/tell.h"

#include <stdlib.h>

static __attribute__((noinline)) int ranks_room(struct proa_ranks *group, int count)
{
    int *rank = realloc(group->rank, 2 * (size_t)count * sizeof *rank);

    if (!rank)
        return proa_fail(PROA_ERR_NO_MEM, "no memory for a group of %d processes", count);
    group->rank = rank;
    group->room = 2 * count;
    return PROA_OK;
}

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

PROA_FORMS int start(struct proa_win *win, const int *ranks, int count, int mode, int general)
{
    int error = start_check(win);

    if (!error && general && win->spread)
        error = proa_pairs_expect(win, ranks, count);
    if (!error)
        error = ranks_copy(&win->started_group, ranks, count);
    if (error)
        return error;
    for (int i = 0; i < count; i++) {
        int rank = ranks[i];

        proa_pair_of(win, rank, general)->starts++;
        proa_epoch_start_target(&win->targets[rank], !(mode & PROA_MODE_NOCHECK));
    }
    proa_epoch_open_start(win);
    return PROA_OK;
}

static __attribute__((noinline)) int start_generally(struct proa_win *win, const int *ranks,
                                                     int count, int mode)
{
    return start(win, ranks, count, mode, 1);
}

int proa_win_start(struct proa_win *win, const int *ranks, int count, int mode)
{
    return PROA_GENERALLY(win) ? start_generally(win, ranks, count, mode)
                               : start(win, ranks, count, mode, 0);
}

/* What is done on another node waits there (core/batch.h), or is the network's own put or get,
 * which looks again. */
PROA_FORMS int waits_there(const struct proa_win *win, int target, int general)
{
    return general && win->targets[target].away && !proa_is_gone(win, target);
}

PROA_FORMS int await_post(struct proa_win *win, int target, int general)
{
    uint64_t epoch = proa_pair_of(win, target, general)->starts, posted;
    int error = waits_there(win, target, general)
                    ? PROA_OK
                    : proa_hear_form(win, target, PROA_WORD_POSTED, 0, 2 * epoch, general);

    if (error)
        return error;
    posted = proa_heard(win, target, PROA_WORD_POSTED, general);
    if (!general || posted >= 2 * epoch)
        proa_epoch_seen_post(&win->targets[target], posted == 2 * epoch + 1);
    return PROA_OK;
}

static __attribute__((noinline)) int await_post_generally(struct proa_win *win, int target)
{
    return await_post(win, target, 1);
}

int proa_start_await(struct proa_win *win, int target)
{
    return PROA_GENERALLY(win) ? await_post_generally(win, target) : await_post(win, target, 0);
}

/* What was fetched from other nodes comes with the answers. */
static int finish_completed(struct proa_win *win)
{
    int error = PROA_OK;

    for (int i = 0; i < win->started_group.count; i++) {
        int one = proa_remote_completed(win, win->started_group.rank[i]);

        error = error ? error : one;
    }
    return error;
}

PROA_FORMS int complete(struct proa_win *win, int general)
{
    int error = PROA_OK;

    if (!win->started)
        return proa_fail(PROA_ERR_RMA_SYNC, "no access epoch is open: there was no MPI_Win_start");
    for (int i = 0; i < win->started_group.count && !error; i++)
        error = proa_settle_form(win, win->started_group.rank[i], PROA_SETTLED_IN_ORDER, general);
    if (error)
        return error;
    for (int i = 0; i < win->started_group.count; i++) {
        int rank = win->started_group.rank[i];
        struct proa_target *target = &win->targets[rank];

        proa_epoch_complete_target(target);
        /* of our operations */
        proa_tell_form(win, target, PROA_WORD_COMPLETED, 0,
                       ++proa_pair_of(win, rank, general)->completes, general);
    }
    proa_epoch_close_start(win);
    return general && win->remotes ? finish_completed(win) : PROA_OK;
}

static __attribute__((noinline)) int complete_generally(struct proa_win *win)
{
    return complete(win, 1);
}

int proa_win_complete(struct proa_win *win)
{
    return PROA_GENERALLY(win) ? complete_generally(win) : complete(win, 0);
}

/* ---- the target's side ---- */

/* A lock that a neighbour holds on us is not looked at: it may be one that follows an access epoch
 * without operations, whose start and complete have not waited for this post. */
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

/* Where the window was locked while it was exposed, this process may work on it too: no origin is
 * told that it is the only one. */
static int post_is_sole(const struct proa_win *win, int count)
{
    return count == 1 && !(win->lax & PROA_LAX_EXPOSED);
}

PROA_FORMS int post(struct proa_win *win, const int *ranks, int count, int general)
{
    int error = post_check(win), sole;

    if (!error && general && win->spread)
        error = proa_pairs_expect(win, ranks, count);
    if (!error)
        error = ranks_copy(&win->exposed_group, ranks, count);
    if (error)
        return error;
    proa_epoch_open_exposure(win);
    sole = post_is_sole(win, count);
    for (int i = 0; i < count; i++) {
        const struct proa_target *target = &win->targets[ranks[i]];
        uint64_t posted = 2 * ++proa_pair_of(win, ranks[i], general)->posts + (uint64_t)sole;

        /* of our loads and stores before the exposure */
        proa_tell_form(win, target, PROA_WORD_POSTED, 0, posted, general);
    }
    return PROA_OK;
}

static __attribute__((noinline)) int post_generally(struct proa_win *win, const int *ranks,
                                                    int count)
{
    return post(win, ranks, count, 1);
}

/* NOCHECK, NOSTORE and NOPUT allow nothing to be skipped that would not cost more to tell. */
int proa_win_post(struct proa_win *win, const int *ranks, int count, int mode)
{
    (void)mode;
    return PROA_GENERALLY(win) ? post_generally(win, ranks, count) : post(win, ranks, count, 0);
}

static int exposed_check(const struct proa_win *win)
{
    if (!win->exposed)
        return proa_fail(PROA_ERR_RMA_SYNC, "no exposure epoch is open: there was no MPI_Win_post");
    return PROA_OK;
}

PROA_FORMS int await_completed(struct proa_win *win, int general)
{
    int error = exposed_check(win);

    if (error)
        return error;
    for (int i = 0; i < win->exposed_group.count && !error; i++) {
        int rank = win->exposed_group.rank[i];

        error = proa_hear_form(win, rank, PROA_WORD_COMPLETED, 0,
                               ++proa_pair_of(win, rank, general)->waits, general);
    }
    proa_epoch_close_exposure(win);
    return error;
}

static int has_completed(const struct proa_win *win, int rank)
{
    return proa_heard(win, rank, PROA_WORD_COMPLETED, 1) > proa_pair_of(win, rank, 1)->waits;
}

/* Who has not completed may wait for our post: it goes now, if it has not gone. */
static void say_posts(const struct proa_win *win)
{
    for (int i = 0; i < win->exposed_group.count; i++)
        if (!has_completed(win, win->exposed_group.rank[i]))
            proa_remote_say(win, win->exposed_group.rank[i]);
}

static __attribute__((noinline)) int await_generally(struct proa_win *win)
{
    if (win->exposed && win->spread)
        say_posts(win);
    return await_completed(win, 1);
}

int proa_win_wait(struct proa_win *win)
{
    return PROA_GENERALLY(win) ? await_generally(win) : await_completed(win, 0);
}

static int all_completed(const struct proa_win *win)
{
    for (int i = 0; i < win->exposed_group.count; i++)
        if (!has_completed(win, win->exposed_group.rank[i]))
            return 0;
    return 1;
}

/* A program that tests in a loop must still let the others, and the host's messages, get on. */
static void get_on(const struct proa_win *win)
{
    if (win->spread)
        say_posts(win);
    proa_wait_idle();
}

/* Fails if an origin is gone that has not completed. PROA_OK: none is. */
static int report_gone(const struct proa_win *win)
{
    for (int i = 0; i < win->exposed_group.count; i++) {
        int rank = win->exposed_group.rank[i];

        if (proa_is_gone(win, rank) && !has_completed(win, rank))
            return proa_gone_report(win, rank);
    }
    return PROA_OK;
}

/* And it waits for a process that may have died. */
static int look_for_gone(struct proa_win *win)
{
    int error;

    proa_vigil_looks(&win->tests);
    error = report_gone(win);
    if (error)
        proa_epoch_close_exposure(win);
    return error;
}

int proa_win_test(struct proa_win *win, int *flag)
{
    int error = exposed_check(win);

    if (error)
        return error;
    *flag = all_completed(win);
    if (!*flag) {
        get_on(win);
        *flag = all_completed(win);
    }
    if (!*flag)
        return look_for_gone(win);
    for (int i = 0; i < win->exposed_group.count; i++)
        proa_pair_of(win, win->exposed_group.rank[i], 1)->waits++;
    proa_epoch_close_exposure(win);
    return PROA_OK;
}
