/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polling calls: calls that return at once and that a program may repeat until an event. These are
 * flush, unlock, sync, and calls for a request that is complete from the start. The loop must let
 * the host's messages move, as the awaited event may depend on one. If oversubscribed, it must let
 * other threads run. Each call is counted in a word of its window.
 */
#ifndef PROA_BASE_POLL_H
#define PROA_BASE_POLL_H

#include "base/atomic.h"

#include <stdint.h>

/* The counter of a window's polling calls; all zero at first. */
struct proa_polls {
    /* calls until the host and other threads run next, less one */
    uint32_t left;
    /* a call has completed a store since the last turn: that is work, not polling */
    uint8_t stored;
};

/* Lets the host's messages move and other threads run. Callers use proa_polled. */
void proa_polls_turn(struct proa_polls *polls);

/* Called by each polling call before it returns. */
static inline void proa_polled(struct proa_polls *polls)
{
    uint32_t left = proa_atomic_load(&polls->left, PROA_RELAXED) - 1;

    proa_atomic_store(&polls->left, left, PROA_RELAXED);
    if (__builtin_expect((int32_t)left < 0, 0))
        proa_polls_turn(polls);
}

/* Records that a call has made a store visible to other processes. */
static inline void proa_polls_stored(struct proa_polls *polls)
{
    proa_atomic_store(&polls->stored, 1, PROA_RELAXED);
}

#endif
