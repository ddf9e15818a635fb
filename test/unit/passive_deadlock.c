/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks on windows (sync/passive.c): no deadlock of our own making, and no overtaking. */
#include "move.h"
#include "inside.h"

#include "base/fail.h"
#include "sync/bypass.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* ---- no deadlock where the user has none: steps that bring the processes into the dangerous
 * position ---- */

static void step(struct world *world, int number)
{
    __atomic_store_n(&inside_of(world)->step[number], 1, __ATOMIC_SEQ_CST);
}

static void after(struct world *world, int number)
{
    world_await(&inside_of(world)->step[number], 1);
}

/* Waits until a process wants this target exclusively and cannot have it yet. */
static void await_writer(const struct proa_win *win, int target)
{
    while (!(__atomic_load_n(&win->targets[target].ctl->lock.state, __ATOMIC_SEQ_CST) &
             PROA_RW_WANTED))
        world_sleep_us(100);
}

/* Two readers hold a target each and then ask for the other's, shared; meanwhile writers, which
 * hold nothing else, wait for both targets. Shared locks do not exclude each other, so the readers
 * get what they ask for, then the writers. second: a window for the second target; the same as
 * first, or another one. */
static void readers_cross(struct world *world, struct proa_win *first, struct proa_win *second)
{
    switch (world->rank) {
    case 0:
        CHECK_OK(proa_win_lock(first, 0, 0, 0));
        step(world, 0);
        after(world, 1);
        await_writer(second, 1);
        step(world, 2);
        after(world, 3);
        CHECK_OK(proa_win_lock(second, 1, 0, 0));
        CHECK_OK(proa_win_unlock(second, 1));
        CHECK_OK(proa_win_unlock(first, 0));
        break;
    case 1:
        CHECK_OK(proa_win_lock(second, 1, 0, 0));
        step(world, 1);
        after(world, 0);
        await_writer(first, 0);
        step(world, 3);
        after(world, 2);
        CHECK_OK(proa_win_lock(first, 0, 0, 0));
        CHECK_OK(proa_win_unlock(first, 0));
        CHECK_OK(proa_win_unlock(second, 1));
        break;
    default:
        after(world, 0);
        after(world, 1);
        CHECK_OK(proa_win_lock(world->rank == 2 ? first : second, world->rank == 2 ? 0 : 1, 1, 0));
        CHECK_OK(proa_win_unlock(world->rank == 2 ? first : second, world->rank == 2 ? 0 : 1));
    }
}

static void readers_cross_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);

    readers_cross(world, win, win);
    window_free(win);
}

static void readers_cross_in_a_window(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 4, .body = readers_cross_body, .limit_s = 10});
}

static void readers_cross_windows_body(struct world *world)
{
    struct proa_win *first = window_of_words(world, 1), *second = window_of_words(world, 1);

    readers_cross(world, first, second);
    window_free(second);
    window_free(first);
}

WORLD_TEST(readers_cross_windows, 4, .limit_s = 10)

/* One process holds a target exclusively and wants a second one; another holds a third exclusively,
 * for which a lock_all waits. Writers give way to waiting lock_alls, but not while they hold a lock
 * that others wait for. */
static void writer_and_lock_all(struct world *world, struct proa_win *held, struct proa_win *win)
{
    switch (world->rank) {
    case 0: /* holds target 0 of `held`, then wants target 0 of win, which is free */
        CHECK_OK(proa_win_lock(held, 0, 1, 0));
        step(world, 0);
        while (__atomic_load_n(&win->targets[0].ctl->all.asked, __ATOMIC_SEQ_CST) == 0)
            world_sleep_us(100);
        await_writer(held, 0);
        CHECK_OK(proa_win_lock(win, held == win ? 2 : 0, 1, 0));
        CHECK_OK(proa_win_unlock(win, held == win ? 2 : 0));
        CHECK_OK(proa_win_unlock(held, 0));
        break;
    case 1: /* holds target 1 of win, so that lock_all waits, and wants rank 0's */
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        step(world, 1);
        after(world, 0);
        CHECK_OK(proa_win_lock(held, 0, 1, 0));
        CHECK_OK(proa_win_unlock(held, 0));
        CHECK_OK(proa_win_unlock(win, 1));
        break;
    default:
        after(world, 0);
        after(world, 1);
        CHECK_OK(proa_win_lock_all(win, 0));
        CHECK_OK(proa_win_unlock_all(win));
    }
}

static void writer_and_lock_all_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);

    writer_and_lock_all(world, win, win);
    window_free(win);
}

static void writer_and_lock_all_in_a_window(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 3, .body = writer_and_lock_all_body, .limit_s = 10});
}

static void writer_and_lock_all_windows_body(struct world *world)
{
    struct proa_win *held = window_of_words(world, 1), *win = window_of_words(world, 1);

    writer_and_lock_all(world, held, win);
    window_free(win);
    window_free(held);
}

WORLD_TEST(writer_and_lock_all_windows, 3, .limit_s = 10)

/* A lock_all waits, for target 0; the holder of target 1 stands in its way too, and does not give
 * way to it: it gets into the queue of target 0, and the holder of target 0 waits to see that. */
static void lock_all_comes_first_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);

    switch (world->rank) {
    case 0:
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        step(world, 0);
        await_writer(win, 0);
        CHECK_OK(proa_win_unlock(win, 0));
        break;
    case 1:
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        step(world, 1);
        world_await(&win->targets[0].ctl->lock.outside, 1);
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        CHECK_OK(proa_win_unlock(win, 0));
        CHECK_OK(proa_win_unlock(win, 1));
        break;
    default:
        after(world, 0);
        after(world, 1);
        CHECK_OK(proa_win_lock_all(win, 0));
        CHECK_OK(proa_win_unlock_all(win));
    }
    window_free(win);
}

static void lock_all_comes_first(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 3, .body = lock_all_comes_first_body, .limit_s = 10});
}

/* A writer waits for rank 0's lock. Rank 2, whose lock NOCHECK has not taken, keeps no process
 * waiting. */
static void nocheck_keeps_nobody_out_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);

    switch (world->rank) {
    case 0:
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        step(world, 0);
        await_writer(win, 0);
        CHECK(proa_held_any() && proa_held_wanted(PROA_HOLDER_THREAD));
        after(world, 1);
        CHECK_OK(proa_win_unlock(win, 0));
        break;
    case 1:
        after(world, 0);
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        CHECK_OK(proa_win_unlock(win, 0));
        break;
    default:
        await_writer(win, 0);
        for (int all = 0; all < 2; all++) {
            CHECK_OK(all ? proa_win_lock_all(win, PROA_MODE_NOCHECK)
                         : proa_win_lock(win, 0, 1, PROA_MODE_NOCHECK));
            CHECK(!proa_held_any());
            CHECK(!proa_held_wanted(PROA_HOLDER_PROCESS));
            CHECK_OK(all ? proa_win_unlock_all(win) : proa_win_unlock(win, 0));
        }
        step(world, 1);
    }
    window_free(win);
}

static void nocheck_keeps_nobody_out(void **state)
{
    (void)state;
    world_run(
        &(struct world_plan){.size = 3, .body = nocheck_keeps_nobody_out_body, .limit_s = 10});
}

/* lock_all on two windows in opposite order, with a writer waiting for each: lock_alls do not
 * exclude each other. */
static void lock_alls_cross_body(struct world *world)
{
    struct proa_win *first = window_of_words(world, 1), *second = window_of_words(world, 1);
    struct proa_win *mine = world->rank % 2 ? second : first,
                    *other = world->rank % 2 ? first : second;

    if (world->rank < 2) {
        CHECK_OK(proa_win_lock_all(mine, 0));
        step(world, world->rank);
        after(world, 1 - world->rank);
        while (!has_writer(&other->targets[0].ctl->lock))
            world_sleep_us(100);
        step(world, 2 + world->rank);
        after(world, 3 - world->rank);
        CHECK_OK(proa_win_lock_all(other, 0));
        CHECK_OK(proa_win_unlock_all(other));
        CHECK_OK(proa_win_unlock_all(mine));
    } else {
        after(world, 0);
        after(world, 1);
        CHECK_OK(proa_win_lock(mine, 0, 1, 0));
        CHECK_OK(proa_win_unlock(mine, 0));
    }
    window_free(second);
    window_free(first);
}

static void lock_alls_cross_windows(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 4, .body = lock_alls_cross_body, .limit_s = 10});
}

/* A reader that holds another lock comes to a writer that is not inside yet: it waits for a
 * lock_all, whose owner waits for that other lock. */
static void reader_and_waiting_writer_body(struct world *world)
{
    struct proa_win *first = window_of_words(world, 1), *second = window_of_words(world, 1);

    switch (world->rank) {
    case 0: /* holds second's target, shared, and wants first's, shared: only lock_all holds that */
        CHECK_OK(proa_win_lock(second, 0, 0, 0));
        step(world, 0);
        await_writer(second, 0);
        while (!has_writer(&first->targets[0].ctl->lock))
            world_sleep_us(100);
        world_sleep_us(5000);
        CHECK_OK(proa_win_lock(first, 0, 0, 0));
        CHECK_OK(proa_win_unlock(first, 0));
        CHECK_OK(proa_win_unlock(second, 0));
        break;
    case 1: /* holds all of first, and wants second's target, exclusive */
        CHECK_OK(proa_win_lock_all(first, 0));
        step(world, 1);
        after(world, 0);
        CHECK_OK(proa_win_lock(second, 0, 1, 0));
        CHECK_OK(proa_win_unlock(second, 0));
        CHECK_OK(proa_win_unlock_all(first));
        break;
    default: /* wants first's target, exclusive: has to wait for rank 1 */
        after(world, 0);
        after(world, 1);
        CHECK_OK(proa_win_lock(first, 0, 1, 0));
        CHECK_OK(proa_win_unlock(first, 0));
    }
    window_free(second);
    window_free(first);
}

WORLD_TEST(reader_and_waiting_writer, 3, .limit_s = 10)

/* ---- no overtaking by processes that block none ---- */

/* What the reader that comes last holds besides. */
enum elsewhere {
    LOCK_ALL,
    LOCK,
    LOCK_NOCHECK,
    BESIDE, /* another target of the same window, exclusive */
    LOCK_IN_THREAD,
    ASKED_IN_THREAD,
    ELSEWHERES
};

struct overtaking {
    enum elsewhere elsewhere;
    int all; /* the last reader asks for a lock_all, instead of a lock */
};

struct keeper {
    struct world *world;
    struct proa_win *kept;
    enum elsewhere elsewhere;
};

/* In a thread of its own: takes a lock that no other wants, or asks for one that it cannot have as
 * long as the others fight. */
static void keep_in_thread(void *arg, int number)
{
    const struct keeper *k = arg;

    if (number == 0)
        return;
    if (k->elsewhere == ASKED_IN_THREAD)
        step(k->world, 4); /* rank 1 holds it until all is over */
    CHECK_OK(proa_win_lock(k->kept, 0, k->elsewhere == ASKED_IN_THREAD, 0));
    step(k->world, 4);
    after(k->world, 5);
    CHECK_OK(proa_win_unlock(k->kept, 0));
}

static void keep(struct keeper *k)
{
    switch (k->elsewhere) {
    case LOCK_ALL:
        CHECK_OK(proa_win_lock_all(k->kept, 0));
        break;
    case LOCK:
    case LOCK_NOCHECK:
        CHECK_OK(proa_win_lock(k->kept, 0, 0, k->elsewhere == LOCK ? 0 : PROA_MODE_NOCHECK));
        break;
    case BESIDE:
        CHECK_OK(proa_win_lock(k->kept->user, 1, 1, 0));
        break;
    default:
        after(k->world, 4);
    }
}

static void let_go(struct keeper *k)
{
    if (k->elsewhere == LOCK_ALL)
        CHECK_OK(proa_win_unlock_all(k->kept));
    else if (k->elsewhere == LOCK || k->elsewhere == LOCK_NOCHECK)
        CHECK_OK(proa_win_unlock(k->kept, 0));
    else if (k->elsewhere == BESIDE)
        CHECK_OK(proa_win_unlock(k->kept->user, 1));
}

/* The last reader: a writer waits for the target that it asks for, and none for its own lock. */
static void last_reader(void *arg, int number)
{
    const struct overtaking *plan = ((struct keeper *)arg)->world->arg;
    struct keeper *k = arg;
    struct proa_win *win = k->kept->user;

    if (number == 1) {
        if (k->elsewhere >= LOCK_IN_THREAD)
            keep_in_thread(arg, number);
        return;
    }
    keep(k);
    await_writer(win, 0);
    step(k->world, 2); /* about to ask */
    CHECK_OK(plan->all ? proa_win_lock_all(win, 0) : proa_win_lock(win, 0, 0, 0));
    CHECK_EQUAL(__atomic_load_n(&inside_of(k->world)->entries, __ATOMIC_SEQ_CST),
                1); /* the writer has been inside */
    CHECK_OK(plan->all ? proa_win_unlock_all(win) : proa_win_unlock(win, 0));
    step(k->world, 5);
    let_go(k);
}

static void overtaking_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 8, .threads = 1};
    const struct overtaking *plan = world->arg;
    struct keeper keeper = {world, window_create(world, &args), plan->elsewhere};
    struct proa_win *win = window_create(world, &args);

    keeper.kept->user = win;
    switch (world->rank) {
    case 0: /* reads as long as the others come */
        CHECK_OK(proa_win_lock(win, 0, 0, 0));
        step(world, 0);
        after(world, 2);
        /* the last reader is in its call by now, or this test sees less than it could */
        world_sleep_us(20000);
        CHECK_OK(proa_win_unlock(win, 0));
        break;
    case 1:
        if (plan->elsewhere == ASKED_IN_THREAD)
            CHECK_OK(proa_win_lock(keeper.kept, 0, 0, 0));
        step(world, 3);
        after(world, 0);
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        __atomic_fetch_add(&inside_of(world)->entries, 1, __ATOMIC_SEQ_CST);
        CHECK_OK(proa_win_unlock(win, 0));
        if (plan->elsewhere == ASKED_IN_THREAD) {
            after(world, 5);
            CHECK_OK(proa_win_unlock(keeper.kept, 0));
        }
        break;
    default:
        after(world, 3);
        world_threads(2, last_reader, &keeper);
    }
    window_free(win);
    window_free(keeper.kept);
}

static void overtaking(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++)
        for (int elsewhere = 0; elsewhere < ELSEWHERES; elsewhere++) {
            struct overtaking plan = {(enum elsewhere)elsewhere, all};

            if (all && elsewhere == BESIDE)
                continue; /* an error: the window has a lock of this process */
            world_run(&(struct world_plan){
                .size = 3, .body = overtaking_body, .arg = &plan, .limit_s = 10});
        }
}

/* At random: one exclusive lock, or shared locks on both windows in any order, or lock_alls on both
 * in any order. No process waits for another that waits for it, as far as the user goes. */
static void random_two_windows_body(struct world *world)
{
    struct proa_win *wins[] = {window_of_words(world, 1), window_of_words(world, 1)};
    struct inside *inside[] = {inside_of(world), inside_of(world) + 1};
    uint64_t seed = (uint64_t)world->rank;

    for (long round = 0; round < world_rounds(2000); round++) {
        int first = (int)world_below(&seed, 2), alls = world_below(&seed, 3) == 0,
            exclusive = world_below(&seed, 3) == 0;
        int targets[2] = {(int)world_below(&seed, (uint64_t)world->size),
                          (int)world_below(&seed, (uint64_t)world->size)};
        if (exclusive) /* alone, holding nothing else */
            CHECK_OK(proa_win_lock(wins[first], targets[first], 1, 0));
        for (int i = 0; i < 2 && !exclusive; i++) {
            int which = i ^ first;
            CHECK_OK(alls ? proa_win_lock_all(wins[which], 0)
                          : proa_win_lock(wins[which], targets[which], 0, 0));
            __atomic_fetch_add(alls ? &inside[which]->all : &inside[which]->shared[targets[which]],
                               1, __ATOMIC_SEQ_CST);
            CHECK_EQUAL(
                __atomic_load_n(&inside[which]->exclusive[targets[which]], __ATOMIC_SEQ_CST), 0);
        }
        if (exclusive) {
            __atomic_fetch_add(&inside[first]->exclusive[targets[first]], 1, __ATOMIC_SEQ_CST);
            check_exclusive(inside[first], targets[first]);
        }
        dwell(&seed);
        if (exclusive) {
            check_exclusive(inside[first], targets[first]);
            __atomic_fetch_sub(&inside[first]->exclusive[targets[first]], 1, __ATOMIC_SEQ_CST);
            CHECK_OK(proa_win_unlock(wins[first], targets[first]));
        }
        for (int which = 0; which < 2 && !exclusive; which++) {
            CHECK_EQUAL(
                __atomic_load_n(&inside[which]->exclusive[targets[which]], __ATOMIC_SEQ_CST), 0);
            __atomic_fetch_sub(alls ? &inside[which]->all : &inside[which]->shared[targets[which]],
                               1, __ATOMIC_SEQ_CST);
            CHECK_OK(alls ? proa_win_unlock_all(wins[which])
                          : proa_win_unlock(wins[which], targets[which]));
        }
    }
    window_free(wins[0]);
    window_free(wins[1]);
}

static void random_two_windows(void **state)
{
    (void)state;
    for (int size = 2; size <= 5; size++)
        world_run(&(struct world_plan){.size = size, .body = random_two_windows_body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_cross_in_a_window),
        cmocka_unit_test(readers_cross_windows),
        cmocka_unit_test(writer_and_lock_all_in_a_window),
        cmocka_unit_test(writer_and_lock_all_windows),
        cmocka_unit_test(lock_all_comes_first),
        cmocka_unit_test(nocheck_keeps_nobody_out),
        cmocka_unit_test(lock_alls_cross_windows),
        cmocka_unit_test(reader_and_waiting_writer),
        cmocka_unit_test(overtaking),
        cmocka_unit_test(random_two_windows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
