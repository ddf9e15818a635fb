/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion: every call that completes operations (flush, unlock, complete, fence, a request)
 * calls proa_settle() first.
 *
 * On a node the bytes lie where they belong when an operation returns. What is left to do then is a
 * fence of this processor, and that only where no store follows that releases them: whoever is told
 * of the completion by such a store (sync/tell.h, an unlock) sees them anyway. Between nodes they
 * are on their way, and remote/origin.c knows how far.
 */
#ifndef PROA_SYNC_SETTLE_H
#define PROA_SYNC_SETTLE_H

#include "base/fail.h"
#include "window/epoch.h"
#include "window/sync_ops.h"

/* Our stores, before all that follows. */
static inline void proa_settle_stores(struct proa_win *win)
{
    if (!(proa_epoch_touched(win) & PROA_TOUCH_STORED))
        return;
    proa_membar_full();
    proa_polls_stored(&win->polls);
    proa_touch_nothing(win);
}

/* On one node, in a process of one thread: nothing is waited for, and nothing fails. */
static inline void proa_settle_node(struct proa_win *win, enum proa_settled how)
{
    if (how == PROA_SETTLED_VISIBLE)
        proa_settle_stores(win);
    else if (how != PROA_SETTLED_LOCAL && proa_epoch_touched(win) & PROA_TOUCH_STORED)
        proa_polls_stored(&win->polls); /* stores under a lock are work, and no mere polling */
}

/* The same where other threads of the process may touch the window at any time. */
void proa_settle_threads(struct proa_win *win, enum proa_settled how);

#endif
