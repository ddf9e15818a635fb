/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring of hits that handlers of signals fill, on any thread, and that one thread empties
 * (traps/trap.c). */
#include "explore.h"
#include "traps/trap.c"

static struct shared {
    uint32_t taken;
} * s;

/* The ring has room for one hit more. */
static void prepare(void)
{
    written = HITS - 1;
    taken = 0;
    lost = 0;
    for (uint32_t i = 0; i < HITS; i++)
        ring[i].filled = i < written ? i + 1 : 0;
    explore_share(ring, sizeof ring);
    explore_share(&written, sizeof written);
    explore_share(&taken, sizeof taken);
    explore_share(&lost, sizeof lost);
}

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
}

static void setup_empty(void)
{
    setup();
    written = ring[0].filled = ring[1].filled = ring[2].filled = 0;
}

static void hit(int thread)
{
    proa_trap_write_down(&(struct proa_trap_hit){.cookie = 1 + (uint64_t)thread});
}

/* Two threads are hit, while a third one asks. */
static void empty(int thread)
{
    struct proa_trap_hit next;

    if (thread)
        hit(thread);
    else
        while (s->taken < 2 && proa_trap_next(&next)) {
            explore_check(next.cookie == 2 || next.cookie == 3);
            s->taken++;
        }
}

static void none_is_lost(void)
{
    explore_check(written == 2 && taken == s->taken && proa_trap_lost() == 0);
}

/* The second hit takes the place of the one that is read. */
static void full(int thread)
{
    struct proa_trap_hit next;

    if (thread == 0) {
        explore_check(proa_trap_next(&next) && next.cookie == 0);
        return;
    }
    hit(thread);
    hit(thread);
}

static void one_is_lost_or_none(void)
{
    explore_check(written + lost == HITS + 1);
}

const struct explore_scenario explore_hits[] = {
    {.name = "hits.empty",
     .threads = 3,
     .prepare = prepare,
     .setup = setup_empty,
     .body = empty,
     .finish = none_is_lost,
     .preemptions = 1,
     .stale = 1},
    {.name = "hits.full",
     .threads = 2,
     .prepare = prepare,
     .setup = setup,
     .body = full,
     .finish = one_is_lost_or_none},
    {0},
};
