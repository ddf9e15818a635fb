/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion: every call that completes operations (flush, unlock, complete, fence, a request)
 * calls proa_complete_ops() first.
 *
 * On a node the data is in place when an operation returns. Only a memory fence of this processor
 * may be left to do, and only if no store follows that releases the data. A process that learns of
 * the completion by such a store (sync/tell.h, an unlock) sees the data anyway. Between nodes the
 * operations are in flight, and remote/origin.c tracks them.
 */
#ifndef PROA_SYNC_COMPLETION_H
#define PROA_SYNC_COMPLETION_H

#include "base/fail.h"
#include "window/epoch.h"
#include "window/sync_ops.h"

/* Orders this process's stores before all that follows. */
static inline void proa_complete_ops_stores(struct proa_win *win)
{
    if (!(proa_epoch_touched(win) & PROA_TOUCH_STORED))
        return;
    proa_membar_full();
    proa_polls_stored(&win->polls);
    proa_touch_nothing(win);
}

/* On one node, in a process of one thread: nothing is waited for, and nothing fails. */
static inline void proa_complete_ops_node(struct proa_win *win, enum proa_completion how)
{
    if (how == PROA_COMPLETED_VISIBLE)
        proa_complete_ops_stores(win);
    else if (how != PROA_COMPLETED_LOCAL && proa_epoch_touched(win) & PROA_TOUCH_STORED)
        proa_polls_stored(&win->polls); /* stores under a lock are work, and no mere polling */
}

/* The same where other threads of the process may touch the window at any time; a row of the table
 * in window/sync_ops.h. PROA_OK, for any target. */
int proa_complete_ops_threads(struct proa_win *win, int target, enum proa_completion how);

#endif
