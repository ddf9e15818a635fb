/* SPDX-License-Identifier: BSD-3-Clause */
/* See settle.h. */
#include "sync/settle.h"

int proa_settle_threads(struct proa_win *win, int target, enum proa_settled how)
{
    (void)target;
    if (how == PROA_SETTLED_LOCAL || !(proa_epoch_touched(win) & PROA_TOUCH_STORED))
        return PROA_OK;
    proa_polls_stored(&win->polls);
    if (how == PROA_SETTLED_VISIBLE) {
        proa_membar_full();
        if (!win->threads) /* another thread may just have touched it again */
            proa_touch_nothing(win);
    }
    return PROA_OK;
}
