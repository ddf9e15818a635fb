/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completion: every call that completes operations (flush, unlock, complete, fence, a request)
 * calls this first.
 *
 * On a node the data is in place when an operation returns. Only a memory fence of this processor
 * may be needed, and only if no store follows that releases the data. A process that detects the
 * completion by such a store (sync/notify.h, an unlock) sees the data anyway. Between nodes the
 * operations are in flight, and remote/origin.c tracks them.
 */
#ifndef PROA_SYNC_COMPLETION_H
#define PROA_SYNC_COMPLETION_H

#include "base/fail.h"
#include "window/epoch.h"
#include "window/sync_ops.h"

/* For windows of one node: does not wait and does not fail. threads: 1 if other threads of this
 * process may already have issued operations again. */
PROA_FORMS void proa_complete_ops_node(struct proa_win *win, enum proa_completion how, int threads)
{
    if (how == PROA_COMPLETED_LOCAL || !(proa_epoch_touched(win) & PROA_TOUCH_STORED))
        return;
    proa_polls_stored(&win->polls); /* stores under a lock are work, not mere polling */
    if (how != PROA_COMPLETED_VISIBLE)
        return;
    proa_membar_full();
    if (!threads)
        proa_touch_nothing(win);
}

#endif
