/* SPDX-License-Identifier: BSD-3-Clause */
/* See rivals.h. */
#include "base/rivals.h"
#include "base/system.h"

enum {
    /* so long after it has happened it may happen again: whoever looks once in that time takes a
     * slice of the scheduler, some 3 ms, from rivals that are there */
    BELIEVE_MIN_NS = 50000000,
    BELIEVE_MAX_NS = 1000000000,
    SOON = 4 /* times as long: then it is the same rival */
};

/* What a thread knows. */
static _Thread_local struct {
    long lost;       /* how often it has lost its processor so far */
    long seen_ns;    /* when it last found that it had; 0: never */
    long believe_ns; /* for how long that counts */
} rivals;

static long longer(long believe_ns, long since_ns)
{
    if (since_ns > SOON * believe_ns)
        return BELIEVE_MIN_NS;
    return 2 * believe_ns < BELIEVE_MAX_NS ? 2 * believe_ns : BELIEVE_MAX_NS;
}

int proa_rivals_seen(long now_ns)
{
    long lost = proa_system->preempted();

    if (lost != rivals.lost) {
        rivals.lost = lost;
        rivals.believe_ns =
            rivals.seen_ns ? longer(rivals.believe_ns, now_ns - rivals.seen_ns) : BELIEVE_MIN_NS;
        rivals.seen_ns = now_ns;
    }
    return rivals.seen_ns && now_ns - rivals.seen_ns < rivals.believe_ns;
}
