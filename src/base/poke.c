/* SPDX-License-Identifier: BSD-3-Clause */
/* See poke.h. */
#include "base/poke.h"
#include "base/system.h"

#include <stddef.h>

enum {
    AWAY_NS = 100000, /* no fragment takes so long: the thread has lost its processor meanwhile */
    /* an idle poke takes 50 to 200 ns; one that copies a fragment of a message takes more than this
     */
    BUSY_NS = 800,
    BUSY_TIMES = 4, /* times the quickest poke: where everything is slow, idle pokes are slow too */
    /* Processor time of a poke after a sleep. Idle pokes take 0.5 to 8 us under MPICH, as other
     * processes have taken its part of the caches. They take up to 15 us where Open MPI yields in
     * them to several other processes, and 25 to 40 us where it polls sockets. Pokes that move a
     * long message take 8 to 120 us, and through sockets more than 200 us. */
    BUSY_COLD_NS = 25000
};

static proa_poke_function *pokes[PROA_POKES];

static _Thread_local int forbidden;

void proa_poke_forbid(void)
{
    forbidden = 1;
}

int proa_poke_add(proa_poke_function *poke)
{
    for (int i = 0; i < PROA_POKES; i++) {
        proa_poke_function *none = NULL;

        if (__atomic_compare_exchange_n(&pokes[i], &none, poke, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            return 0;
    }
    return -1;
}

void proa_poke_remove(proa_poke_function *poke)
{
    for (int i = 0; i < PROA_POKES; i++) {
        proa_poke_function *found = poke;

        __atomic_compare_exchange_n(&pokes[i], &found, NULL, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}

/* Calls all pokes. Returns whether there were any. */
static int poke_all(void)
{
    int any = 0;

    for (int i = 0; i < PROA_POKES && !forbidden; i++) {
        /* partner: proa_poke_add */
        proa_poke_function *poke = __atomic_load_n(&pokes[i], __ATOMIC_ACQUIRE);

        if (poke) {
            poke();
            any = 1;
        }
    }
    return any;
}

void proa_poke(void)
{
    poke_all();
}

/* Did this poke take more than least_ns, and more than those that found nothing? quickest_ns: the
 * quickest poke of its kind so far; 0: none yet. */
static int is_busy(long took_ns, long least_ns, long *quickest_ns)
{
    if (*quickest_ns == 0 || took_ns < *quickest_ns)
        *quickest_ns = took_ns;
    return took_ns > least_ns && took_ns > BUSY_TIMES * *quickest_ns;
}

int proa_poke_moves(int has_slept)
{
    static _Thread_local long quickest_ns[2];
    long (*clock)(void) = has_slept ? proa_system->ran_ns : proa_system->now_ns;
    long begin_ns = clock(), took_ns;

    if (!poke_all())
        return 0;
    took_ns = clock() - begin_ns;
    return is_busy(took_ns, has_slept ? BUSY_COLD_NS : BUSY_NS, &quickest_ns[has_slept]) &&
           (has_slept || took_ns < AWAY_NS);
}
