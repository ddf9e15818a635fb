/* SPDX-License-Identifier: BSD-3-Clause */
/* How a target's memory is reached: for programs that load and store in it themselves, and for
 * statistics. */
#ifndef PROA_RMA_REACH_H
#define PROA_RMA_REACH_H

#include "rma/road.h"
#include "window/win.h"

/* Where target's window memory starts in this process, for load and store; for a part of no bytes
 * of a contiguous shared window, where it would start. NULL where there is no such address, or none
 * that outlives the window: another's adopted memory. */
static inline char *proa_win_load_store(struct proa_win *win, int target)
{
    const struct proa_target *t = &win->targets[target];

    win->direct = 1;
    if (t->span_count != 1 || (t->only.adopted && target != win->rank))
        return NULL;
    return t->only.here;
}

/* BY_REGION: a dynamic window's, which may have regions of several kinds. */
enum proa_reach { PROA_BY_STORE, PROA_BY_KERNEL, PROA_BY_NETWORK, PROA_BY_REGION };

/* Of several ways the slowest. */
static inline enum proa_reach proa_reach_of(const struct proa_target *target)
{
    if (target->remote)
        return PROA_BY_NETWORK;
    for (uint32_t i = 0; i < target->span_count; i++)
        if (target->spans[i].road == PROA_ROAD_CMA)
            return PROA_BY_KERNEL;
    return target->span_count ? PROA_BY_STORE : PROA_BY_REGION;
}

#endif
