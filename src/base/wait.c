/* SPDX-License-Identifier: BSD-3-Clause */
/* See wait.h. */
#include "base/atomic.h"
#include "base/wait.h"
#include "base/host_progress.h"
#include "base/load.h"
#include "base/settings.h"
#include "base/system.h"

#include <stddef.h>

/* A waiting thread spins, yields, lets the host make progress, and sleeps, in this order. The
 * numbers were chosen with the waits of bench/: two ranks on two processors, eight ranks on two. */
struct profile {
    /* spin time even if another thread wants the processor: longer than a wake-up takes */
    long spin_ns;
    int spins_on;           /* spins on as long as no other thread wants the processor */
    int yields;             /* the most yields before a sleep */
    int idle_calls;         /* calls for host progress in a row that move nothing, before a sleep */
    long progress_every_ns; /* the least time between two series of them */
    long rung_sleep_ns; /* the first timeout of a thread whose last sleep a ring ended; 0 for that
                         * of other threads */
};

/* A processor for each process. */
static const struct profile dedicated = {.spin_ns = 20000, .spins_on = 1, .idle_calls = 16};

/* More processes than processors. A yield lets the awaited process run, or the one that would
 * answer the host's messages. Waits are frequent. The long timeout is at least a tick of the
 * scheduler. A sleep that a ring ends then sets no timer, which in a virtual machine takes longer
 * than a context switch. */
static const struct profile oversubscribed = {
    .yields = 200, .idle_calls = 1, .progress_every_ns = 50000, .rung_sleep_ns = 4000000};

/* The waiting thread drives the network for several round trips; after that the progress thread
 * does. */
static const struct profile networked = {.spin_ns = 500000, .idle_calls = 16};

enum {
    CHECKS_PER_CLOCK = 64, /* checks of the condition between two readings of the clock */
    /* after so many waits in a row whose yields let no other thread run, only each RETRY_WAITS-th
     * wait yields */
    VAIN_WAITS = 8,
    RETRY_WAITS = 32,
    /* Limit of all yields of a wait. With eight processes to a processor they take less. With more,
     * or beside other programs, each may take milliseconds, and a yielding thread does not detect
     * dead neighbours. */
    YIELDS_NS = 4000000,
    SLEEP_MIN_NS = 50000,
    SLEEP_MAX_NS = 1000000,
    /* A long wait sleeps for this part of the time so far, and for SLEEP_LONG_NS at most. The
     * host's messages are moved that much later, which is not noticeable after so long a wait. */
    SLEEP_PART = 16,
    SLEEP_LONG_NS = 10000000
};

static long within(long value, long least, long most)
{
    return value < least ? least : value > most ? most : value;
}

/* ---- the network ---- */

static const struct proa_wait_driver *current_driver;
static _Thread_local int still; /* this thread must not drive the network now */

void proa_wait_set_driver(const struct proa_wait_driver *driver)
{
    proa_atomic_store(&current_driver, driver, PROA_RELEASE);
}

/* Returns the driver; NULL if there is none or this thread must not use it now. */
static const struct proa_wait_driver *driver(void)
{
    return still ? NULL : proa_atomic_load(&current_driver, PROA_ACQUIRE);
}

static const struct profile *profile(void)
{
    if (proa_is_oversubscribed())
        return &oversubscribed;
    return driver() ? &networked : &dedicated;
}

void proa_wait_drive(void)
{
    const struct proa_wait_driver *d = driver();

    if (d)
        d->drive();
}

void proa_wait_idle(void)
{
    const struct proa_wait_driver *d = driver();

    proa_host_progress();
    if (d)
        d->take_in();
    if (proa_is_oversubscribed())
        proa_system->yield();
}

static proa_wait_watcher *watcher_function;

/* ---- a wait ---- */

struct wait {
    /* the word that is read and its awaited value; NULL if a function checks */
    const uint64_t *word;
    uint64_t least;
    proa_ready *ready;
    void *arg;
    struct proa_doorbell *bell; /* NULL if no thread rings */
    proa_ready *over;           /* NULL if the wait is never given up */
    void *over_arg;
    int is_over;

    int moved; /* the last calls for host progress have moved messages */
    /* for the sleeps: whether all ringers have executed a fence since this thread announced itself;
     * the start of the wait; the next timeout */
    int is_fenced;
    uint32_t rings; /* at the last announcement */
    long since_ns, timeout_ns;
};

/* ready() may consume the event: do not call it again after it returned 1. A single word is read
 * without a call, because the wait for a neighbour's store is hardly longer than a call. */
static inline int is_ready(const struct wait *w)
{
    return w->word ? proa_atomic_load(w->word, PROA_ACQUIRE) >= w->least : w->ready(w->arg);
}

/* Returns whether the wait must be given up. The first checks of a wait do not call this. */
static int is_over(struct wait *w)
{
    w->is_over = w->over && w->over(w->over_arg);
    return w->is_over;
}

/* ---- host progress ---- */

static int is_progress_due(void)
{
    static _Thread_local long due_ns;
    long now_ns = proa_system->now_ns();

    if (now_ns < due_ns)
        return 0;
    due_ns = now_ns + profile()->progress_every_ns;
    return 1;
}

/* Moves the host's messages until idle_most calls in a row moved nothing. Once a call moved some,
 * their receiver runs, and more calls are worthwhile. */
static int host_progress(struct wait *w, int idle_most, int has_slept)
{
    w->moved = 0;
    if (!is_progress_due())
        return is_ready(w);
    for (int idle = 1; idle <= idle_most; idle++) {
        if (proa_host_progress_moves(has_slept)) {
            w->moved = 1;
            idle = 0;
            idle_most = dedicated.idle_calls;
        }
        if (is_ready(w))
            return 1;
    }
    return 0;
}

/* ---- spin ---- */

PROA_HOT static int look_for(const struct wait *w, long limit_ns)
{
    const int is_still = still; /* read once: thread-local access in a library takes a call */
    long end_ns = 0, now_ns;

    for (unsigned looks = 1;; looks++) {
        const struct proa_wait_driver *d;

        if (is_ready(w))
            return 1;
        d = is_still ? NULL : proa_atomic_load(&current_driver, PROA_ACQUIRE);
        if (d)
            d->drive();
        else
            proa_wait_pause();
        if (looks % CHECKS_PER_CLOCK)
            continue;
        now_ns = proa_system->now_ns();
        if (end_ns == 0)
            end_ns = now_ns + limit_ns;
        if (now_ns >= end_ns)
            return 0;
    }
}

static int spin(const struct wait *w)
{
    long asked_ns = proa_settings()->spin_ns,
         spin_ns = asked_ns >= 0 ? asked_ns : profile()->spin_ns;

    return spin_ns ? look_for(w, spin_ns) : is_ready(w);
}

/* Returns whether there are enough processors for our processes and no other thread wants this
 * one. */
static int is_free(void)
{
    return profile()->spins_on && proa_settings()->spin_ns < 0 &&
           !proa_preemption_is_likely(proa_system->now_ns());
}

/* Polls as long as no other thread wants the processor. */
static int spin_on(struct wait *w)
{
    if (!is_free())
        return 0;
    proa_preemption_begin();
    do {
        long begin_ns = proa_system->now_ns();

        if (host_progress(w, 1, 0) || look_for(w, dedicated.spin_ns) || is_over(w))
            return 1;
        proa_preemption_watch(begin_ns, proa_system->now_ns());
    } while (is_free());
    return 0;
}

/* ---- the first checks ---- */

int proa_wait_looks;

/* Stored only if the number changes, as all threads read it. */
static void looks_set(void)
{
    const int idle = profile() == &dedicated && proa_settings()->spin_ns &&
                     !proa_atomic_load(&watcher_function, PROA_RELAXED),
              looks = idle ? CHECKS_PER_CLOCK : 0;

    if (proa_atomic_load(&proa_wait_looks, PROA_RELAXED) != looks)
        proa_atomic_store(&proa_wait_looks, looks, PROA_RELAXED);
}

/* ---- yield ---- */

static int yield(const struct wait *w)
{
    static unsigned vain; /* waits in a row in which no yield let another thread run */
    unsigned waits = proa_atomic_load(&vain, PROA_RELAXED);
    int yields = profile()->yields, idle = 0, idle_most = proa_load_idle_yields();
    long end_ns;

    if (!yields)
        return 0;
    proa_atomic_store(&vain, waits + 1, PROA_RELAXED);
    if (waits > VAIN_WAITS && waits % RETRY_WAITS)
        return 0;
    end_ns = proa_system->now_ns() + YIELDS_NS;
    for (int i = 0; i < yields && idle < idle_most && proa_system->now_ns() < end_ns; i++) {
        proa_wait_drive();
        if (is_ready(w))
            return 1;
        idle = proa_yield() ? 0 : idle + 1;
        if (!idle)
            proa_atomic_store(&vain, 0, PROA_RELAXED);
        if (i && is_progress_due())
            proa_host_progress();
    }
    return is_ready(w);
}

/* ---- sleep ---- */

/* Whether a ring ended the last sleep of this thread. */
static _Thread_local int rung_lately;

static void sleeps_begin(struct wait *w)
{
    long rung_ns = rung_lately ? profile()->rung_sleep_ns : 0;

    w->since_ns = proa_system->now_ns();
    w->timeout_ns = rung_ns ? rung_ns : SLEEP_MIN_NS;
}

/* Called after a timeout. If the host's messages moved, more may be in flight, and the sleeps
 * restart with the shortest. The fence interrupts every processor, so it is issued once for an
 * announcement, after the first sleep that timed out. */
static void sleeps_grow(struct wait *w)
{
    long now_ns = proa_system->now_ns(), part_ns = (now_ns - w->since_ns) / SLEEP_PART,
         most_ns = w->bell ? within(part_ns, SLEEP_MAX_NS, SLEEP_LONG_NS) : SLEEP_MAX_NS;

    w->timeout_ns = w->moved ? SLEEP_MIN_NS : within(2 * w->timeout_ns, 0, most_ns);
    w->since_ns = w->moved ? now_ns : w->since_ns;
    if (w->bell && !w->is_fenced)
        proa_membar_heavy();
    w->is_fenced = 1;
}

/* Sleeps once. The order matters: announce, heavy fence (partner: the light one in
 * proa_doorbell_ring), check again, sleep. A ring between the check and the sleep has changed
 * `rings`, and the futex does not sleep. A sleep before the fence can miss its ring, which is rare;
 * so that sleep is short. A waiter that is rung for another event announces itself again. If others
 * are announced by then, only `rings` shows that the waiter's own announcement was withdrawn. Then
 * the fence is needed again: a ringer that saw no announcement in between has executed no fence. */
static int sleep_at_bell(struct wait *w)
{
    uint32_t rings;
    long most_ns;

    if (proa_doorbell_announce(w->bell, w->word, &rings) || rings != w->rings)
        w->is_fenced = 0;
    w->rings = rings;
    if (is_ready(w))
        return 1;
    most_ns = w->is_fenced || proa_membar_rings_are_full ? SLEEP_LONG_NS : SLEEP_MAX_NS;
    proa_system->sleep(&w->bell->rings, rings, within(w->timeout_ns, 0, most_ns));
    rung_lately = proa_atomic_load(&w->bell->rings, PROA_RELAXED) != rings;
    return is_ready(w);
}

/* As sleep_at_bell, if no thread rings. */
static int sleep_alone(const struct wait *w)
{
    proa_system->rest(w->timeout_ns);
    rung_lately = 0;
    return is_ready(w);
}

/* Returns 1 once the awaited event has occurred, 0 if a sleep timed out and no other thread wants
 * the processor any more. */
static int sleep_for_it(struct wait *w)
{
    int done, free = 0;

    sleeps_begin(w);
    do {
        done = (w->bell ? sleep_at_bell(w) : sleep_alone(w)) ||
               host_progress(w, profile()->idle_calls, 1) || is_over(w);
        if (done || rung_lately)
            continue;
        sleeps_grow(w);
        free = is_free();
    } while (!done && !free);
    if (w->bell)
        proa_doorbell_leave(w->bell, w->word);
    return done;
}

/* ---- the watcher ---- */

static _Thread_local int unwatched;

void proa_wait_set_watcher(proa_wait_watcher *watcher)
{
    proa_atomic_store(&watcher_function, watcher, PROA_RELEASE);
}

void proa_wait_unwatched(void)
{
    unwatched = 1;
}

/* Reports to the watcher that the wait is long. */
static void tell(const struct wait *w)
{
    proa_wait_watcher *watcher = proa_atomic_load(&watcher_function, PROA_ACQUIRE);

    if (watcher && !unwatched)
        watcher(w->word, -1);
}

/* ---- the loop ---- */

_Thread_local uint64_t *proa_wait_mark PROA_INITIAL_EXEC;

static void wait_long(struct wait *w)
{
    const struct proa_wait_driver *d;

    if (is_free())
        tell(w);
    while (!spin_on(w) && !yield(w) && !host_progress(w, profile()->idle_calls, 0)) {
        d = driver();
        if (d)
            d->rest();
        tell(w);
        if (sleep_for_it(w))
            return;
    }
}

static void mark(void)
{
    if (proa_wait_mark)
        proa_atomic_store(proa_wait_mark, *proa_wait_mark + 1, PROA_RELAXED);
}

PROA_HOT static void wait_until(struct wait *w)
{
    if (spin(w))
        return;
    mark();
    wait_long(w);
    mark();
}

/* ---- calls ---- */

PROA_HOT static void wait_watched(struct wait *w)
{
    proa_wait_watcher *watcher = proa_atomic_load(&watcher_function, PROA_ACQUIRE);
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

void proa_wait(proa_ready *ready, void *arg, struct proa_doorbell *bell)
{
    wait_watched(&(struct wait){.ready = ready, .arg = arg, .bell = bell});
}

int proa_wait_unless(proa_ready *ready, void *arg, struct proa_doorbell *bell, proa_ready *over,
                     void *over_arg)
{
    struct wait w = {.ready = ready, .arg = arg, .bell = bell, .over = over, .over_arg = over_arg};

    wait_watched(&w);
    return w.is_over;
}

void proa_wait_still(proa_ready *ready, void *arg, struct proa_doorbell *bell)
{
    int before = still;

    still = 1;
    proa_wait(ready, arg, bell);
    still = before;
}

__attribute__((nonnull(1))) int proa_wait_count_unless(const uint64_t *word, uint64_t least,
                                                       struct proa_doorbell *bell, proa_ready *over,
                                                       void *over_arg)
{
    struct wait w = {
        .word = word, .least = least, .bell = bell, .over = over, .over_arg = over_arg};

    looks_set();
    wait_watched(&w);
    return w.is_over;
}
