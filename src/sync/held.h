/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The locks that this process holds, and whether there is a waiter for one of them.
 *
 * A process asks this only after it has found a lock taken (sync/lock.c). So taking a lock and
 * giving it back count nothing. The answer is read from the epochs of the process's windows. A lock
 * that is not granted yet, or that NOCHECK has not taken, does not count there.
 */
#ifndef PROA_SYNC_HELD_H
#define PROA_SYNC_HELD_H

#include "window/win.h"

/* proa_held_watch adds a window, at its creation, to those whose locks count; proa_held_forget
 * removes it, before its memory goes. */
void proa_held_watch(struct proa_win *win);
void proa_held_forget(struct proa_win *win);

/* Does this process hold any lock, of any target of any window? */
int proa_held_any(void);

/* Is there a waiter for a lock that this thread holds; or, with PROA_HOLDER_PROCESS, any thread of
 * this process? A lock counts for the thread that took it, even if another thread will give it
 * back. */
enum proa_holder { PROA_HOLDER_THREAD, PROA_HOLDER_PROCESS };
int proa_held_wanted(enum proa_holder holder);

#endif
