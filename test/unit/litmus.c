/* SPDX-License-Identifier: BSD-3-Clause */
/* See litmus.h. */
#include "litmus.h"
#include "../apart.h"

enum {
    BATCH = 1024, /* rounds between two looks at what was read */
    /* the sides start a turn up to so many steps apart: who is told later that both are there has
     * lost some */
    DELAYS = 64
};

/* Both sides' readings of a batch, in memory that both see. */
struct readings {
    int64_t read[2][BATCH];
};

_Static_assert(sizeof(struct readings) <= LITMUS_BYTES, "room in the shared memory");

static void dally(uint64_t *seed)
{
    for (uint64_t left = world_below(seed, DELAYS); left > 0; left--)
        __asm__ __volatile__("" ::: "memory");
}

/* The word that we shall read is looked at before, so that the reading in the turn itself is
 * quick. */
static void batch(struct world *world, int64_t first, litmus_side *side, void *arg,
                  const int64_t *own, uint64_t *seed)
{
    struct readings *readings = (struct readings *)(void *)world->shared;

    for (int i = 0; i < BATCH; i++) {
        world_meet(world);
        __atomic_load_n(own, __ATOMIC_RELAXED);
        dally(seed);
        readings->read[world->rank][i] = side(arg, first + i);
    }
    world_meet(world);
    for (int i = 0; i < BATCH; i++)
        CHECK(readings->read[0][i] >= first + i || readings->read[1][i] >= first + i);
    world_meet(world);
}

void litmus(struct world *world, long rounds, litmus_side *side, void *arg, const int64_t *own)
{
    uint64_t seed = (uint64_t)world->rank;

    CHECK_EQUAL(world->size, 2);
    processor_of_my_own(world->rank);
    for (int64_t first = 1; first <= rounds; first += BATCH)
        batch(world, first, side, arg, own, &seed);
}
