/* See wait.h. The phases and their lengths were chosen by the waits of bench/: two ranks on two processors, eight ranks on two. */
#include "base/wait.h"
#include "base/settings.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    SPIN_NS = 20000,       /* alone on its processor: longer than a wake-up costs */
    CHECKS_PER_CLOCK = 64, /* looks at the condition between two looks at the clock */
    YIELDS = 200,          /* given up before sleeping: with few processes a processor, a yield is what lets the awaited one run */
    IDLE_YIELDS = 3,       /* in a row that let nobody run: sleep at once */
    IDLE_YIELD_NS = 1200,  /* two switches of the processor take more, a yield that returns at once a third */
    VAIN_WAITS = 8,        /* waits in a row whose yields let nobody run: from then on only each RETRY_WAITS-th yields at all */
    RETRY_WAITS = 32,
    YIELDS_PER_POKE = 8,
    IDLE_POKES = 16,    /* in a row that moved nothing, before sleeping */
    BUSY_POKE_NS = 800, /* an idle one takes 50 to 200; one that copies a fragment of a message, more than this */
    SLEEP_MIN_NS = 50000,
    SLEEP_MAX_NS = 1000000,
    POLLS_PER_POKE = 1024,    /* calls that a program can poll with; a poke costs what some 20 of them do */
    POLLS_PER_BUSY_POKE = 32, /* while a message moves */
    POLLS_PER_TURN = 128,     /* crowded: looks at the clock */
    POLL_PATIENCE_NS = 20000, /* of polling before others get the processor */
    POLL_VAIN_NS = 50000,     /* and before it sleeps, if yields let nobody run although somebody wants to */
    POLL_LULL_NS = 1000000,   /* a turn's calls took longer: the program does other things between them */
    CONTENDED_NS = 100000000  /* somebody who took our processor so long ago may still want it */
};

static void (*wait_poke)(void);
static _Atomic int wait_crowded;

void proa_wait_set_poke(void (*poke)(void))
{
    wait_poke = poke;
}

void proa_wait_set_load(int processes, int processors)
{
    atomic_store_explicit(&wait_crowded, processes > processors, memory_order_relaxed);
}

static int is_crowded(void)
{
    return atomic_load_explicit(&wait_crowded, memory_order_relaxed);
}

static void poke_host(void)
{
    if (wait_poke)
        wait_poke();
}

void proa_wait_idle(void)
{
    poke_host();
    if (is_crowded())
        sched_yield();
}

static void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

long proa_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static long spin_limit_ns(void)
{
    long asked = proa_settings()->spin_ns;

    if (asked >= 0)
        return asked;
    return is_crowded() ? 0 : SPIN_NS;
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
            pause_processor();
        }
        if (end_ns == 0)
            end_ns = proa_now_ns() + limit_ns;
    } while (proa_now_ns() < end_ns);
    return 0;
}

/* A yield that returns at once has let nobody run: nobody else wants this processor, or those who do are in other sessions, between which
 * Linux shares it by groups (sched(7), autogroup), as under MPICH's launcher. Then only sleeping makes room. */
static int yield(proa_ready *ready, void *arg)
{
    static _Atomic unsigned vain; /* waits in a row in which no yield let anybody run */
    unsigned waits = atomic_load_explicit(&vain, memory_order_relaxed);
    int idle = 0;

    atomic_store_explicit(&vain, waits + 1, memory_order_relaxed);
    if (waits > VAIN_WAITS && waits % RETRY_WAITS)
        return 0;
    for (int i = 0; i < YIELDS && idle < IDLE_YIELDS; i++) {
        long begin_ns;

        if (i % YIELDS_PER_POKE == YIELDS_PER_POKE - 1)
            poke_host();
        begin_ns = proa_now_ns();
        sched_yield();
        idle = proa_now_ns() - begin_ns > IDLE_YIELD_NS ? 0 : idle + 1;
        if (!idle)
            atomic_store_explicit(&vain, 0, memory_order_relaxed);
        if (ready(arg))
            return 1;
    }
    return 0;
}

static void futex_sleep(_Atomic uint32_t *word, uint32_t expected, long timeout_ns)
{
    struct timespec timeout = {0, timeout_ns};

    syscall(SYS_futex, word, FUTEX_WAIT, expected, &timeout, NULL, 0);
}

/* One sleep. The order matters: announce, heavy fence (partner: the light one in proa_bell_ring), look again, sleep. A ring that falls
 * between the look and the sleep has changed `rings`, and the futex does not sleep. The first, shortest sleep of a wait does without the
 * fence, which interrupts every processor: at the worst, and hardly ever, it misses its ring and lasts its 50 us. */
static int sleep_once(proa_ready *ready, void *arg, struct proa_bell *bell, long timeout_ns)
{
    uint32_t rings = atomic_load_explicit(&bell->rings, memory_order_acquire);
    int done;

    atomic_fetch_add_explicit(&bell->sleepers, 1, memory_order_seq_cst);
    if (timeout_ns > SLEEP_MIN_NS)
        proa_membar_heavy();
    done = ready(arg);
    if (!done)
        futex_sleep(&bell->rings, rings, timeout_ns);
    atomic_fetch_sub_explicit(&bell->sleepers, 1, memory_order_relaxed);
    return done || ready(arg);
}

void proa_bell_wake(struct proa_bell *bell)
{
    atomic_fetch_add_explicit(&bell->rings, 1, memory_order_release);
    syscall(SYS_futex, &bell->rings, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* A poke that takes its time has moved something of the host's: then there may be more, as of a long message that goes in pieces, and the
 * next sleep can wait. */
static int poke_while_it_helps(proa_ready *ready, void *arg)
{
    int idle = 0;

    if (!wait_poke)
        return 0;
    while (idle < IDLE_POKES) {
        long begin_ns = proa_now_ns();

        wait_poke();
        if (ready(arg))
            return 1;
        idle = proa_now_ns() - begin_ns > BUSY_POKE_NS ? 0 : idle + 1;
    }
    return 0;
}

void proa_wait(proa_ready *ready, void *arg, struct proa_bell *bell)
{
    long timeout_ns = SLEEP_MIN_NS;

    if (spin(ready, arg) || (is_crowded() && yield(ready, arg)) || poke_while_it_helps(ready, arg))
        return;
    while (!sleep_once(ready, arg, bell, timeout_ns)) {
        if (poke_while_it_helps(ready, arg))
            return;
        timeout_ns = timeout_ns * 2 < SLEEP_MAX_NS ? timeout_ns * 2 : SLEEP_MAX_NS;
    }
}

struct awaited {
    const _Atomic uint64_t *word;
    uint64_t least;
};

static int has_come(void *arg)
{
    const struct awaited *awaited = arg;

    return atomic_load_explicit(awaited->word, memory_order_acquire) >= awaited->least;
}

void proa_wait_count_slowly(const _Atomic uint64_t *word, uint64_t least, struct proa_bell *bell)
{
    proa_wait(has_come, &(struct awaited){word, least}, bell);
}

/* ---- polling ---- */

/* What a thread that polls knows of itself. */
struct poller {
    long begin_ns;     /* of polling without a break; 0: it has not begun */
    long turn_ns;      /* when it last looked at the clock */
    long contended_ns; /* when it last found that it had lost its processor to others */
    long lost;         /* how often it has, so far */
    long idle_poke_ns; /* the quickest poke so far */
    int turns;         /* since the last poke */
};

static _Thread_local struct poller poller;

/* Does anybody else want this processor? Only then is there somebody to sleep for. */
static int is_contended(struct poller *p, long now_ns)
{
    struct rusage usage;

    if (getrusage(RUSAGE_THREAD, &usage) == 0 && usage.ru_nivcsw != p->lost) {
        p->lost = usage.ru_nivcsw;
        p->contended_ns = now_ns;
    }
    return p->contended_ns && now_ns - p->contended_ns < CONTENDED_NS;
}

/* Crowded, and polling for some time: whoever is awaited may be one who cannot run. */
static void let_others_run(struct poller *p)
{
    long begin_ns = proa_now_ns(), end_ns;

    sched_yield();
    end_ns = proa_now_ns();
    if (end_ns - begin_ns > IDLE_YIELD_NS) {
        p->begin_ns = end_ns;
    } else if (end_ns - p->begin_ns > POLL_VAIN_NS && is_contended(p, end_ns)) {
        nanosleep(&(struct timespec){0, SLEEP_MIN_NS}, NULL);
        p->begin_ns = proa_now_ns();
    }
    p->turn_ns = p->begin_ns > end_ns ? p->begin_ns : end_ns;
}

static void crowded_turn(struct poller *p, int stored)
{
    long now_ns = proa_now_ns();

    if (stored || p->begin_ns == 0 || now_ns - p->turn_ns > POLL_LULL_NS)
        p->begin_ns = now_ns;
    p->turn_ns = now_ns;
    if (now_ns - p->begin_ns > POLL_PATIENCE_NS)
        let_others_run(p);
}

/* One that takes its time, by the measure of those that found nothing, has moved something of the host's: then there is more. Was it so? */
static int poke_moves(struct poller *p)
{
    long begin_ns, took_ns;

    if (!wait_poke)
        return 0;
    begin_ns = proa_now_ns();
    wait_poke();
    took_ns = proa_now_ns() - begin_ns;
    if (p->idle_poke_ns == 0 || took_ns < p->idle_poke_ns)
        p->idle_poke_ns = took_ns;
    return took_ns > BUSY_POKE_NS && took_ns > 4 * p->idle_poke_ns;
}

void proa_polls_turn(struct proa_polls *polls)
{
    int stored = __atomic_load_n(&polls->stored, __ATOMIC_RELAXED), crowded = is_crowded();
    uint32_t next = crowded ? POLLS_PER_TURN : POLLS_PER_POKE;

    __atomic_store_n(&polls->stored, 0, __ATOMIC_RELAXED);
    poller.turns += crowded ? 1 : POLLS_PER_POKE / POLLS_PER_TURN;
    if (poller.turns >= POLLS_PER_POKE / POLLS_PER_TURN) {
        poller.turns = 0;
        if (poke_moves(&poller)) {
            poller.turns = POLLS_PER_POKE / POLLS_PER_TURN;
            next = POLLS_PER_BUSY_POKE;
        }
    }
    if (crowded)
        crowded_turn(&poller, stored);
    __atomic_store_n(&polls->left, next - 1, __ATOMIC_RELAXED);
}
