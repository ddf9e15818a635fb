/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers over the processes of a window. */
#ifndef PROA_SYNC_BARRIER_H
#define PROA_SYNC_BARRIER_H

#include "sync/sync.h"
#include "sync/tell.h"

/* Returns once every process of the window has called it for this, the same, time. What they stored
 * before is visible after. PROA_OK; or a negative code, of a process that is gone: then no barrier
 * of this window is passed again. */
static inline int proa_barrier(struct proa_win *win)
{
    return win->sync->barrier(win);
}

/* The same in a window of one node. */
int proa_barrier_node(struct proa_win *win) PROA_HOT;
int proa_barrier_disseminate(struct proa_win *win, uint64_t number) PROA_HOT;

/* The same, and when it returns no other process reads or writes this process's shared words for
 * the window any more on account of a barrier: the form for MPI_Win_free. */
int proa_barrier_last(struct proa_win *win);

/* Which kind is for this window of one node: do its processes outnumber their processors? The same
 * answer on all of them. */
enum proa_barrier_kind proa_barrier_choose(const struct proa_win *win);

/* ---- the algorithm of one, for all kinds of windows ---- */

/* Dissemination (Hensgen, Finkel, Manber 1988): in round k process i tells i + 2^k and hears from i
 * - 2^k. No atomics, and for two processes the two-flag barrier that one would write by hand. */
PROA_FORMS int proa_disseminate(struct proa_win *win, uint64_t number,
                                const struct proa_words *words)
{
    int error = PROA_OK;

    for (int k = 0, distance = 1; distance < win->size && !error; k++, distance *= 2) {
        int next = win->rank + distance; /* distance < size: at most once around */
        const struct proa_target *partner =
            &win->targets[next < win->size ? next : next - win->size];

        /* of all that we stored, and all that we heard of in earlier rounds */
        words->tell(win, partner, PROA_WORD_ROUND, k, number);
        error = words->hear(win, -1, PROA_WORD_ROUND, k, number);
    }
    return error;
}

#endif
