/* SPDX-License-Identifier: BSD-3-Clause */
/* See host_progress.h. */
#include "base/atomic.h"
#include "base/host_progress.h"
#include "base/system.h"

#include <stddef.h>

enum {
    AWAY_NS = 100000, /* no fragment takes so long: the thread was preempted */
    BUSY_NS = 800,    /* idle calls take 50 to 200; those that copy a fragment of a message more */
    BUSY_TIMES = 4,   /* times the quickest call: on a slow machine idle calls are slow too */
    /* Processor time of a call after a sleep. Idle calls take 0.5 to 8 us under MPICH, as other
     * processes have evicted its cache lines. They take up to 15 us if Open MPI yields in them to
     * several other processes, and 25 to 40 us if it polls sockets. Calls that move a long message
     * take 8 to 120 us, and through sockets more than 200 us. */
    BUSY_COLD_NS = 25000
};

static proa_host_progress_function *progress;

static _Thread_local int forbidden;

void proa_host_progress_forbid(void)
{
    forbidden = 1;
}

void proa_host_progress_set(proa_host_progress_function *function)
{
    proa_atomic_store(&progress, function, PROA_RELEASE); /* partner: proa_host_progress */
}

int proa_host_progress(void)
{
    proa_host_progress_function *function =
        forbidden ? NULL : proa_atomic_load(&progress, PROA_ACQUIRE);

    if (function)
        function();
    return function != NULL;
}

int proa_host_progress_moves(int has_slept)
{
    static _Thread_local long quickest_ns[2]; /* call so far; 0 before the first */
    long (*clock)(void) = has_slept ? proa_system->ran_ns : proa_system->now_ns;
    long begin_ns = clock(), took_ns;

    if (!proa_host_progress())
        return 0;
    took_ns = clock() - begin_ns;
    if (quickest_ns[has_slept] == 0 || took_ns < quickest_ns[has_slept])
        quickest_ns[has_slept] = took_ns;
    return took_ns > (has_slept ? BUSY_COLD_NS : BUSY_NS) &&
           took_ns > BUSY_TIMES * quickest_ns[has_slept] && (has_slept || took_ns < AWAY_NS);
}
