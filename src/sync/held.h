/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which locks this process holds, and whether anybody waits for one of them.
 *
 * Asked only by somebody who has found a lock taken (sync/lock.c). So nothing is counted when a
 * lock is taken or given back: the answer is read from the epochs of the process's windows, where a
 * lock that is not granted yet, or that NOCHECK has not taken, does not stand.
 */
#ifndef PROA_SYNC_HELD_H
#define PROA_SYNC_HELD_H

#include "window/win.h"

/* A window whose locks count, from its creation until its memory goes. */
void proa_held_watch(struct proa_win *win);
void proa_held_forget(struct proa_win *win);

/* Does this process hold any lock, of any target of any window? */
int proa_held_any(void);

/* Does somebody wait for a lock that this thread holds; or, threads not asked for, any thread of
 * this process? Threads are those that took the lock: one that another thread will give back counts
 * for the former. */
enum proa_holder { PROA_HOLDER_THREAD, PROA_HOLDER_PROCESS };
int proa_held_wanted(enum proa_holder holder);

#endif
