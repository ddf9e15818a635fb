/* SPDX-License-Identifier: BSD-3-Clause */
/* See scenarios.h: simulations in which all real ranks do the same. */
#include "scenarios.h"
#include "base/fail.h"
#include "create/create.h"
#include "remote/window.h"
#include "rma/op.h"
#include "sync/barrier.h"
#include "sync/counters.h"
#include "sync/sync.h"

#include <stdlib.h>

/* The targets of a rank: on as many other nodes as there are. */
static int targets(void)
{
    const struct simulate_plan *plan = simulate_plan();
    const struct simulate_numbers *numbers = plan->arg;
    int others = (plan->ranks + plan->per_node - 1) / plan->per_node - 1;

    return numbers->k < others ? numbers->k : others;
}

static struct proa_win *window_of(struct simulate_rank *rank, const struct proa_group *group)
{
    const struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 4096, .disp_unit = 8};
    struct proa_win *win = NULL;

    (void)rank;
    SIMULATE_OK(proa_win_create(&args, group, &win));
    return win;
}

static struct proa_win *begin(struct simulate_rank *rank)
{
    struct proa_group group = simulate_begin(rank);
    struct proa_win *win = window_of(rank, &group);

    simulate_mark(rank);
    return win;
}

static int after(const struct proa_win *win, int distance)
{
    return (int)(((long)win->rank + distance) % win->size);
}

static void put(struct proa_win *win, int target)
{
    static struct proa_type word;
    const int64_t value = win->rank;
    struct proa_buffer origin = {(void *)(uintptr_t)&value, 1, &word};
    struct proa_there there = {target, 0, 1, &word, PROA_CALL_Put};

    if (!word.extent)
        SIMULATE_OK(proa_type_basic(PROA_I64, &word));
    SIMULATE_OK(proa_put(win, &origin, &there));
}

/* ---- creation ---- */

/* A barrier of the host's, and an allgather of 64 bytes. */
static void host(const struct proa_group *group)
{
    enum { BYTES = 64 };
    char mine[BYTES] = "", *all = malloc((size_t)group->size * BYTES);
    int none = 0;

    SIMULATE_CHECK(all);
    SIMULATE_OK(group->max(group->context, &none));
    SIMULATE_OK(group->allgather(group->context, mine, all, BYTES));
    free(all);
}

void simulate_create(struct simulate_rank *rank)
{
    struct proa_group group;
    struct proa_win *first, *second;

    simulate_mark(rank);
    group = simulate_begin(rank);
    first = window_of(rank, &group);
    simulate_mark(rank);
    second = window_of(rank, &group);
    simulate_mark(rank);
    SIMULATE_OK(proa_barrier_last(second));
    proa_win_release(second);
    simulate_mark(rank);
    SIMULATE_CHECK(first->size == simulate_plan()->ranks);
    host(&group);
    simulate_mark(rank);
}

/* ---- active target ---- */

void simulate_fence(struct simulate_rank *rank)
{
    struct proa_win *win = begin(rank);

    SIMULATE_OK(proa_win_fence(win, 0));
    simulate_mark(rank);
    for (int i = 1; i <= targets(); i++)
        put(win, after(win, i * simulate_plan()->per_node));
    SIMULATE_OK(proa_win_fence(win, 0));
    simulate_mark(rank);
}

static void pscw(struct proa_win *win, const int *next, const int *before, int k)
{
    SIMULATE_OK(proa_win_post(win, before, k, 0));
    SIMULATE_OK(proa_win_start(win, next, k, 0));
    for (int i = 0; i < k; i++)
        put(win, next[i]);
    SIMULATE_OK(proa_win_complete(win));
    SIMULATE_OK(proa_win_wait(win));
}

void simulate_pscw(struct simulate_rank *rank)
{
    struct proa_win *win = begin(rank);
    const int k = targets(), distance = simulate_plan()->per_node;
    int *next = malloc((size_t)k * sizeof *next), *before = malloc((size_t)k * sizeof *before);

    SIMULATE_CHECK(next && before);
    for (int i = 0; i < k; i++) {
        next[i] = after(win, (i + 1) * distance);
        before[i] = after(win, win->size - (i + 1) * distance);
    }
    pscw(win, next, before, k);
    simulate_mark(rank);
    pscw(win, before, next, k);
    simulate_mark(rank);
}

/* ---- passive target ---- */

static void lock_once(struct proa_win *win, int target)
{
    SIMULATE_OK(proa_win_lock(win, target, 1, 0));
    put(win, target);
    SIMULATE_OK(proa_win_unlock(win, target));
}

void simulate_lock(struct simulate_rank *rank)
{
    struct proa_win *win = begin(rank);
    const int distance = simulate_plan()->per_node;

    for (int i = 0; i < 2; i++) { /* the first asks for the room of exclusive locks */
        lock_once(win, after(win, distance));
        simulate_mark(rank);
    }
    lock_once(win, 0);
    simulate_mark(rank);
    for (int i = 1; i <= targets(); i++)
        lock_once(win, after(win, i * distance));
    simulate_mark(rank);
}

void simulate_lock_all(struct simulate_rank *rank)
{
    struct proa_win *win = begin(rank);

    SIMULATE_OK(proa_win_lock_all(win, 0)); /* asks for the room of lock_all */
    simulate_mark(rank);
    for (int i = 1; i <= targets(); i++)
        put(win, after(win, i * simulate_plan()->per_node));
    SIMULATE_OK(proa_win_flush_all(win));
    simulate_mark(rank);
    SIMULATE_OK(proa_win_unlock_all(win));
    simulate_mark(rank);
    SIMULATE_OK(proa_win_lock_all(win, 0));
    simulate_mark(rank);
}

/* ---- notification ---- */

void simulate_notify(struct simulate_rank *rank)
{
    struct proa_win *win = begin(rank);
    int next = after(win, simulate_plan()->per_node);

    SIMULATE_OK(proa_counters_set(win, 1, 1));
    SIMULATE_OK(proa_win_lock_all(win, 0));
    for (int i = 1; i <= 2; i++) { /* the first asks for the number of the target's counters */
        simulate_mark(rank);
        SIMULATE_OK(proa_notified_begin(win, next, 0));
        put(win, next);
        SIMULATE_OK(proa_notified_end(win, next, 0, 1));
        SIMULATE_OK(proa_counter_await(win, 0, (uint64_t)i));
    }
    simulate_mark(rank);
}

/* ---- a death ---- */

/* The first ranks of the second node die, as many as the row says. A barrier of the others cannot
 * end, and each of them hears of each death. */
void simulate_death(struct simulate_rank *rank)
{
    const struct simulate_plan *plan = simulate_plan();
    const int k = ((const struct simulate_numbers *)plan->arg)->k;
    const int first = plan->per_node, dead = k < plan->per_node ? k : plan->per_node;
    struct proa_win *win = begin(rank);

    SIMULATE_OK(proa_win_fence(win, 0));
    simulate_mark(rank);
    if (win->rank >= first && win->rank < first + dead)
        simulate_die(rank);
    SIMULATE_CHECK(proa_win_fence(win, 0) < 0);
    for (int i = first; i < first + dead && i < win->size; i++)
        while (!proa_is_failed(win, i))
            simulate_compute(rank, 100000);
    simulate_compute(rank, 1000000); /* until all are told */
    simulate_mark(rank);
}
