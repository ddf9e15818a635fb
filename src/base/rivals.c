/* SPDX-License-Identifier: BSD-3-Clause */
/* See rivals.h. */
#include "base/rivals.h"
#include "base/system.h"

enum {
    LONG_NS = 2500000, /* the kernel's own threads take less, computing threads take more */
    /* the kernel's own threads take such a slice now and then, but not again so soon */
    SHORT_NS = 500000,
    AGAIN_NS = 10000000,
    /* a thread that looks again once in that time takes some 3 ms from existing rivals */
    BELIEVE_MIN_NS = 50000000,
    BELIEVE_MAX_NS = 1000000000,
    SOON = 4 /* a rival seen within this many times as long is the same rival */
};

/* The state of a thread. */
static _Thread_local struct {
    long lost;       /* how often it had lost its processor to other threads when it last asked */
    long back_ns;    /* when it last got the processor back; 0: never lost */
    long seen_ns;    /* when it last met a rival; 0: never */
    long believe_ns; /* for how long that rival counts as there */
} rivals;

void proa_rivals_begin(void)
{
    rivals.lost = proa_system->preempted();
}

static long longer(long believe_ns, long since_ns)
{
    if (rivals.seen_ns == 0 || since_ns > SOON * believe_ns)
        return BELIEVE_MIN_NS;
    return 2 * believe_ns < BELIEVE_MAX_NS ? 2 * believe_ns : BELIEVE_MAX_NS;
}

/* A slice has been lost between these times. Was it lost to a thread that will want more of them?
 */
static int is_rival(long begin_ns, long now_ns)
{
    int again = rivals.back_ns && begin_ns - rivals.back_ns < AGAIN_NS;

    rivals.back_ns = now_ns;
    return again || now_ns - begin_ns >= LONG_NS;
}

void proa_rivals_watch(long begin_ns, long now_ns)
{
    long before = rivals.lost;

    if (now_ns - begin_ns < SHORT_NS)
        return;
    rivals.lost = proa_system->preempted();
    /* the time went to a long message of the host's, or to another virtual machine */
    if (rivals.lost == before)
        return;
    if (!is_rival(begin_ns, now_ns))
        return;
    rivals.believe_ns = longer(rivals.believe_ns, now_ns - rivals.seen_ns);
    rivals.seen_ns = now_ns;
}

int proa_rivals_are_there(long now_ns)
{
    return rivals.seen_ns && now_ns - rivals.seen_ns < rivals.believe_ns;
}
