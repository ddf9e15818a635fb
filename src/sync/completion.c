/* SPDX-License-Identifier: BSD-3-Clause */
/* See completion.h. */
#include "sync/completion.h"

int proa_complete_ops_threads(struct proa_win *win, int target, enum proa_completion how)
{
    (void)target;
    if (how == PROA_COMPLETED_LOCAL || !(proa_epoch_touched(win) & PROA_TOUCH_STORED))
        return PROA_OK;
    proa_polls_stored(&win->polls);
    if (how == PROA_COMPLETED_VISIBLE) {
        proa_membar_full();
        if (!win->threads) /* another thread may just have touched it again */
            proa_touch_nothing(win);
    }
    return PROA_OK;
}
