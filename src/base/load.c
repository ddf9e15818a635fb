/* SPDX-License-Identifier: BSD-3-Clause */
/* See load.h. */
#include "base/atomic.h"
#include "base/load.h"
#include "base/membar.h"
#include "base/system.h"

enum {
    /* Idle yields in a row: this number divided by the processes per processor, and at most
     * IDLE_YIELDS_MOST. The fewer processes there are, the sooner the awaited one runs. */
    IDLE_YIELDS_OF_ALL = 40,
    IDLE_YIELDS_MOST = 20,
    /* two context switches take longer; a yield that returns at once takes a third */
    IDLE_YIELD_NS = 800
};

static int is_oversubscribed, takes_turns, processes_here, idle_yields = 1;

void proa_load_set(int processes, int processors)
{
    int idle = IDLE_YIELDS_OF_ALL * processors / (processes > 0 ? processes : 1);

    idle = idle < 1 ? 1 : idle;
    proa_atomic_store(&idle_yields, idle < IDLE_YIELDS_MOST ? idle : IDLE_YIELDS_MOST,
                      PROA_RELAXED);
    proa_atomic_store(&processes_here, processes, PROA_RELAXED);
    proa_atomic_store(&is_oversubscribed,
                      processes > processors || proa_atomic_load(&takes_turns, PROA_RELAXED),
                      PROA_RELAXED);
    proa_membar_set_rings(processes > processors);
}

void proa_load_take_turns(void)
{
    proa_atomic_store(&takes_turns, 1, PROA_RELAXED);
    proa_atomic_store(&is_oversubscribed, 1, PROA_RELAXED);
}

int proa_is_oversubscribed(void)
{
    return proa_atomic_load(&is_oversubscribed, PROA_RELAXED);
}

int proa_load_idle_yields(void)
{
    return proa_atomic_load(&idle_yields, PROA_RELAXED);
}

int proa_yield(void)
{
    long begin_ns = proa_system->now_ns();

    proa_session_watch(proa_atomic_load(&processes_here, PROA_RELAXED), begin_ns);
    proa_system->yield();
    return proa_system->now_ns() - begin_ns > IDLE_YIELD_NS;
}

/* ---- preemption ---- */

enum {
    LONG_NS = 2500000, /* the kernel's own threads take less, computing threads take more */
    /* the kernel's own threads use such a slice now and then, but not again so soon */
    SHORT_NS = 500000,
    AGAIN_NS = 10000000,
    /* a thread that checks again once in that time takes some 3 ms from existing rivals */
    LIKELY_MIN_NS = 50000000,
    LIKELY_MAX_NS = 1000000000,
    SOON = 4 /* a slice lost within this many times likely_ns went to the same rival */
};

/* The state of a thread; all zero if it has never been preempted. */
static _Thread_local struct {
    long times;     /* preemptions of the thread at its last check */
    long back_ns;   /* when it last got the processor back */
    long lost_ns;   /* when it last lost a slice to a thread that wants more of them, a rival */
    long likely_ns; /* for how long that makes preemption likely */
} state;

void proa_preemption_begin(void)
{
    state.times = proa_system->preempted();
}

/* A slice was lost between these times. Returns whether it was lost to a rival. */
static int is_rival(long begin_ns, long now_ns)
{
    int again = begin_ns - state.back_ns < AGAIN_NS;

    state.back_ns = now_ns;
    return again || now_ns - begin_ns >= LONG_NS;
}

void proa_preemption_watch(long begin_ns, long now_ns)
{
    long before = state.times, longer_ns = 2 * state.likely_ns;

    if (now_ns - begin_ns < SHORT_NS)
        return;
    state.times = proa_system->preempted();
    /* a long message of the host or another virtual machine used the time */
    if (state.times == before || !is_rival(begin_ns, now_ns))
        return;
    if (now_ns - state.lost_ns > SOON * state.likely_ns)
        state.likely_ns = LIKELY_MIN_NS;
    else
        state.likely_ns = longer_ns < LIKELY_MAX_NS ? longer_ns : LIKELY_MAX_NS;
    state.lost_ns = now_ns;
}

int proa_preemption_is_likely(long now_ns)
{
    return now_ns - state.lost_ns < state.likely_ns;
}
