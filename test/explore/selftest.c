/* SPDX-License-Identifier: BSD-3-Clause */
/* The explorer's own test: protocols that are known to be wrong, in which it must find the error,
 * and the same ones put right. */
#include "explore.h"
#include "base/atomic.h"
#include "base/doorbell.h"
#include "base/system.h"
#include "base/wait.h"

#include <pthread.h>

static struct shared {
    int x, y, turn, wants[2];
    int data, inside, got[4];
    uint64_t count;
    struct proa_doorbell bell;
    pthread_mutex_t mutex;
} * s;

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
}

/* ---- message passing ---- */

static void pass(int thread, int release, int acquire)
{
    if (thread == 0) {
        s->data = 1;
        proa_atomic_store(&s->x, 1, release);
    } else if (proa_atomic_load(&s->x, acquire)) {
        explore_check(s->data == 1);
    }
}

static void pass_right(int thread)
{
    pass(thread, PROA_RELEASE, PROA_ACQUIRE);
}

static void pass_without_release(int thread)
{
    pass(thread, PROA_RELAXED, PROA_ACQUIRE);
}

static void pass_without_acquire(int thread)
{
    pass(thread, PROA_RELEASE, PROA_RELAXED);
}

/* By fences; and the value, as atomics of which a stale one may be loaded. */
static void pass_fenced(int thread, int fences)
{
    if (thread == 0) {
        proa_atomic_store(&s->y, 1, PROA_RELAXED);
        if (fences)
            proa_atomic_fence(PROA_RELEASE);
        proa_atomic_store(&s->x, 1, PROA_RELAXED);
    } else if (proa_atomic_load(&s->x, PROA_RELAXED)) {
        if (fences)
            proa_atomic_fence(PROA_ACQUIRE);
        explore_check(proa_atomic_load(&s->y, PROA_RELAXED) == 1);
    }
}

static void pass_by_fences(int thread)
{
    pass_fenced(thread, 1);
}

static void pass_without_fences(int thread)
{
    pass_fenced(thread, 0);
}

/* A third thread that adds continues the release sequence; one that stores ends it. */
static void sequence(int thread, int adds)
{
    if (thread == 1 && adds)
        proa_atomic_fetch_add(&s->x, 2, PROA_RELAXED);
    else if (thread == 1 && proa_atomic_load(&s->x, PROA_RELAXED) == 1)
        proa_atomic_store(&s->x, 3, PROA_RELAXED);
    else if (thread == 0)
        pass(0, PROA_RELEASE, PROA_ACQUIRE);
    else if (thread == 2 && proa_atomic_load(&s->x, PROA_ACQUIRE) == 3)
        explore_check(s->data == 1);
}

static void sequence_of_adds(int thread)
{
    sequence(thread, 1);
}

static void sequence_ended(int thread)
{
    sequence(thread, 0);
}

/* ---- store buffering ---- */

static void buffer(int thread, int store, int load, void (*fence)(int thread))
{
    int *mine = thread ? &s->y : &s->x, *other = thread ? &s->x : &s->y;

    proa_atomic_store(mine, 1, store);
    if (fence)
        fence(thread);
    s->got[thread] = proa_atomic_load(other, load);
}

static void not_both_missed(void)
{
    explore_check(s->got[0] || s->got[1]);
}

static void full(int thread)
{
    (void)thread;
    proa_atomic_fence(PROA_SEQ_CST);
}

static void acq_rel(int thread)
{
    (void)thread;
    proa_atomic_fence(PROA_ACQ_REL);
}

static void light_and_heavy(int thread)
{
    if (thread == 0)
        proa_membar_heavy();
    else
        proa_membar_light();
}

static void both_light(int thread)
{
    (void)thread;
    proa_membar_light();
}

static void buffer_seq_cst(int thread)
{
    buffer(thread, PROA_SEQ_CST, PROA_SEQ_CST, NULL);
}

static void buffer_acquire(int thread)
{
    buffer(thread, PROA_SEQ_CST, thread ? PROA_ACQUIRE : PROA_SEQ_CST, NULL);
}

static void buffer_fences(int thread)
{
    buffer(thread, PROA_RELAXED, PROA_RELAXED, full);
}

static void buffer_acq_rel(int thread)
{
    buffer(thread, PROA_RELEASE, PROA_ACQUIRE, acq_rel);
}

static void buffer_asymmetric(int thread)
{
    buffer(thread, PROA_RELAXED, PROA_RELAXED, light_and_heavy);
}

static void buffer_light(int thread)
{
    buffer(thread, PROA_RELAXED, PROA_RELAXED, both_light);
}

/* Independent reads of independent writes: two readers agree on the order, or may not. */
static void independent(int thread, int order)
{
    if (thread < 2)
        proa_atomic_store(thread ? &s->y : &s->x, 1, order == PROA_SEQ_CST ? order : PROA_RELEASE);
    else if (proa_atomic_load(thread == 2 ? &s->x : &s->y, order))
        s->got[thread] = !proa_atomic_load(thread == 2 ? &s->y : &s->x, order);
}

static void independent_seq_cst(int thread)
{
    independent(thread, PROA_SEQ_CST);
}

static void independent_acquire(int thread)
{
    independent(thread, PROA_ACQUIRE);
}

static void in_one_order(void)
{
    explore_check(!s->got[2] || !s->got[3]);
}

/* ---- mutual exclusion ---- */

static void peterson(int thread, int order)
{
    proa_atomic_store(&s->wants[thread], 1, order == PROA_SEQ_CST ? order : PROA_RELEASE);
    proa_atomic_exchange(&s->turn, 1 - thread, order);
    while (proa_atomic_load(&s->wants[1 - thread], order == PROA_SEQ_CST ? order : PROA_ACQUIRE) &&
           proa_atomic_load(&s->turn, order == PROA_SEQ_CST ? order : PROA_ACQUIRE) != thread)
        explore_yield();
    s->data++;
    proa_atomic_store(&s->wants[thread], 0, PROA_RELEASE);
}

static void peterson_seq_cst(int thread)
{
    peterson(thread, PROA_SEQ_CST);
}

static void peterson_relaxed(int thread)
{
    peterson(thread, PROA_RELAXED);
}

static void by_mutex(int thread)
{
    (void)thread;
    pthread_mutex_lock(&s->mutex);
    s->data++;
    pthread_mutex_unlock(&s->mutex);
}

static void without_mutex(int thread)
{
    if (thread)
        pthread_mutex_lock(&s->mutex);
    s->data++;
    if (thread)
        pthread_mutex_unlock(&s->mutex);
}

static void counted(void)
{
    explore_check(s->data == 2);
}

/* Two exchanges of which both succeed, or a count that is lost. */
static void lost_count(int thread)
{
    (void)thread;
    proa_atomic_store(&s->x, proa_atomic_load(&s->x, PROA_SEQ_CST) + 1, PROA_SEQ_CST);
}

static void kept_count(int thread)
{
    int before = proa_atomic_load(&s->x, PROA_RELAXED);

    (void)thread;
    while (!proa_atomic_compare_exchange(&s->x, &before, before + 1, PROA_RELAXED, PROA_RELAXED))
        continue;
}

static void both_counted(void)
{
    explore_check(s->x == 2);
}

/* ---- waiting ---- */

/* The sleeper announces itself and looks, the ringer stores and looks: not both may miss the
 * other. */
static void sleeps(int thread, void (*fence)(int thread))
{
    uint32_t rings;

    if (thread == 0) {
        proa_doorbell_announce(&s->bell, NULL, &rings);
        fence(0);
        if (!proa_atomic_load(&s->count, PROA_ACQUIRE))
            proa_system->sleep(&s->bell.rings, rings, 1000000000);
    } else {
        proa_atomic_store(&s->count, 1, PROA_RELEASE);
        proa_doorbell_ring(&s->bell);
    }
}

static void nothing(int thread)
{
    (void)thread;
}

static void sleep_fenced(int thread)
{
    sleeps(thread, light_and_heavy);
}

static void sleep_unfenced(int thread)
{
    sleeps(thread, nothing);
}

static void spin_for_ever(int thread)
{
    while (proa_atomic_load(thread ? &s->x : &s->y, PROA_ACQUIRE) == 0)
        explore_yield();
    proa_atomic_store(thread ? &s->y : &s->x, 1, PROA_RELEASE);
}

static void spin(int thread)
{
    if (thread == 0)
        proa_atomic_store(&s->x, 1, PROA_RELAXED);
    while (thread == 1 && proa_atomic_load(&s->x, PROA_RELAXED) == 0)
        explore_yield();
}

#define RACE "data race"
const struct explore_scenario explore_selftest[] = {
    {.name = "selftest.pass", .threads = 2, .setup = setup, .body = pass_right},
    {.name = "selftest.pass_without_release",
     .threads = 2,
     .setup = setup,
     .body = pass_without_release,
     .wrong = RACE},
    {.name = "selftest.pass_without_acquire",
     .threads = 2,
     .setup = setup,
     .body = pass_without_acquire,
     .wrong = RACE},
    {.name = "selftest.pass_by_fences", .threads = 2, .setup = setup, .body = pass_by_fences},
    {.name = "selftest.pass_without_fences",
     .threads = 2,
     .setup = setup,
     .body = pass_without_fences,
     .wrong = "does not hold"},
    {.name = "selftest.sequence_of_adds", .threads = 3, .setup = setup, .body = sequence_of_adds},
    {.name = "selftest.sequence_ended",
     .threads = 3,
     .setup = setup,
     .body = sequence_ended,
     .wrong = RACE},
    {.name = "selftest.buffer_seq_cst",
     .threads = 2,
     .setup = setup,
     .body = buffer_seq_cst,
     .finish = not_both_missed},
    {.name = "selftest.buffer_acquire",
     .threads = 2,
     .setup = setup,
     .body = buffer_acquire,
     .finish = not_both_missed,
     .wrong = "does not hold"},
    {.name = "selftest.buffer_fences",
     .threads = 2,
     .setup = setup,
     .body = buffer_fences,
     .finish = not_both_missed},
    {.name = "selftest.buffer_acq_rel",
     .threads = 2,
     .setup = setup,
     .body = buffer_acq_rel,
     .finish = not_both_missed,
     .wrong = "does not hold"},
    {.name = "selftest.buffer_asymmetric",
     .threads = 2,
     .setup = setup,
     .body = buffer_asymmetric,
     .finish = not_both_missed},
    {.name = "selftest.buffer_light",
     .threads = 2,
     .setup = setup,
     .body = buffer_light,
     .finish = not_both_missed,
     .wrong = "does not hold"},
    {.name = "selftest.independent_seq_cst",
     .threads = 4,
     .setup = setup,
     .body = independent_seq_cst,
     .finish = in_one_order},
    {.name = "selftest.independent_acquire",
     .threads = 4,
     .setup = setup,
     .body = independent_acquire,
     .finish = in_one_order,
     .wrong = "does not hold"},
    {.name = "selftest.peterson_seq_cst",
     .threads = 2,
     .setup = setup,
     .body = peterson_seq_cst,
     .finish = counted},
    {.name = "selftest.peterson_relaxed",
     .threads = 2,
     .setup = setup,
     .body = peterson_relaxed,
     .finish = counted,
     .wrong = RACE},
    {.name = "selftest.mutex", .threads = 2, .setup = setup, .body = by_mutex, .finish = counted},
    {.name = "selftest.without_mutex",
     .threads = 2,
     .setup = setup,
     .body = without_mutex,
     .finish = counted,
     .wrong = RACE},
    {.name = "selftest.lost_count",
     .threads = 2,
     .setup = setup,
     .body = lost_count,
     .finish = both_counted,
     .wrong = "does not hold"},
    {.name = "selftest.kept_count",
     .threads = 2,
     .setup = setup,
     .body = kept_count,
     .finish = both_counted},
    {.name = "selftest.sleep_fenced", .threads = 2, .setup = setup, .body = sleep_fenced},
    {.name = "selftest.sleep_unfenced",
     .threads = 2,
     .setup = setup,
     .body = sleep_unfenced,
     .wrong = "no thread can go on"},
    {.name = "selftest.spin", .threads = 2, .setup = setup, .body = spin},
    {.name = "selftest.spin_for_ever",
     .threads = 2,
     .setup = setup,
     .body = spin_for_ever,
     .wrong = "no thread can go on"},
    {0},
};
