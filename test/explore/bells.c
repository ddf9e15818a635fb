/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits with a bell (base/wait.c, base/doorbell.c): no wake-up is lost, and the waiter sees the
 * data that was stored before the count. */
#include "explore.h"
#include "base/wait.h"

static struct shared {
    uint64_t count[2], back;
    int data;
    struct proa_doorbell bell, other;
} * s;

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
}

static void ring(int i, uint64_t count)
{
    proa_atomic_store(&s->count[i], count, PROA_RELEASE);
    proa_doorbell_ring_for(&s->bell, &s->count[i]);
}

static void await(int i, uint64_t least)
{
    explore_check(proa_wait_count_unless(&s->count[i], least, &s->bell, NULL, NULL) == 0);
}

static void once(int thread)
{
    if (thread == 0) {
        s->data = 1;
        ring(0, 1);
    } else {
        await(0, 1);
        explore_check(s->data == 1);
    }
}

/* The count goes up twice, and the waiter waits for each. */
static void twice(int thread)
{
    if (thread == 0) {
        ring(0, 1);
        ring(0, 2);
    } else {
        await(0, 1);
        await(0, 2);
    }
}

/* Two threads sleep at one bell, for a word each. */
static void two_words(int thread)
{
    if (thread == 0) {
        ring(0, 1);
        ring(1, 1);
    } else {
        await(thread - 1, 1);
    }
}

/* Two ringers, one sleeper for both words in turn. */
static void two_ringers(int thread)
{
    if (thread < 2) {
        ring(thread, 1);
    } else {
        await(0, 1);
        await(1, 1);
    }
}

static int both(void *unused)
{
    (void)unused;
    return proa_atomic_load(&s->count[0], PROA_ACQUIRE) &&
           proa_atomic_load(&s->count[1], PROA_ACQUIRE);
}

/* A sleeper for more than a word. */
static void any_word(int thread)
{
    if (thread < 2)
        ring(thread, 1);
    else
        proa_wait(both, NULL, &s->bell);
}

/* There and back, by two bells. */
static void answer(int thread)
{
    if (thread == 0) {
        ring(0, 1);
        proa_wait_count_unless(&s->back, 1, &s->other, NULL, NULL);
        explore_check(s->data == 1);
    } else {
        await(0, 1);
        s->data = 1;
        proa_atomic_store(&s->back, 1, PROA_RELEASE);
        proa_doorbell_ring(&s->other);
    }
}

const struct explore_scenario explore_bells[] = {
    {.name = "bells.once", .threads = 2, .setup = setup, .body = once},
    {.name = "bells.twice", .threads = 2, .setup = setup, .body = twice},
    {.name = "bells.two_words", .threads = 3, .setup = setup, .body = two_words, .preemptions = 1},
    {.name = "bells.two_ringers",
     .threads = 3,
     .setup = setup,
     .body = two_ringers,
     .preemptions = 1},
    {.name = "bells.any_word", .threads = 3, .setup = setup, .body = any_word, .preemptions = 1},
    {.name = "bells.answer", .threads = 2, .setup = setup, .body = answer},
    {0},
};
