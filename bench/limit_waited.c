/* SPDX-License-Identifier: BSD-3-Clause */
/* What limit does where one process comes much later than the other (limit.h). */
#include "limit.h"

static const double away_ns = 1e9;

static void compute(void)
{
    double end_ns = loop_now_ns() + away_ns;

    while (loop_now_ns() < end_ns)
        continue;
}

/* Two flags; a waiting process only looks, as long as it takes. */
static void meet(struct team *team)
{
    struct word *reached = team->board->reached;
    uint64_t number = ++team->counter;

    team_tell(&reached[team->rank], number);
    while (__atomic_load_n(&reached[1 - team->rank].value, __ATOMIC_ACQUIRE) < number)
        team_pause();
}

/* From when rank 0 comes until rank 1 has seen that. */
void limit_waited_reaction(struct team *team, long n)
{
    double *seen_ns = &team->board->seen_ns; /* rank 0 reads it after the last meeting */

    for (long i = 0; i < n; i++) {
        double now_ns = 0;

        meet(team);
        if (team->rank == 0) {
            compute();
            now_ns = loop_now_ns();
        }
        meet(team);
        if (team->rank == 1)
            *seen_ns = loop_now_ns();
        meet(team);
        team->took_ns = *seen_ns - now_ns;
    }
}
