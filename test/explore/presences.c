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

static enum proa_key look(int rank)
{
    return rank ? PROA_KEY_ALONE : PROA_KEY_TELLS;
}

const struct proa_manager proa_manager_pmix = {.is_here = is_here, .look = look};
const struct proa_manager proa_manager_pmi = {.is_here = is_here, .look = look};

int proa_roll_teller(const struct proa_manager *manager, int rank)
{
    (void)manager, (void)rank;
    return -1;
}

int proa_roll_hear(int teller, char *roll, int size)
{
    (void)teller, (void)roll, (void)size;
    return 0;
}

void proa_roll_tell(int rank, const char *roll, int size)
{
    (void)rank, (void)roll, (void)size;
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
