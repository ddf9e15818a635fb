/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread makes a window while another one has the host's manager tell which ranks have Proa
 * (job/presence.c). */
#include "explore.h"
#include "job/presence.c"

enum { RANKS = 2 };

/* ---- a manager, without a tree of ranks that tell each other ---- */

static int is_here(void)
{
    return 1;
}

static uint64_t look(int rank)
{
    return rank ? PROA_KEY_ALONE : PROA_KEY_TELLS;
}

const struct proa_manager proa_manager_pmix = {.is_here = is_here, .look = look};
const struct proa_manager proa_manager_pmi = {.is_here = is_here, .look = look};

uint64_t *proa_roll_call(const struct proa_manager *manager, int rank, int size, int tells)
{
    static uint64_t roll[RANKS];

    (void)rank, (void)tells;
    for (int i = 0; i < size; i++)
        roll[i] = manager->look(i);
    return roll;
}

/* ---- the scenario ---- */

static void prepare(void)
{
    explore_share(&job, sizeof job);
}

static void setup(void)
{
}

static void looked_up(int thread)
{
    if (thread == 0)
        proa_presence_look(0, RANKS, 1);
    else if (is_known())
        explore_check(job.size == RANKS && job.count == 0 && job.roll[0] == PROA_KEY_TELLS &&
                      job.roll[1] == PROA_KEY_ALONE);
}

const struct explore_scenario explore_presences[] = {
    {.name = "presences.looked_up",
     .threads = 2,
     .prepare = prepare,
     .setup = setup,
     .body = looked_up},
    {0},
};
