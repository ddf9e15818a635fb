/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers over the processes of a window. */
#ifndef PROA_CORE_BARRIER_H
#define PROA_CORE_BARRIER_H

#include "core/win.h"

/* Returns once every process of the window has called it for this, the same, time. What they stored
 * before is visible after. PROA_OK; or a negative code, of a process that is gone: then no barrier
 * of this window is passed again. */
int proa_barrier(struct proa_win *win) PROA_HOT;

/* The same, and when it returns no other process reads or writes this process's shared words for
 * the window any more on account of a barrier: the form for MPI_Win_free. */
int proa_barrier_last(struct proa_win *win);

/* Which kind is for this window: do its processes outnumber their processors, are they on several
 * nodes? The same answer on all of them. */
enum proa_barrier_kind proa_barrier_choose(const struct proa_win *win);

#endif
