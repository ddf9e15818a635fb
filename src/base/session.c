/* SPDX-License-Identifier: BSD-3-Clause */
/* The session of `proa run` (load.h). */
#include "base/atomic.h"
#include "base/load.h"
#include "base/system.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    EVERY_NS = 50000000, /* a check takes some 5 us */
    /* The kernel's own threads run for an instant now and then; so many checks in a row do not find
     * them. */
    LOOKS = 4
};

static int is_shared(void)
{
    const char *rank = getenv(PROA_SESSION_VARIABLE);

    return rank && strtol(rank, NULL, 10) == getpid();
}

/* Returns the time of the next check. */
static long look(int processes, long now_ns)
{
    static int crowded; /* checks in a row that found other threads */
    int looks =
        proa_system->runnable() > processes ? proa_atomic_load(&crowded, PROA_RELAXED) + 1 : 0;

    proa_atomic_store(&crowded, looks, PROA_RELAXED);
    if (looks < LOOKS)
        return now_ns + EVERY_NS;
    proa_system->leave_session();
    return LONG_MAX;
}

void proa_session_watch(int processes, long now_ns)
{
    static long due_ns; /* next check; LONG_MAX if this process has its own session */

    if (now_ns >= proa_atomic_load(&due_ns, PROA_RELAXED))
        proa_atomic_store(&due_ns, is_shared() ? look(processes, now_ns) : LONG_MAX, PROA_RELAXED);
}
