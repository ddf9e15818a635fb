/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks on windows (sync/passive.c): exclusion of every kind from every other, several targets at
 * once, fairness, NOCHECK. */
#include "move.h"
#include "inside.h"

#include "base/fail.h"
#include "sync/rwlock.h"
#include "sync/bypass.h"
#include "window/sync_ops.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- exclusion ---- */

/* Word 0 of a target counts the exclusive locks on it, without atomics. */
static void under_exclusive(struct world *world, struct proa_win *win, int target, uint64_t *seed)
{
    struct inside *inside = inside_of(world);
    int64_t value = -1;

    CHECK_OK(proa_win_lock(win, target, 1, 0));
    __atomic_fetch_add(&inside->exclusive[target], 1, __ATOMIC_SEQ_CST);
    check_exclusive(inside, target);
    CHECK_OK(get_word(win, target, 0, &value));
    dwell(seed);
    CHECK_OK(put_word(win, target, 0, value + 1));
    check_exclusive(inside, target);
    __atomic_fetch_sub(&inside->exclusive[target], 1, __ATOMIC_SEQ_CST);
    CHECK_OK(proa_win_unlock(win, target));
}

static void under_shared(struct world *world, struct proa_win *win, int target, uint64_t *seed)
{
    struct inside *inside = inside_of(world);

    CHECK_OK(proa_win_lock(win, target, 0, 0));
    __atomic_fetch_add(&inside->shared[target], 1, __ATOMIC_SEQ_CST);
    CHECK_EQUAL(__atomic_load_n(&inside->exclusive[target], __ATOMIC_SEQ_CST), 0);
    fetch_op(win, target, 1, 1, PROA_OP_SUM);
    dwell(seed);
    CHECK_EQUAL(__atomic_load_n(&inside->exclusive[target], __ATOMIC_SEQ_CST), 0);
    __atomic_fetch_sub(&inside->shared[target], 1, __ATOMIC_SEQ_CST);
    CHECK_OK(proa_win_unlock(win, target));
}

static void check_no_exclusive(struct world *world)
{
    for (int i = 0; i < world->size; i++)
        CHECK_EQUAL(__atomic_load_n(&inside_of(world)->exclusive[i], __ATOMIC_SEQ_CST), 0);
}

static void under_all(struct world *world, struct proa_win *win, uint64_t *seed)
{
    struct inside *inside = inside_of(world);

    CHECK_OK(proa_win_lock_all(win, 0));
    __atomic_fetch_add(&inside->all, 1, __ATOMIC_SEQ_CST);
    check_no_exclusive(world);
    for (int i = 0; i < world->size; i++)
        fetch_op(win, i, 2, 1, PROA_OP_SUM);
    dwell(seed);
    check_no_exclusive(world);
    __atomic_fetch_sub(&inside->all, 1, __ATOMIC_SEQ_CST);
    CHECK_OK(proa_win_unlock_all(win));
}

/* Shares of 100 rounds; the rest is lock_all. */
struct mix {
    uint64_t exclusive, shared;
};

static void mix(struct world *world, const struct mix *mix)
{
    struct proa_win *win = window_of_words(world, 3);
    uint64_t seed = (uint64_t)world->rank + 100 * mix->exclusive + mix->shared;
    int64_t exclusives[WORLD_MOST] = {0}, shareds[WORLD_MOST] = {0}, alls = 0;

    for (long round = 0; round < world_rounds(1000); round++) {
        uint64_t what = world_below(&seed, 100);
        int target = (int)world_below(&seed, (uint64_t)world->size);
        if (what < mix->exclusive) {
            under_exclusive(world, win, target, &seed);
            exclusives[target]++;
        } else if (what < mix->exclusive + mix->shared) {
            under_shared(world, win, target, &seed);
            shareds[target]++;
        } else {
            under_all(world, win, &seed);
            alls++;
        }
    }
    /* each takes off what it has put there: all words end as 0 */
    for (int i = 0; i < world->size; i++) {
        CHECK_OK(proa_win_lock(win, i, 0, 0));
        fetch_op(win, i, 0, -exclusives[i], PROA_OP_SUM);
        fetch_op(win, i, 1, -shareds[i], PROA_OP_SUM);
        fetch_op(win, i, 2, -alls, PROA_OP_SUM);
        CHECK_OK(proa_win_unlock(win, i));
        world_barrier(
            world); /* exclusive locks count without atomics: no process is left in one now */
    }
    world_barrier(world);
    for (int i = 0; i < 3; i++)
        CHECK_EQUAL(window_words(win)[i], 0);
    CHECK_EQUAL(__atomic_load_n(&win->ctl->lock.state, __ATOMIC_SEQ_CST), 0);
    CHECK_EQUAL(__atomic_load_n(&win->ctl->all.active, __ATOMIC_SEQ_CST), 0);
    CHECK_EQUAL(__atomic_load_n(&win->ctl->all.asked, __ATOMIC_SEQ_CST),
                __atomic_load_n(&win->ctl->all.granted, __ATOMIC_SEQ_CST));
    window_free(win);
}

static void exclusion_body(struct world *world)
{
    static const struct mix mixes[] = {{100, 0}, {50, 50}, {0, 50}, {50, 0},
                                       {30, 40}, {3, 3},   {3, 94}, {90, 0}};

    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++)
        mix(world, &mixes[i]);
}

static void exclusion(void **state)
{
    (void)state;
    for (int size = 1; size <= 6; size++)
        world_run(&(struct world_plan){.size = size, .body = exclusion_body});
}

/* ---- several targets at once ---- */

/* Everyone takes some targets in rising order, exclusive or shared: no cycle among users, so none
 * among locks. */
static void rising_order_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    struct inside *inside = inside_of(world);
    uint64_t seed = (uint64_t)world->rank;

    for (long round = 0; round < world_rounds(500); round++) {
        uint64_t chosen = world_random(&seed), exclusive = world_random(&seed);
        for (int i = 0; i < world->size; i++) {
            if (!(chosen >> i & 1))
                continue;
            CHECK_OK(proa_win_lock(win, i, (int)(exclusive >> i & 1), 0));
            __atomic_fetch_add(exclusive >> i & 1 ? &inside->exclusive[i] : &inside->shared[i], 1,
                               __ATOMIC_SEQ_CST);
            CHECK_EQUAL(__atomic_load_n(&inside->exclusive[i], __ATOMIC_SEQ_CST),
                        exclusive >> i & 1);
        }
        for (int i = world->size - 1; i >= 0; i--) {
            if (!(chosen >> i & 1))
                continue;
            if (exclusive >> i & 1)
                check_exclusive(inside, i);
            __atomic_fetch_sub(exclusive >> i & 1 ? &inside->exclusive[i] : &inside->shared[i], 1,
                               __ATOMIC_SEQ_CST);
            CHECK_OK(proa_win_unlock(win, i));
        }
        if (round % 10 == 0) {
            CHECK_OK(proa_win_lock_all(win, 0));
            check_no_exclusive(world);
            __atomic_fetch_add(&inside->all, 1, __ATOMIC_SEQ_CST);
            __atomic_fetch_sub(&inside->all, 1, __ATOMIC_SEQ_CST);
            CHECK_OK(proa_win_unlock_all(win));
        }
    }
    window_free(win);
}

static void rising_order(void **state)
{
    (void)state;
    for (int size = 2; size <= 5; size++)
        world_run(&(struct world_plan){.size = size, .body = rising_order_body});
}

/* ---- several threads of each process, each with targets of its own ---- */

enum { THREADS = 3 };

struct crew {
    struct world *world;
    struct proa_win *win;
};

static void lock_in_thread(void *arg, int number)
{
    const struct crew *crew = arg;
    struct inside *inside = inside_of(crew->world);
    uint64_t seed = (uint64_t)number;

    for (long round = 0; round < world_rounds(1500); round++) {
        int target = number + THREADS * (int)world_below(&seed, 2),
            exclusive = (int)world_below(&seed, 2);
        int64_t value = -1;
        CHECK_OK(proa_win_lock(crew->win, target, exclusive, 0));
        __atomic_fetch_add(exclusive ? &inside->exclusive[target] : &inside->shared[target], 1,
                           __ATOMIC_SEQ_CST);
        CHECK_EQUAL(__atomic_load_n(&inside->exclusive[target], __ATOMIC_SEQ_CST), exclusive);
        if (exclusive) {
            CHECK_OK(get_word(crew->win, target, 0, &value));
            CHECK_OK(put_word(crew->win, target, 0, value + 2));
            CHECK_OK(flushed(proa_win_flush(crew->win, target)));
            CHECK_OK(proa_win_flush_all(crew->win));
        } else {
            fetch_op(crew->win, target, 0, 2, PROA_OP_SUM);
        }
        __atomic_fetch_sub(exclusive ? &inside->exclusive[target] : &inside->shared[target], 1,
                           __ATOMIC_SEQ_CST);
        CHECK_OK(proa_win_unlock(crew->win, target));
    }
}

static void threads_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 8, .threads = 1};
    struct crew crew = {world, window_create(world, &args)};
    int64_t sum = 0, value;

    window_words(crew.win)[0] = 0;
    world_barrier(world);
    world_threads(THREADS, lock_in_thread, &crew);
    world_barrier(world);
    CHECK_OK(proa_win_lock_all(crew.win, 0));
    for (int i = 0; i < world->size; i++) {
        CHECK_OK(get_word(crew.win, i, 0, &value));
        sum += value;
    }
    CHECK_OK(proa_win_unlock_all(crew.win));
    CHECK_EQUAL(sum, 2 * THREADS * world->size * world_rounds(1500));
    window_free(crew.win);
}

WORLD_TEST(threads, 2 * THREADS)

/* Only the table for threads guards the epochs of a window, and races are too rare to wait for. */
static void tables_body(struct world *world)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 8};

    for (args.threads = 0; args.threads <= 1; args.threads++) {
        struct proa_win *win = window_create(world, &args);

        CHECK(win->sync == (args.threads ? &proa_sync_threads : &proa_sync_node));
        window_free(win);
    }
}

WORLD_TEST(tables, 2)

/* A lock changes counts of the window, and waits for a thread that changes them. */
struct guarded {
    struct proa_win *win;
    uint32_t step; /* 1: a thread is at the counts; 2: the lock is taken */
};

static void lock_beside(void *arg, int number)
{
    struct guarded *g = arg;

    if (number == 0) {
        pthread_mutex_lock(&g->win->mutex);
        __atomic_store_n(&g->step, 1, __ATOMIC_SEQ_CST);
        world_sleep_us(20000);
        CHECK_EQUAL(__atomic_load_n(&g->step, __ATOMIC_SEQ_CST), 1);
        pthread_mutex_unlock(&g->win->mutex);
    } else {
        world_await(&g->step, 1);
        CHECK_OK(proa_win_lock(g->win, g->win->rank, 0, 0));
        __atomic_store_n(&g->step, 2, __ATOMIC_SEQ_CST);
        CHECK_OK(proa_win_unlock(g->win, g->win->rank));
    }
}

static void counts_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 8, .threads = 1};
    struct guarded guarded = {.win = window_create(world, &args)};

    world_threads(2, lock_beside, &guarded);
    window_free(guarded.win);
}

WORLD_TEST(counts, 1)

/* ---- fairness: among others that never stop ---- */

static void crowd(struct world *world, struct proa_win *win, int all)
{
    struct inside *inside = inside_of(world);

    while (!__atomic_load_n(&inside->stop, __ATOMIC_SEQ_CST)) {
        if (all)
            CHECK_OK(proa_win_lock_all(win, 0));
        else
            CHECK_OK(proa_win_lock(win, 0, 1, 0));
        __atomic_fetch_add(&inside->entries, 1, __ATOMIC_SEQ_CST);
        if (all)
            CHECK_OK(proa_win_unlock_all(win));
        else
            CHECK_OK(proa_win_unlock(win, 0));
    }
}

/* Rank 0 locks now and then, the others all the time, the other kind. Done if it comes to an
 * end. */
static void among_others(struct world *world, int all)
{
    struct proa_win *win = window_of_words(world, 1);
    struct inside *inside = inside_of(world);

    if (world->rank == 0) {
        world_await(&inside->entries, 100);
        for (int i = 0; i < 40; i++) {
            if (all)
                CHECK_OK(proa_win_lock_all(win, 0));
            else
                CHECK_OK(proa_win_lock(win, 0, 1, 0));
            world_sleep_us(20);
            if (all)
                CHECK_OK(proa_win_unlock_all(win));
            else
                CHECK_OK(proa_win_unlock(win, 0));
            world_sleep_us(200);
        }
        __atomic_store_n(&inside->stop, 1, __ATOMIC_SEQ_CST);
    } else {
        crowd(world, win, !all);
    }
    window_free(win);
    world_barrier(world);
    if (world->rank == 0)
        memset(world->shared, 0, sizeof *inside);
    world_barrier(world);
}

static void fairness_body(struct world *world)
{
    among_others(world, 0);
    among_others(world, 1);
}

static void fairness(void **state)
{
    (void)state;
    for (int size = 2; size <= 5; size++)
        world_run(&(struct world_plan){.size = size, .body = fairness_body});
}

/* ---- NOCHECK, flush, counters that wrap ---- */

static void nocheck_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    int right = (world->rank + 1) % world->size;

    for (int exclusive = 0; exclusive <= 1; exclusive++) {
        CHECK_OK(proa_win_lock(win, right, exclusive, PROA_MODE_NOCHECK));
        /* the lock itself is left alone */
        CHECK_EQUAL(__atomic_load_n(&win->targets[right].ctl->lock.state, __ATOMIC_SEQ_CST), 0);
        CHECK_OK(put_word(win, right, 0, exclusive + 5));
        CHECK_OK(flushed(proa_win_flush(win, right)));
        CHECK_OK(proa_win_unlock(win, right));
        world_barrier(world);
        CHECK_EQUAL(window_words(win)[0], exclusive + 5);
        world_barrier(world);
    }
    CHECK_OK(proa_win_lock_all(win, PROA_MODE_NOCHECK));
    CHECK_EQUAL(__atomic_load_n(&win->targets[0].ctl->all.active, __ATOMIC_SEQ_CST), 0);
    CHECK_OK(put_word(win, right, 0, 9));
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    CHECK_EQUAL(window_words(win)[0], 9);
    window_free(win);
}

WORLD_TEST(nocheck, 3)

/* What one puts and flushes another sees, having been told outside of MPI. */
static void flush_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 2);
    uint32_t *told = &inside_of(world)->step[0];

    CHECK_OK(proa_win_lock_all(win, 0));
    for (uint32_t i = 1; i <= (uint32_t)world_rounds(500); i++) {
        if (world->rank == 0) {
            CHECK_OK(put_word(win, 1, 0, i));
            CHECK_OK(i % 2 ? proa_win_flush(win, 1) : proa_win_flush_all(win));
            __atomic_store_n(told, i, __ATOMIC_SEQ_CST);
            while (__atomic_load_n(told, __ATOMIC_SEQ_CST) == i)
                sched_yield();
        } else {
            while (__atomic_load_n(told, __ATOMIC_SEQ_CST) != i)
                sched_yield();
            proa_win_sync(win);
            CHECK_EQUAL(window_words(win)[0], i);
            __atomic_store_n(told, 0, __ATOMIC_SEQ_CST);
        }
    }
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

WORLD_TEST(flush, 2)

/* A writer gives way to a lock_all that waits, and gets in once that has been granted, though the
 * counts have passed 2^32 meanwhile. */
static void wrap_while_waiting_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    struct proa_all_ctl *all = &win->targets[0].ctl->all;
    struct inside *inside = inside_of(world);

    if (world->rank == 0) {
        __atomic_store_n(&all->asked, UINT32_MAX, __ATOMIC_SEQ_CST);
        __atomic_store_n(&all->granted, UINT32_MAX - 1, __ATOMIC_SEQ_CST);
    }
    world_barrier(world);
    if (world->rank == 1) {
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        __atomic_store_n(&inside->entries, 1, __ATOMIC_SEQ_CST);
        CHECK_OK(proa_win_unlock(win, 0));
    } else {
        world_sleep_us(20000);
        CHECK_EQUAL(__atomic_load_n(&inside->entries, __ATOMIC_SEQ_CST), 0);
        __atomic_store_n(&all->asked, 3, __ATOMIC_SEQ_CST);
        __atomic_store_n(&all->granted, 2, __ATOMIC_SEQ_CST);
        proa_doorbell_ring(&all->bell);
        world_await(&inside->entries, 1);
        __atomic_store_n(&all->granted, 3, __ATOMIC_SEQ_CST);
    }
    window_free(win);
}

WORLD_TEST(wrap_while_waiting, 2, .limit_s = 10)

/* The counts of waiting lock_alls pass 2^32, and 2^31. */
static void wrap_body(struct world *world)
{
    static const uint32_t starts[] = {UINT32_MAX - 2, INT32_MAX - 2u};
    uint64_t seed = (uint64_t)world->rank;

    for (int i = 0; i < 2; i++) {
        struct proa_win *win = window_of_words(world, 3);
        if (world->rank == 0) {
            __atomic_store_n(&win->ctl->all.asked, starts[i], __ATOMIC_SEQ_CST);
            __atomic_store_n(&win->ctl->all.granted, starts[i], __ATOMIC_SEQ_CST);
            __atomic_store_n(&win->ctl->lock.tickets, starts[i], __ATOMIC_SEQ_CST);
            __atomic_store_n(&win->ctl->lock.serving, starts[i], __ATOMIC_SEQ_CST);
        }
        world_barrier(world);
        /* until enough had to wait */
        while (__atomic_load_n(&win->targets[0].ctl->all.asked, __ATOMIC_SEQ_CST) - starts[i] < 8) {
            under_exclusive(world, win, 0, &seed);
            under_all(world, win, &seed);
        }
        window_free(win);
    }
}

WORLD_TEST(wrap, 4)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exclusion), cmocka_unit_test(rising_order),
        cmocka_unit_test(threads),   cmocka_unit_test(tables),
        cmocka_unit_test(counts),    cmocka_unit_test(fairness),
        cmocka_unit_test(nocheck),   cmocka_unit_test(flush),
        cmocka_unit_test(wrap),      cmocka_unit_test(wrap_while_waiting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
