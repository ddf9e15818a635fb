/* SPDX-License-Identifier: BSD-3-Clause */
/* See load.h. */
#include "base/load.h"
#include "base/membar.h"
#include "base/system.h"

enum {
    /* Idle yields in a row: this number divided by the processes per processor, and at most
     * IDLE_YIELDS_MOST. The fewer processes there are, the sooner the awaited one has its turn. */
    IDLE_YIELDS_OF_ALL = 40,
    IDLE_YIELDS_MOST = 20,
    /* two context switches take more; a yield that returns at once takes a third */
    IDLE_YIELD_NS = 800
};

static int is_oversubscribed, idle_yields = 1;

void proa_load_set(int processes, int processors)
{
    int idle = IDLE_YIELDS_OF_ALL * processors / (processes > 0 ? processes : 1);

    idle = idle < 1 ? 1 : idle;
    __atomic_store_n(&idle_yields, idle < IDLE_YIELDS_MOST ? idle : IDLE_YIELDS_MOST,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&is_oversubscribed, processes > processors, __ATOMIC_RELAXED);
    proa_membar_set_rings(processes > processors);
}

int proa_is_oversubscribed(void)
{
    return __atomic_load_n(&is_oversubscribed, __ATOMIC_RELAXED);
}

int proa_load_idle_yields(void)
{
    return __atomic_load_n(&idle_yields, __ATOMIC_RELAXED);
}

int proa_yield(void)
{
    long begin_ns = proa_system->now_ns();

    proa_system->yield();
    return proa_system->now_ns() - begin_ns > IDLE_YIELD_NS;
}
