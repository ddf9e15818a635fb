/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes in a lock, counted by themselves. */
#ifndef PROA_TEST_INSIDE_H
#define PROA_TEST_INSIDE_H

#include "move.h"

#include "sync/rwlock.h"

#include <sched.h>

/* The processes inside, counted by themselves. */
struct inside {
    uint32_t exclusive[WORLD_MOST], shared[WORLD_MOST], all;
    uint32_t step[8];
    uint32_t entries, stop;
};

static inline struct inside *inside_of(struct world *world)
{
    return (struct inside *)(void *)world->shared;
}

/* Is a writer inside, or at the head of the queue? */
static inline int has_writer(const struct proa_rwlock *lock)
{
    return (__atomic_load_n(&lock->state, __ATOMIC_SEQ_CST) & (PROA_RW_HELD | PROA_RW_WANTED)) != 0;
}

static inline void check_exclusive(const struct inside *inside, int target)
{
    CHECK_EQUAL(__atomic_load_n(&inside->exclusive[target], __ATOMIC_SEQ_CST), 1);
    CHECK_EQUAL(__atomic_load_n(&inside->shared[target], __ATOMIC_SEQ_CST), 0);
    CHECK_EQUAL(__atomic_load_n(&inside->all, __ATOMIC_SEQ_CST), 0);
}

static inline void dwell(uint64_t *seed)
{
    uint64_t what = world_below(seed, 100);

    if (what < 5)
        sched_yield();
    else if (what < 6)
        world_sleep_us(30);
}

#endif
