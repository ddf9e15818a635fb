/* SPDX-License-Identifier: BSD-3-Clause */
/* See settle.h. */
#include "core/settle.h"
#include "core/remote.h"

int proa_settle_generally(struct proa_win *win, int target, enum proa_settled how)
{
    int error =
        __atomic_load_n(&win->remotes, __ATOMIC_RELAXED) ? proa_remote_settle(win, target, how) : 0;

    if (how == PROA_SETTLED_LOCAL || !(proa_epoch_touched(win) & PROA_TOUCH_STORED))
        return error;
    proa_polls_stored(&win->polls);
    if (how != PROA_SETTLED_VISIBLE)
        return error;
    proa_membar_full();
    if (!win->threads) /* another thread may just have touched it again */
        proa_touch_nothing(win);
    return error;
}
