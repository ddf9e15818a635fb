/* SPDX-License-Identifier: BSD-3-Clause */
/* Notification counters: what was stored before a count is there once the count is seen, by a look,
 * a reset or a wait; and no count is lost. */
#include "window.h"
#include "sync/counters.h"

enum { ORIGINS = 2 };

static struct shared {
    struct proa_counter counter;
    int data[ORIGINS];
    uint64_t sum;
} * s;

/* Rank 0 owns the counter; the others are origins. */
static void setup_of(int processes)
{
    const size_t bytes =
        sizeof(struct proa_counters) + WINDOW_PROCESSES * sizeof(struct proa_counters_of);

    window_make(processes);
    s = explore_new(sizeof *s, 64);
    for (int rank = 0; rank < processes; rank++) {
        window[rank]->counters = explore_new(bytes, 64);
        window[rank]->counters->of[0] = (struct proa_counters_of){&s->counter, 1, 1};
    }
}

static void setup_two(void)
{
    setup_of(2);
}

static void setup_three(void)
{
    setup_of(3);
}

static void count_one(int rank)
{
    s->data[rank - 1] = rank;
    proa_counter_up(window[rank], 0, 0);
}

static void look(int rank)
{
    window_enter(rank);
    if (rank)
        count_one(rank);
    else if (proa_counter_value(window[0], 0))
        explore_check(s->data[0] == 1);
}

static void await(int rank)
{
    window_enter(rank);
    if (rank) {
        count_one(rank);
        return;
    }
    explore_check(proa_counter_await(window[0], 0, 1) == PROA_OK);
    explore_check(s->data[0] == 1);
}

/* Of two origins; the data of both once two counts were taken. */
static void reset(int rank)
{
    window_enter(rank);
    if (rank) {
        count_one(rank);
        return;
    }
    s->sum = proa_counter_reset(window[0], 0);
    s->sum += proa_counter_reset(window[0], 0);
    if (s->sum == ORIGINS)
        explore_check(s->data[0] == 1 && s->data[1] == 2);
}

/* Counters come to be while the thread that serves other nodes looks for one of them. */
static void setup_one(void)
{
    window_make(1);
}

static void set(int thread)
{
    const uint64_t *found;

    window_enter(0);
    if (thread == 0) {
        explore_check(proa_counters_set(window[0], 1, 1) == PROA_OK);
        return;
    }
    found = proa_counter_fetched(window[0], 0, 0);
    if (found)
        explore_check(*found == 0 && proa_counters_near(window[0], 0) == 1);
    found = proa_counters_near(window[0], 0) ? proa_counter_of(window[0], 0, 0) : NULL;
    if (found)
        explore_check(*found == 0);
}

static void all_counted(void)
{
    explore_check(s->sum + s->counter.value == ORIGINS);
}

#define COUNTERS(title, count, ...)                                                         \
    {                                                                                       \
        .name = "counters." title, .threads = count, .prepare = window_prepare, __VA_ARGS__ \
    }
const struct explore_scenario explore_counters[] = {
    COUNTERS("look", 2, .setup = setup_two, .body = look),
    COUNTERS("await", 2, .setup = setup_two, .body = await, .preemptions = 1),
    COUNTERS("reset", 3, .setup = setup_three, .body = reset, .finish = all_counted,
             .preemptions = 1, .stale = 1),
    COUNTERS("set", 2, .setup = setup_one, .body = set),
    {0},
};
