/* SPDX-License-Identifier: BSD-3-Clause */
/* See wait.h. The phases and their lengths were chosen by the waits of bench/: two ranks on two
 * processors, eight ranks on two. */
#include "base/wait.h"
#include "base/poke.h"
#include "base/rivals.h"
#include "base/settings.h"
#include "base/system.h"

#include <stddef.h>

enum {
    /* spun even if another thread wants the processor: longer than a wake-up costs */
    SPIN_NS = 20000,
    SPIN_NET_NS = 500000,  /* the same where a network is driven: several round trips */
    CHECKS_PER_CLOCK = 64, /* looks at the condition between two looks at the clock */
    /* between two looks at whether another thread wants the processor, and at the host's messages
     */
    TURN_NS = 20000,
    /* yields before sleeping: with few processes per processor, a yield is what lets the awaited
     * process run */
    YIELDS = 200,
    /* A thread sleeps after so many yields in a row that let no other thread run. The number is
     * this divided by the processes per processor, and at most IDLE_YIELDS_MOST. The fewer
     * processes there are, the sooner the awaited one has its turn. */
    IDLE_YIELDS_OF_ALL = 40,
    IDLE_YIELDS_MOST = 20,
    /* two context switches take more; a yield that returns at once takes a third */
    IDLE_YIELD_NS = 800,
    /* waits in a row whose yields let no other thread run: after that only each RETRY_WAITS-th wait
     * yields at all */
    VAIN_WAITS = 8,
    RETRY_WAITS = 32,
    YIELDS_PER_POKE = 8,
    IDLE_POKES = 16, /* pokes in a row that moved nothing, before sleeping */
    /* the same if oversubscribed (crowded): the process that would answer does not run */
    CROWDED_POKES = 2,
    /* the same after a sleep, when the yields of the host itself are expensive */
    CROWDED_POKES_SLEPT = 1,
    /* if oversubscribed: the least time between two series of pokes */
    CROWDED_POKE_NS = 50000,
    SLEEP_MIN_NS = 50000,
    SLEEP_MAX_NS = 1000000,
    /* A long wait sleeps for this part of the time so far, and for SLEEP_LONG_NS at most. The
     * host's messages are moved that much later, which is not noticeable after so long a wait. */
    SLEEP_PART = 16,
    SLEEP_LONG_NS = 10000000,
    /* after a poke that moved messages the wait counts as so many times shorter */
    MOVED_PART = 4,
    /* At least a tick of the scheduler: a sleep that a ring ends then sets no timer. In a virtual
     * machine a timer costs more than a context switch. */
    SLEEP_RUNG_NS = 4000000
};

static int wait_crowded, idle_yields = 1;

void proa_wait_set_load(int processes, int processors)
{
    int idle = processes > 0 ? IDLE_YIELDS_OF_ALL * processors / processes : IDLE_YIELDS_MOST;

    __atomic_store_n(&idle_yields,
                     idle < 1                  ? 1
                     : idle < IDLE_YIELDS_MOST ? idle
                                               : IDLE_YIELDS_MOST,
                     __ATOMIC_RELAXED);
    __atomic_store_n(&wait_crowded, processes > processors, __ATOMIC_RELAXED);
    proa_membar_set_rings(processes > processors);
}

int proa_wait_is_crowded(void)
{
    return __atomic_load_n(&wait_crowded, __ATOMIC_RELAXED);
}

/* ---- the network ---- */

static const struct proa_wait_driver *current_driver;
static _Thread_local int still; /* this thread must not drive the network now */

void proa_wait_set_driver(const struct proa_wait_driver *driver)
{
    __atomic_store_n(&current_driver, driver, __ATOMIC_RELEASE);
}

/* The driver. NULL: there is none, or this thread must not use it now. */
static const struct proa_wait_driver *driver(void)
{
    return still ? NULL : __atomic_load_n(&current_driver, __ATOMIC_ACQUIRE);
}

/* Drives the network once. Returns whether there is a driver. */
static int drive(void)
{
    const struct proa_wait_driver *d = driver();

    if (d)
        d->drive();
    return d != NULL;
}

static void hand_over(void)
{
    const struct proa_wait_driver *d = driver();

    if (d)
        d->rest();
}

static int is_driven(void)
{
    return driver() != NULL;
}

void proa_wait_idle(void)
{
    const struct proa_wait_driver *d = driver();

    proa_poke();
    if (d)
        d->take_in();
    if (proa_wait_is_crowded())
        proa_system->yield();
}

/* ---- spin, yield, sleep ---- */

struct wait {
    proa_ready *ready;
    void *arg;
    struct proa_bell *bell; /* NULL: no thread rings */
    /* the only word that ready looks at; NULL: it looks at more, or at none */
    const uint64_t *word;
    proa_ready *over; /* NULL: the wait is never given up */
    void *over_arg;
    int is_over;
};

static void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

/* ready() may consume the event: do not call it again after it returned 1. */
static int is_ready(const struct wait *w)
{
    return w->ready(w->arg);
}

/* Is the wait in vain? The first looks of a wait do not ask this. */
static int is_over(struct wait *w)
{
    w->is_over = w->over && w->over(w->over_arg);
    return w->is_over;
}

PROA_HOT static int look(const struct wait *w)
{
    for (int i = 0; i < CHECKS_PER_CLOCK; i++) {
        if (is_ready(w))
            return 1;
        if (!drive())
            pause_processor();
    }
    return 0;
}

PROA_HOT static int look_for(const struct wait *w, long limit_ns)
{
    long end_ns = 0;

    do {
        if (look(w))
            return 1;
        if (end_ns == 0)
            end_ns = proa_system->now_ns() + limit_ns;
    } while (proa_system->now_ns() < end_ns);
    return 0;
}

static int spin(const struct wait *w)
{
    long asked = proa_settings()->spin_ns;

    if (asked == 0 || (asked < 0 && proa_wait_is_crowded()))
        return is_ready(w);
    return look_for(w, asked > 0 ? asked : is_driven() ? SPIN_NET_NS : SPIN_NS);
}

static int poke_while_it_helps(const struct wait *w, int idle_most)
{
    for (int idle = 0; idle < idle_most;) {
        idle = proa_poke_moves() ? 0 : idle + 1;
        if (is_ready(w))
            return 1;
    }
    return 0;
}

/* Are there enough processors for our processes, and does no other thread want this one? */
static int is_free(void)
{
    return !proa_wait_is_crowded() && !is_driven() && proa_settings()->spin_ns < 0 &&
           !proa_rivals_are_there(proa_system->now_ns());
}

/* Goes on polling as long as that costs no other thread anything. */
static int spin_on(struct wait *w)
{
    if (!is_free())
        return 0;
    proa_rivals_begin();
    do {
        long begin_ns = proa_system->now_ns();

        if (poke_while_it_helps(w, 1) || look_for(w, TURN_NS) || is_over(w))
            return 1;
        proa_rivals_watch(begin_ns, proa_system->now_ns());
    } while (is_free());
    return 0;
}

/* Yields once. A yield that returns at once has let no other thread run. Then no other thread wants
 * this processor, or those that do are in other sessions. Linux shares a processor between sessions
 * by groups (sched(7), autogroup), as under MPICH's launcher; some kernels then switch at most
 * yields, others at none. Only sleeping lets those threads run. */
int proa_wait_yield(void)
{
    long begin_ns = proa_system->now_ns();

    proa_system->yield();
    return proa_system->now_ns() - begin_ns > IDLE_YIELD_NS;
}

/* With more processes than processors waits are many, so the host's messages are moved only now and
 * then. */
static int is_poke_due(void)
{
    static _Thread_local long due_ns;
    long now_ns = proa_system->now_ns();

    if (now_ns < due_ns)
        return 0;
    due_ns = now_ns + CROWDED_POKE_NS;
    return 1;
}

static int yield(const struct wait *w)
{
    static unsigned vain; /* waits in a row in which no yield let another thread run */
    unsigned waits = __atomic_load_n(&vain, __ATOMIC_RELAXED);
    int idle = 0, idle_most = __atomic_load_n(&idle_yields, __ATOMIC_RELAXED);

    __atomic_store_n(&vain, waits + 1, __ATOMIC_RELAXED);
    if (waits > VAIN_WAITS && waits % RETRY_WAITS)
        return 0;
    for (int i = 0; i < YIELDS && idle < idle_most; i++) {
        if (i % YIELDS_PER_POKE == YIELDS_PER_POKE - 1 && is_poke_due())
            proa_poke();
        drive();
        if (is_ready(w))
            return 1;
        idle = proa_wait_yield() ? 0 : idle + 1;
        if (!idle)
            __atomic_store_n(&vain, 0, __ATOMIC_RELAXED);
        if (is_ready(w))
            return 1;
    }
    return 0;
}

/* Moves the host's messages, before going to sleep. Has the awaited event come meanwhile? */
static int poke(const struct wait *w)
{
    if (!proa_wait_is_crowded())
        return poke_while_it_helps(w, IDLE_POKES);
    return is_poke_due() ? poke_while_it_helps(w, CROWDED_POKES) : is_ready(w);
}

/* As poke, after a sleep. *moved: whether messages have moved. */
static int poke_after_sleep(const struct wait *w, int *moved)
{
    int crowded = proa_wait_is_crowded(), idle_most = crowded ? CROWDED_POKES_SLEPT : IDLE_POKES;

    *moved = 0;
    if (crowded && !is_poke_due())
        return is_ready(w);
    for (int idle = 0; idle < idle_most;) {
        idle++;
        if (proa_poke_moves_after_sleep()) {
            *moved = 1;
            idle = 0;
            idle_most = IDLE_POKES; /* the process that takes these messages runs */
        }
        if (is_ready(w))
            return 1;
    }
    return 0;
}

/* Whether a ring ended the last sleep of this thread. */
static _Thread_local int rung_lately;

static long first_sleep_ns(void)
{
    return rung_lately && proa_wait_is_crowded() && !is_driven() ? SLEEP_RUNG_NS : SLEEP_MIN_NS;
}

/* One sleep, announced before. A ring that falls between the look and the sleep has changed
 * `rings`, and the futex does not sleep. Has the awaited event come? */
static int sleep_once(const struct wait *w, uint32_t rings, long timeout_ns)
{
    if (is_ready(w))
        return 1;
    proa_system->sleep(&w->bell->rings, rings, timeout_ns);
    rung_lately = __atomic_load_n(&w->bell->rings, __ATOMIC_RELAXED) != rings;
    return is_ready(w);
}

/* The time-out after one that has passed, in a wait that has lasted for waited_ns. */
static long longer(long timeout_ns, long waited_ns)
{
    long twice_ns = 2 * timeout_ns < SLEEP_MAX_NS ? 2 * timeout_ns : SLEEP_MAX_NS,
         part_ns = waited_ns / SLEEP_PART < SLEEP_LONG_NS ? waited_ns / SLEEP_PART : SLEEP_LONG_NS;

    return twice_ns > part_ns ? twice_ns : part_ns;
}

/* The next time-out, of a wait that counts as begun at *since_ns. Where the host's messages move,
 * more may be in flight: the thread sleeps as at first, and the wait counts as a part of its length
 * from then on. One move may be a misjudgement, several are not, and time-outs begin anew. */
static long next_timeout(long timeout_ns, long *since_ns, int moved)
{
    long now_ns = proa_system->now_ns();

    if (!moved)
        return longer(timeout_ns, now_ns - *since_ns);
    *since_ns = now_ns - (now_ns - *since_ns) / MOVED_PART;
    return SLEEP_MIN_NS;
}

/* A waiter that may miss a ring does not sleep for long. */
static long until_fenced(long timeout_ns, int fenced)
{
    return fenced || proa_membar_rings_are_full || timeout_ns < SLEEP_MAX_NS ? timeout_ns
                                                                             : SLEEP_MAX_NS;
}

/* Returns 1 once the awaited event has come. Returns 0 if a long time-out has passed and no other
 * thread wants the processor any more. The order matters: announce, heavy fence (partner: the light
 * one in proa_bell_ring), look again, sleep. The fence interrupts every processor, so it is issued
 * once, and not before the first sleep has been in vain. At worst, and hardly ever, that sleep
 * misses its ring; it is short for that reason. A waiter that is rung for another event announces
 * itself anew. */
static int sleep_for_it(struct wait *w)
{
    long timeout_ns = first_sleep_ns(), since_ns = proa_system->now_ns();
    int fenced = 0, done, free = 0;

    do {
        uint32_t rings;
        int moved;

        if (proa_bell_announce(w->bell, w->word, &rings))
            fenced = 0;
        done = sleep_once(w, rings, until_fenced(timeout_ns, fenced)) ||
               poke_after_sleep(w, &moved) || is_over(w);
        if (done || rung_lately)
            continue;
        if (!fenced++)
            proa_membar_heavy();
        free = timeout_ns >= SLEEP_MAX_NS && is_free();
        timeout_ns = next_timeout(timeout_ns, &since_ns, moved);
    } while (!done && !free);
    proa_bell_leave(w->bell, w->word);
    return done;
}

/* As sleep_for_it, where no thread rings. */
static int look_now_and_then(struct wait *w)
{
    long rest_ns = SLEEP_MIN_NS;
    int done, free;

    do {
        int moved;

        proa_system->rest(rest_ns);
        done = poke_after_sleep(w, &moved) || is_over(w);
        free = rest_ns == SLEEP_MAX_NS && is_free();
        rest_ns = moved ? SLEEP_MIN_NS : longer(rest_ns, 0);
    } while (!done && !free);
    return done;
}

PROA_HOT static void wait_until(struct wait *w)
{
    if (spin(w))
        return;
    while (!spin_on(w) && !(proa_wait_is_crowded() && yield(w)) && !poke(w)) {
        hand_over();
        if (w->bell ? sleep_for_it(w) : look_now_and_then(w))
            return;
    }
}

static proa_wait_watcher *watcher_function;
static _Thread_local int unwatched;

void proa_wait_set_watcher(proa_wait_watcher *watcher)
{
    __atomic_store_n(&watcher_function, watcher, __ATOMIC_RELEASE);
}

void proa_wait_unwatched(void)
{
    unwatched = 1;
}

PROA_HOT static void wait_watched(struct wait *w)
{
    proa_wait_watcher *watcher = __atomic_load_n(&watcher_function, __ATOMIC_ACQUIRE);
    long begin_ns;

    if (!watcher || unwatched) {
        wait_until(w);
        return;
    }
    if (is_ready(w))
        return;
    begin_ns = proa_system->now_ns();
    wait_until(w);
    watcher(w->word, proa_system->now_ns() - begin_ns);
}

void proa_wait(proa_ready *ready, void *arg, struct proa_bell *bell)
{
    wait_watched(&(struct wait){.ready = ready, .arg = arg, .bell = bell});
}

int proa_wait_unless(proa_ready *ready, void *arg, struct proa_bell *bell, proa_ready *over,
                     void *over_arg)
{
    struct wait w = {.ready = ready, .arg = arg, .bell = bell, .over = over, .over_arg = over_arg};

    wait_watched(&w);
    return w.is_over;
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
    proa_wait_count_unless(word, least, bell, NULL, NULL);
}

int proa_wait_count_unless(const uint64_t *word, uint64_t least, struct proa_bell *bell,
                           proa_ready *over, void *over_arg)
{
    struct awaited awaited = {word, least};
    struct wait w = {has_come, &awaited, bell, word, over, over_arg, 0};

    wait_watched(&w);
    return w.is_over;
}
