/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * General active target synchronization: post, start, complete, wait, test (MPI-4.1, 13.5.2).
 *
 * The standard matches the calls like sends and receives on a hidden communicator. Here each
 * directed pair of processes has two counters (sync/pair.h): how often one has posted to the other,
 * and how often the other has completed towards it. The k-th start of a pair matches the k-th post,
 * the k-th wait the k-th complete. So no epoch is mistaken for another, even if a process runs
 * ahead past several epochs without an operation. NOCHECK skips the waiting, not the counting.
 *
 * The bodies below are compiled twice, for two tables of struct proa_words: in pscw.c for windows
 * of one node, in remote/sync.c for others.
 */
#ifndef PROA_SYNC_PSCW_H
#define PROA_SYNC_PSCW_H

#include "base/fail.h"
#include "window/strict.h"
#include "sync/sync.h"
#include "sync/tell.h"

/* ---- of windows of one node: rows of the tables in sync/sync.h ---- */

int proa_start_node(struct proa_win *win, const int *ranks, int count, int mode) PROA_HOT;
int proa_post_node(struct proa_win *win, const int *ranks, int count) PROA_HOT;
int proa_complete_node(struct proa_win *win) PROA_HOT;
int proa_wait_node(struct proa_win *win) PROA_HOT;
int proa_test_node(struct proa_win *win, int *flag);
int proa_await_node(struct proa_win *win, int target) PROA_HOT;

/* ---- checks, and the group ---- */

/* May an access epoch begin? May an exposure epoch begin? Is an exposure epoch open? PROA_OK or
 * PROA_ERR_RMA_SYNC. */
int proa_start_check(struct proa_win *win);
int proa_post_check(struct proa_win *win);
int proa_exposed_check(const struct proa_win *win);

/* Copies the ranks of a group. PROA_OK or PROA_ERR_NO_MEM. */
int proa_ranks_copy(struct proa_ranks *group, const int *ranks, int count);

/* Is the origin told that it is the only one to work on the window? Not if the window was locked
 * while exposed: then this process may work on it too. */
static inline int proa_post_is_sole(const struct proa_win *win, int count)
{
    return count == 1 && !(win->lax & PROA_LAX_EXPOSED);
}

/* Part of MPI_Win_test: an origin may have died. If one died before it completed, the call fails
 * and the exposure epoch is over. */
int proa_test_for_gone(struct proa_win *win, const struct proa_words *words);

/* ---- the origin's side ---- */

PROA_FORMS int proa_start_as(struct proa_win *win, const int *ranks, int count, int mode,
                             const struct proa_words *words)
{
    int error = proa_start_check(win);

    if (!error)
        error = proa_ranks_copy(&win->started_group, ranks, count);
    if (error)
        return error;
    for (int i = 0; i < count; i++) {
        words->pair(win, ranks[i])->starts++;
        proa_epoch_start_target(&win->targets[ranks[i]], !(mode & PROA_MODE_NOCHECK));
    }
    proa_epoch_open_start(win);
    return PROA_OK;
}

static inline int proa_complete_check(const struct proa_win *win)
{
    return win->started ? PROA_OK
                        : proa_fail(PROA_ERR_RMA_SYNC,
                                    "no access epoch is open: there was no MPI_Win_start");
}

/* Called once all operations are settled. */
PROA_FORMS void proa_complete_as(struct proa_win *win, const struct proa_words *words)
{
    for (int i = 0; i < win->started_group.count; i++) {
        int rank = win->started_group.rank[i];
        struct proa_target *target = &win->targets[rank];

        proa_epoch_complete_target(target);
        /* releases our operations */
        words->tell(win, target, PROA_WORD_COMPLETED, 0, ++words->pair(win, rank)->completes);
    }
    proa_epoch_close_start(win);
}

/* ---- the target's side ---- */

PROA_FORMS int proa_post_as(struct proa_win *win, const int *ranks, int count,
                            const struct proa_words *words)
{
    int error = proa_post_check(win), sole;

    if (!error)
        error = proa_ranks_copy(&win->exposed_group, ranks, count);
    if (error)
        return error;
    proa_epoch_open_exposure(win);
    sole = proa_post_is_sole(win, count);
    for (int i = 0; i < count; i++) {
        uint64_t posted = 2 * ++words->pair(win, ranks[i])->posts + (uint64_t)sole;

        /* releases our loads and stores before the exposure */
        words->tell(win, &win->targets[ranks[i]], PROA_WORD_POSTED, 0, posted);
    }
    return PROA_OK;
}

/* The body of MPI_Win_wait, in an exposure epoch. */
PROA_FORMS int proa_wait_as(struct proa_win *win, const struct proa_words *words)
{
    int error = PROA_OK;

    for (int i = 0; i < win->exposed_group.count && !error; i++) {
        int rank = win->exposed_group.rank[i];

        error = words->hear(win, rank, PROA_WORD_COMPLETED, 0, ++words->pair(win, rank)->waits);
    }
    proa_epoch_close_exposure(win);
    return error;
}

/* Has that origin of the exposure epoch completed? */
static inline int proa_has_completed(const struct proa_win *win, int rank,
                                     const struct proa_words *words)
{
    return words->heard(win, rank, PROA_WORD_COMPLETED) > words->pair(win, rank)->waits;
}

static inline int proa_have_all_completed(const struct proa_win *win,
                                          const struct proa_words *words)
{
    for (int i = 0; i < win->exposed_group.count; i++)
        if (!proa_has_completed(win, win->exposed_group.rank[i], words))
            return 0;
    return 1;
}

/* The end of MPI_Win_test: all origins have completed. */
static inline void proa_test_end(struct proa_win *win, const struct proa_words *words)
{
    for (int i = 0; i < win->exposed_group.count; i++)
        words->pair(win, win->exposed_group.rank[i])->waits++;
    proa_epoch_close_exposure(win);
}

#endif
