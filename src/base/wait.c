/* SPDX-License-Identifier: BSD-3-Clause */
/* See wait.h. The phases and their lengths were chosen by the waits of bench/: two ranks on two
 * processors, eight ranks on two. */
#include "base/wait.h"
#include "base/poke.h"
#include "base/settings.h"
#include "base/system.h"

#include <stddef.h>

enum {
    SPIN_NS = 20000,       /* alone on its processor: longer than a wake-up costs */
    SPIN_NET_NS = 500000,  /* where a network is driven: some times there and back */
    CHECKS_PER_CLOCK = 64, /* looks at the condition between two looks at the clock */
    /* given up before sleeping: with few processes a processor, a yield is what lets the awaited
     * one run */
    YIELDS = 200,
    IDLE_YIELDS = 3, /* in a row that let nobody run: sleep at once */
    /* two switches of the processor take more, a yield that returns at once a third */
    IDLE_YIELD_NS = 1200,
    /* waits in a row whose yields let nobody run: from then on only each RETRY_WAITS-th yields at
     * all */
    VAIN_WAITS = 8,
    RETRY_WAITS = 32,
    YIELDS_PER_POKE = 8,
    IDLE_POKES = 16, /* in a row that moved nothing, before sleeping */
    SLEEP_MIN_NS = 50000,
    SLEEP_MAX_NS = 1000000
};

static int wait_crowded;

void proa_wait_set_load(int processes, int processors)
{
    __atomic_store_n(&wait_crowded, processes > processors, __ATOMIC_RELAXED);
}

int proa_wait_is_crowded(void)
{
    return __atomic_load_n(&wait_crowded, __ATOMIC_RELAXED);
}

/* ---- the network ---- */

static proa_wait_function *drive_function, *rest_function;
static _Thread_local int still; /* this thread must not drive now */

void proa_wait_set_driver(proa_wait_function *drive, proa_wait_function *rest)
{
    __atomic_store_n(&rest_function, rest, __ATOMIC_RELEASE);
    __atomic_store_n(&drive_function, drive, __ATOMIC_RELEASE);
}

/* Is there one, and was it driven? */
static int drive(void)
{
    proa_wait_function *function = __atomic_load_n(&drive_function, __ATOMIC_ACQUIRE);

    if (!function || still)
        return 0;
    function();
    return 1;
}

static void hand_over(void)
{
    proa_wait_function *function = __atomic_load_n(&rest_function, __ATOMIC_ACQUIRE);

    if (function && !still)
        function();
}

static int is_driven(void)
{
    return __atomic_load_n(&drive_function, __ATOMIC_RELAXED) && !still;
}

void proa_wait_idle(void)
{
    proa_poke();
    drive();
    if (proa_wait_is_crowded())
        proa_system->yield();
}

/* ---- spin, yield, sleep ---- */

static void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

static long spin_limit_ns(void)
{
    long asked = proa_settings()->spin_ns;

    if (asked >= 0)
        return asked;
    if (proa_wait_is_crowded())
        return 0;
    return is_driven() ? SPIN_NET_NS : SPIN_NS;
}

static int spin(proa_ready *ready, void *arg)
{
    long limit_ns = spin_limit_ns(), end_ns = 0;

    do {
        for (int i = 0; i < CHECKS_PER_CLOCK; i++) {
            if (ready(arg))
                return 1;
            if (limit_ns == 0)
                return 0;
            if (!drive())
                pause_processor();
        }
        if (end_ns == 0)
            end_ns = proa_system->now_ns() + limit_ns;
    } while (proa_system->now_ns() < end_ns);
    return 0;
}

/* A yield that returns at once has let nobody run: nobody else wants this processor, or those who
 * do are in other sessions, between which Linux shares it by groups (sched(7), autogroup), as under
 * MPICH's launcher. Then only sleeping makes room. */
int proa_wait_yield(void)
{
    long begin_ns = proa_system->now_ns();

    proa_system->yield();
    return proa_system->now_ns() - begin_ns > IDLE_YIELD_NS;
}

static int yield(proa_ready *ready, void *arg)
{
    static unsigned vain; /* waits in a row in which no yield let anybody run */
    unsigned waits = __atomic_load_n(&vain, __ATOMIC_RELAXED);
    int idle = 0;

    __atomic_store_n(&vain, waits + 1, __ATOMIC_RELAXED);
    if (waits > VAIN_WAITS && waits % RETRY_WAITS)
        return 0;
    for (int i = 0; i < YIELDS && idle < IDLE_YIELDS; i++) {
        if (i % YIELDS_PER_POKE == YIELDS_PER_POKE - 1)
            proa_poke();
        drive();
        if (ready(arg))
            return 1;
        idle = proa_wait_yield() ? 0 : idle + 1;
        if (!idle)
            __atomic_store_n(&vain, 0, __ATOMIC_RELAXED);
        if (ready(arg))
            return 1;
    }
    return 0;
}

/* One sleep. The order matters: announce, heavy fence (partner: the light one in proa_bell_ring),
 * look again, sleep. A ring that falls between the look and the sleep has changed `rings`, and the
 * futex does not sleep. The first, shortest sleep of a wait does without the fence, which
 * interrupts every processor: at the worst, and hardly ever, it misses its ring and lasts its 50
 * us. */
static int sleep_once(proa_ready *ready, void *arg, struct proa_bell *bell, long timeout_ns)
{
    uint32_t rings = __atomic_load_n(&bell->rings, __ATOMIC_ACQUIRE);
    int done;

    __atomic_fetch_add(&bell->sleepers, 1, __ATOMIC_SEQ_CST);
    if (timeout_ns > SLEEP_MIN_NS)
        proa_membar_heavy();
    done = ready(arg);
    if (!done)
        proa_system->sleep(&bell->rings, rings, timeout_ns);
    __atomic_fetch_sub(&bell->sleepers, 1, __ATOMIC_RELAXED);
    return done || ready(arg);
}

void proa_bell_wake(struct proa_bell *bell)
{
    __atomic_fetch_add(&bell->rings, 1, __ATOMIC_RELEASE);
    proa_system->wake(&bell->rings);
}

static int poke_while_it_helps(proa_ready *ready, void *arg)
{
    for (int idle = 0; idle < IDLE_POKES;) {
        idle = proa_poke_moves() ? 0 : idle + 1;
        if (ready(arg))
            return 1;
    }
    return 0;
}

static void wait_until(proa_ready *ready, void *arg, struct proa_bell *bell)
{
    long timeout_ns = SLEEP_MIN_NS;

    if (spin(ready, arg) || (proa_wait_is_crowded() && yield(ready, arg)) ||
        poke_while_it_helps(ready, arg))
        return;
    hand_over();
    while (!sleep_once(ready, arg, bell, timeout_ns)) {
        if (poke_while_it_helps(ready, arg))
            return;
        timeout_ns = timeout_ns * 2 < SLEEP_MAX_NS ? timeout_ns * 2 : SLEEP_MAX_NS;
    }
}

static proa_wait_watcher *watcher_function;

void proa_wait_set_watcher(proa_wait_watcher *watcher)
{
    __atomic_store_n(&watcher_function, watcher, __ATOMIC_RELEASE);
}

/* word: as a watcher is told. */
static void wait_watched(proa_ready *ready, void *arg, struct proa_bell *bell, const uint64_t *word)
{
    proa_wait_watcher *watcher = __atomic_load_n(&watcher_function, __ATOMIC_ACQUIRE);
    long begin_ns;

    if (!watcher) {
        wait_until(ready, arg, bell);
        return;
    }
    if (ready(arg))
        return;
    begin_ns = proa_system->now_ns();
    wait_until(ready, arg, bell);
    watcher(word, proa_system->now_ns() - begin_ns);
}

void proa_wait(proa_ready *ready, void *arg, struct proa_bell *bell)
{
    wait_watched(ready, arg, bell, NULL);
}

void proa_wait_still(proa_ready *ready, void *arg, struct proa_bell *bell)
{
    int before = still;

    still = 1;
    proa_wait(ready, arg, bell);
    still = before;
}

struct awaited {
    const uint64_t *word;
    uint64_t least;
};

static int has_come(void *arg)
{
    const struct awaited *awaited = arg;

    return __atomic_load_n(awaited->word, __ATOMIC_ACQUIRE) >= awaited->least;
}

void proa_wait_count_slowly(const uint64_t *word, uint64_t least, struct proa_bell *bell)
{
    wait_watched(has_come, &(struct awaited){word, least}, bell, word);
}
