/* SPDX-License-Identifier: BSD-3-Clause */
/* Post, start, complete and wait; fences and both barriers; flushes. Each process works on plain
 * data of the others where an epoch lets it. */
#include "window.h"
#include "sync/barrier.h"
#include "sync/completion.h"
#include "sync/pair.h"

static struct shared {
    int data[WINDOW_PROCESSES], got[WINDOW_PROCESSES];
} * s;

static void setup_of(int processes)
{
    window_make(processes);
    s = explore_new(sizeof *s, 64);
}

static void setup_two(void)
{
    setup_of(2);
}

static void setup_three(void)
{
    setup_of(3);
}

static void setup_central(void)
{
    setup_of(2);
    window[0]->barrier = window[1]->barrier = PROA_BARRIER_CENTRAL;
}

/* ---- post, start, complete, wait ---- */

static void access_once(int rank, int target)
{
    struct proa_win *win = window[rank];

    explore_check(proa_win_start(win, &target, 1, 0) == PROA_OK);
    explore_check(win->sync->await(win, target) == PROA_OK);
    s->data[rank]++;
    explore_check(proa_win_complete(win) == PROA_OK);
}

static void expose(int rank, const int *origins, int count)
{
    struct proa_win *win = window[rank];

    explore_check(proa_win_post(win, origins, count, 0) == PROA_OK);
    explore_check(proa_win_wait(win) == PROA_OK);
    for (int i = 0; i < count; i++)
        s->data[origins[i]]++;
}

static void exposure(int rank)
{
    static const int origin = 1;

    window_enter(rank);
    rank ? access_once(1, 0) : expose(0, &origin, 1);
}

static void exposure_again(int rank)
{
    exposure(rank);
    exposure(rank);
}

static void two_origins(int rank)
{
    static const int origins[] = {1, 2};

    window_enter(rank);
    rank ? access_once(rank, 0) : expose(0, origins, 2);
}

/* MPI_Win_test in place of wait. */
static void tested(int rank)
{
    static const int origin = 1;
    int flag = 0;

    window_enter(rank);
    if (rank) {
        access_once(1, 0);
        return;
    }
    explore_check(proa_win_post(window[0], &origin, 1, 0) == PROA_OK);
    while (!flag) {
        explore_check(proa_win_test(window[0], &flag) == PROA_OK);
        if (!flag)
            explore_yield();
    }
    explore_check(s->data[1] == 1);
}

static void exposed(void)
{
    explore_check(s->data[1] == 2);
}

static void exposed_twice(void)
{
    explore_check(s->data[1] == 4);
}

static void exposed_to_two(void)
{
    explore_check(s->data[1] == 2 && s->data[2] == 2);
}

/* ---- fences ---- */

static void fence(int rank, int mode)
{
    explore_check(proa_win_fence(window[rank], mode) == PROA_OK);
}

/* Each stores to its right neighbour, and reads its own after a fence. */
static void rounds(int rank)
{
    int size = window[rank]->size, right = (rank + 1) % size;

    window_enter(rank);
    for (int i = 1; i <= 2; i++) {
        fence(rank, 0);
        s->data[right] = i;
        fence(rank, 0);
        explore_check(s->data[rank] == i);
    }
}

static void one_round(int rank)
{
    int size = window[rank]->size, right = (rank + 1) % size;

    window_enter(rank);
    s->data[rank] = 5;
    fence(rank, 0);
    s->data[right]++;
    fence(rank, 0);
    explore_check(s->data[rank] == 6);
}

static void one_fence(int rank)
{
    window_enter(rank);
    s->data[(rank + 1) % 3] = 7;
    fence(rank, 0);
    explore_check(s->data[rank] == 7);
}

/* A fence that ends nothing: the first operation waits for the target's own. */
static void opening(int rank)
{
    int right = (rank + 1) % 3;

    window_enter(rank);
    s->data[rank] = 1;
    fence(rank, PROA_MODE_NOPRECEDE);
    explore_check(window[rank]->sync->await(window[rank], right) == PROA_OK);
    s->data[right]++;
}

static void opened(void)
{
    for (int i = 0; i < 3; i++)
        explore_check(s->data[i] == 2);
}

/* The last barrier: the block may go. */
static void last(int rank)
{
    window_enter(rank);
    fence(rank, 0);
    explore_check(proa_barrier_last(window[rank]) == PROA_OK);
    explore_delete(window[rank]->ctl, sizeof *window[rank]->ctl);
}

/* ---- flush: the store is visible before anything that follows ---- */

static void flush(int rank)
{
    struct proa_win *win = window[rank];

    window_enter(rank);
    explore_check(proa_win_lock_all(win, 0) == PROA_OK);
    proa_atomic_store(&s->data[1 - rank], 1, PROA_RELAXED);
    proa_touch_store(win);
    explore_check(proa_win_flush(win, 1 - rank) >= PROA_OK);
    s->got[rank] = proa_atomic_load(&s->data[rank], PROA_RELAXED);
    explore_check(proa_win_unlock_all(win) == PROA_OK);
}

/* The same by MPI_Win_sync, in memory that both have mapped. */
static void synchronized(int rank)
{
    window_enter(rank);
    proa_atomic_store(&s->data[1 - rank], 1, PROA_RELAXED);
    proa_win_sync(window[rank]);
    s->got[rank] = proa_atomic_load(&s->data[rank], PROA_RELAXED);
}

static void flushed(void)
{
    explore_check(s->got[0] || s->got[1]);
}

#define EPOCHS(title, count, ...)                                                         \
    {                                                                                     \
        .name = "epochs." title, .threads = count, .prepare = window_prepare, __VA_ARGS__ \
    }
const struct explore_scenario explore_epochs[] = {
    EPOCHS("exposure", 2, .setup = setup_two, .body = exposure, .finish = exposed),
    EPOCHS("exposure_again", 2, .setup = setup_two, .body = exposure_again, .finish = exposed_twice,
           .preemptions = 1, .stale = 1),
    EPOCHS("two_origins", 3, .setup = setup_three, .body = two_origins, .finish = exposed_to_two,
           .preemptions = 1, .stale = 1),
    EPOCHS("tested", 2, .setup = setup_two, .body = tested),
    EPOCHS("round", 2, .setup = setup_two, .body = one_round, .preemptions = 1),
    EPOCHS("rounds", 2, .setup = setup_two, .body = rounds, .preemptions = 1, .stale = 1),
    EPOCHS("three", 3, .setup = setup_three, .body = one_fence, .preemptions = -1, .stale = 1),
    EPOCHS("central", 2, .setup = setup_central, .body = rounds, .preemptions = 1, .stale = 1),
    EPOCHS("opening", 3, .setup = setup_three, .body = opening, .finish = opened, .preemptions = 1,
           .stale = 1),
    EPOCHS("last", 2, .setup = setup_two, .body = last, .preemptions = 1, .stale = 1),
    EPOCHS("last_of_central", 2, .setup = setup_central, .body = last, .preemptions = 1,
           .stale = 1),
    EPOCHS("flush", 2, .setup = setup_two, .body = flush, .finish = flushed),
    EPOCHS("synchronized", 2, .setup = setup_two, .body = synchronized, .finish = flushed),
    {0},
};
