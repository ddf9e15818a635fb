/* SPDX-License-Identifier: BSD-3-Clause */
/* See litmus.h. */
#include "litmus.h"
#include "../apart.h"

#include <time.h>

enum {
    BATCH = 1024, /* rounds between two looks at what was read */
    /* the sides start a turn up to so many steps apart: the one that hears later that both are
     * there has lost some */
    DELAYS = 64,
    MOST_S = 8 /* where the two share a processor, a round may take a turn of the scheduler */
};

/* Both sides' readings of a batch, in memory that both see. */
struct readings {
    int64_t read[2][BATCH];
    int over; /* the time is up, as the first side says; read between two meetings */
};

_Static_assert(sizeof(struct readings) <= LITMUS_BYTES, "room in the shared memory");

static void dally(uint64_t *seed)
{
    for (uint64_t left = world_below(seed, DELAYS); left > 0; left--)
        __asm__ __volatile__("" ::: "memory");
}

/* The word that we shall read is looked at before, so that the reading in the turn itself is
 * quick. */
static struct readings *batch(struct world *world, int64_t first, litmus_side *side, void *arg,
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
    return readings;
}

void litmus(struct world *world, long rounds, litmus_side *side, void *arg, const int64_t *own)
{
    uint64_t seed = (uint64_t)world->rank;
    time_t end = time(NULL) + MOST_S;
    int over = 0;

    CHECK_EQUAL(world->size, 2);
    processor_of_my_own(world->rank);
    for (int64_t first = 1; first <= rounds && !over; first += BATCH) {
        struct readings *readings = batch(world, first, side, arg, own, &seed);

        if (world->rank == 0)
            readings->over = time(NULL) > end;
        world_meet(world);
        over = readings->over;
    }
}
