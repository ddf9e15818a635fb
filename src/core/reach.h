/* SPDX-License-Identifier: BSD-3-Clause */
/* How a target's memory is reached, for those who tell of it. */
#ifndef PROA_CORE_REACH_H
#define PROA_CORE_REACH_H

#include "core/win.h"

/* BY_REGION: a dynamic window's, which may have regions of several kinds. */
enum proa_reach { PROA_BY_STORE, PROA_BY_KERNEL, PROA_BY_NETWORK, PROA_BY_REGION };

/* Of several ways the slowest. */
static inline enum proa_reach proa_reach_of(const struct proa_target *target)
{
    if (target->away)
        return PROA_BY_NETWORK;
    for (uint32_t i = 0; i < target->span_count; i++)
        if (target->spans[i].road == &proa_road_cma)
            return PROA_BY_KERNEL;
    return target->span_count ? PROA_BY_STORE : PROA_BY_REGION;
}

#endif
