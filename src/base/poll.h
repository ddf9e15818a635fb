/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that return at once, and that a program may make in a loop until something has come (flush,
 * unlock, sync, a request that is complete from the start): the loop must let the host's messages
 * move, as what it waits for may depend on one, and where processors are short let others run. Each
 * call counts itself in a word of its window.
 */
#ifndef PROA_BASE_POLL_H
#define PROA_BASE_POLL_H

#include <stdint.h>

/* All zero is a fresh one. */
struct proa_polls {
    uint32_t left; /* calls until the next turn of the others, less one */
    /* one of them has completed a store since the last turn: that is work, and no polling */
    uint8_t stored;
};

/* The others get their turn: use proa_polled. */
void proa_polls_turn(struct proa_polls *polls);

/* For each such call, before it returns. */
static inline void proa_polled(struct proa_polls *polls)
{
    uint32_t left = __atomic_load_n(&polls->left, __ATOMIC_RELAXED) - 1;

    __atomic_store_n(&polls->left, left, __ATOMIC_RELAXED);
    if (__builtin_expect((int32_t)left < 0, 0))
        proa_polls_turn(polls);
}

/* A call has made something visible to others. */
static inline void proa_polls_stored(struct proa_polls *polls)
{
    __atomic_store_n(&polls->stored, 1, __ATOMIC_RELAXED);
}

#endif
