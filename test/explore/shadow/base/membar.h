/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands before src/base/membar.h on the include path of the explorer, where membarrier(2) works
 * and no node is oversubscribed: each fence calls the explorer with its place (explore.h). */
#ifndef PROA_BASE_MEMBAR_H
#define PROA_BASE_MEMBAR_H

#include "base/atomic.h"
#include "base/hidden.h"

enum { proa_membar_light_is_full, proa_membar_rings_are_full = 0 };

#define proa_membar_heavy() explore_fence(EXPLORE_PLACE("proa_membar_heavy", , EXPLORE_HEAVY))
#define proa_membar_light() explore_fence(EXPLORE_PLACE("proa_membar_light", , EXPLORE_LIGHT))
#define proa_membar_ring() explore_fence(EXPLORE_PLACE("proa_membar_ring", , EXPLORE_LIGHT))
#define proa_membar_ring_behind_atomic() \
    explore_fence(EXPLORE_PLACE("proa_membar_ring_behind_atomic", , EXPLORE_LIGHT))
#define proa_membar_full() explore_fence(EXPLORE_PLACE("proa_membar_full", , PROA_SEQ_CST))

static inline int proa_membar_start(void)
{
    return 1;
}

static inline void proa_membar_weaken(void)
{
}

static inline void proa_membar_set_rings(int full)
{
    (void)full;
}

#endif
