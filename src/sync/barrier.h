/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers over the processes of a window. */
#ifndef PROA_SYNC_BARRIER_H
#define PROA_SYNC_BARRIER_H

#include "sync/sync.h"
#include "sync/notify.h"

/* Returns once every process of the window has called it as many times as this process. Stores of
 * all processes before their calls are visible after it. Returns PROA_OK, or a negative code if a
 * process has failed; then no barrier of this window completes again. */
static inline int proa_barrier(struct proa_win *win)
{
    return win->sync->barrier(win);
}

/* The same in a window of one node. */
int proa_barrier_node(struct proa_win *win) PROA_HOT;
int proa_barrier_disseminate(struct proa_win *win, uint64_t number) PROA_HOT;

/* The same, for MPI_Win_free: after it returns, no barrier makes another process read or write this
 * process's shared words for the window. */
int proa_barrier_last(struct proa_win *win);

/* Row `unite` of the tables of windows of one node. */
int proa_unite_node(struct proa_win *win, uint32_t *bits);

/* Returns the kind of barrier for this window of one node. It depends on whether the processes
 * outnumber the processors that they may run on. All processes of the window get the same
 * result. */
enum proa_barrier_kind proa_barrier_choose(const struct proa_win *win);

#endif
