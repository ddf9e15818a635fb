/* SPDX-License-Identifier: BSD-3-Clause */
/* A lock_all that consists of the locks of all targets (remote/single_locks.c): it is had at once
 * or not at all, and leaves no trace in the window's rooms. Over the pretended network. */
#include "nodes.h"
#include "inside.h"

#include "sync/peer_failure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void step(struct world *world, int number)
{
    __atomic_store_n(&inside_of(world)->step[number], 1, __ATOMIC_SEQ_CST);
}

static void after(struct world *world, int number)
{
    world_await(&inside_of(world)->step[number], 1);
}

static void touch(struct proa_win *win, int target)
{
    CHECK_OK(put_word(win, target, 1 + win->rank, 1));
    CHECK_OK(flushed(proa_win_flush(win, target)));
}

static void lock(struct proa_win *win, int target, int exclusive)
{
    CHECK_OK(proa_win_lock(win, target, exclusive, 0));
    touch(win, target);
}

static long received(void)
{
    long count;

    proa_progress_enter();
    count = net_fake_counts().received;
    proa_progress_leave();
    return count;
}

/* ---- all or none ---- */

/* Rank 2 has an exclusive lock of 3, and then takes one of 1. Rank 0, which holds another lock, has
 * tried for both meanwhile: it must not keep that of 1. */
static void none_kept_body(struct world *world)
{
    struct proa_win *kept = begin(world, NULL), *win = window_of_words(world, 8);
    uint32_t *writers = &inside_of(world)->exclusive[3];
    long before;

    switch (world->rank) {
    case 0:
        lock(kept, 1, 0);
        after(world, 1);
        CHECK_OK(proa_win_lock_all(win, 0));
        CHECK_EQUAL(__atomic_load_n(writers, __ATOMIC_SEQ_CST), 0);
        touch(win, 1);
        touch(win, 3);
        CHECK_OK(proa_win_unlock_all(win));
        CHECK_OK(proa_win_unlock(kept, 1));
        break;
    case 1:
        after(world, 0);
        before = received();
        step(world, 1);
        while (received() == before)
            world_sleep_us(100);
        step(world, 2);
        break;
    case 2:
        lock(win, 3, 1);
        __atomic_store_n(writers, 1, __ATOMIC_SEQ_CST);
        step(world, 0);
        after(world, 2);
        lock(win, 1, 1);
        CHECK_OK(proa_win_unlock(win, 1));
        __atomic_store_n(writers, 0, __ATOMIC_SEQ_CST);
        CHECK_OK(proa_win_unlock(win, 3));
    }
    CHECK_OK(proa_barrier(win));
    window_free(win);
    end(world, kept);
}
ON_NODES(none_kept, 4)

/* ---- the request for the room that is left behind ---- */

/* Rank 2 waits in the exclusive room for the shared lock that rank 1 has, until rank 0 is done. So
 * rank 0 has its lock_alls without the room, and an exclusive lock of another target after them. */
static void other_room_body(struct world *world)
{
    struct proa_win *kept = begin(world, NULL), *win = window_of_words(world, 8);

    switch (world->rank) {
    case 0:
        lock(kept, 1, 0);
        after(world, 1);
        for (int times = 0; times < 2; times++) {
            CHECK_OK(proa_win_lock_all(win, 0));
            touch(win, 1);
            CHECK_OK(proa_win_unlock_all(win));
            CHECK(!win->remotes); /* no later call looks at the targets */
        }
        lock(win, 3, 1);
        CHECK_OK(proa_win_unlock(win, 3));
        step(world, 2);
        CHECK_OK(proa_win_unlock(kept, 1));
        break;
    case 1:
        lock(win, 1, 0);
        step(world, 0);
        while (!has_writer(&win->targets[1].ctl->lock))
            world_sleep_us(100);
        step(world, 1);
        after(world, 2);
        CHECK_OK(proa_win_unlock(win, 1));
        break;
    case 2:
        after(world, 0);
        lock(win, 1, 1);
        CHECK_OK(proa_win_unlock(win, 1));
    }
    CHECK_OK(proa_barrier(win));
    CHECK_OK(proa_win_lock_all(win, 0)); /* the rooms are as before */
    touch(win, 3);
    CHECK_OK(proa_win_unlock_all(win));
    lock(win, 1, 1);
    CHECK_OK(proa_win_unlock(win, 1));
    CHECK_OK(proa_barrier(win));
    window_free(win);
    end(world, kept);
}
ON_NODES(other_room, 4)

/* ---- without a keeper ---- */

static void lose_keeper(struct proa_win *win)
{
    proa_progress_enter();
    net_fake_lose(NULL, 0);
    proa_progress_leave();
    while (!proa_is_failed(win, 0))
        world_sleep_us(100);
}

/* Rank 3 has an exclusive lock of 4, and then takes one of 2. A lock_all of rank 1 meanwhile waits
 * for both, and keeps neither. */
static void unkept_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    uint32_t *writers = &inside_of(world)->exclusive[4];
    long before;

    if (world->rank % 2)
        lose_keeper(win);
    world_barrier(world);
    switch (world->rank) {
    case 1:
        after(world, 1);
        CHECK_OK(proa_win_lock_all(win, 0));
        CHECK_EQUAL(__atomic_load_n(writers, __ATOMIC_SEQ_CST), 0);
        touch(win, 2);
        touch(win, 4);
        CHECK_OK(proa_win_unlock_all(win));
        break;
    case 2:
        after(world, 0);
        before = received();
        step(world, 1);
        while (received() == before)
            world_sleep_us(100);
        step(world, 2);
        break;
    case 3:
        lock(win, 4, 1);
        __atomic_store_n(writers, 1, __ATOMIC_SEQ_CST);
        step(world, 0);
        after(world, 2);
        lock(win, 2, 1);
        CHECK_OK(proa_win_unlock(win, 2));
        __atomic_store_n(writers, 0, __ATOMIC_SEQ_CST);
        CHECK_OK(proa_win_unlock(win, 4));
    }
    world_barrier(world);
    if (world->rank == 3) { /* nothing is left of the lock_all */
        lock(win, 2, 1);
        CHECK_OK(proa_win_unlock(win, 2));
    }
    world_barrier(world);
}
WORLD_TEST(unkept, 6, .before = on_nodes, .limit_s = 20)

/* Rank 2 ends with an exclusive lock of 4. A process of the other node has a lock_all all the same:
 * rank 4, which refuses it, looks whether the holder is still there. */
static void unkept_dead_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    if (world->rank == 1)
        lose_keeper(win);
    if (world->rank == 2)
        CHECK_OK(proa_win_lock(win, 4, 1, 0));
    world_barrier(world);
    switch (world->rank) {
    case 1:
        CHECK_OK(proa_win_lock_all(win, 0));
        touch(win, 4);
        CHECK_OK(proa_win_unlock_all(win));
        step(world, 0);
        break;
    case 2:
        break;
    default:
        after(world, 0);
    }
    _exit(EXIT_SUCCESS); /* without the barrier of all */
}
WORLD_TEST(unkept_dead, 5, .before = on_nodes, .limit_s = 20)

/* ---- at random ---- */

static void count(struct inside *inside, int all, int target, int change)
{
    __atomic_fetch_add(all ? &inside->all : &inside->shared[target], (uint32_t)change,
                       __ATOMIC_SEQ_CST);
    CHECK_EQUAL(__atomic_load_n(&inside->exclusive[target], __ATOMIC_SEQ_CST), 0);
}

static void write_one(struct proa_win *win, struct inside *inside, int target)
{
    lock(win, target, 1);
    __atomic_fetch_add(&inside->exclusive[target], 1, __ATOMIC_SEQ_CST);
    check_exclusive(inside, target);
    world_sleep_us(100);
    check_exclusive(inside, target);
    __atomic_fetch_sub(&inside->exclusive[target], 1, __ATOMIC_SEQ_CST);
    CHECK_OK(proa_win_unlock(win, target));
}

/* Locks of both windows, shared or a lock_all, in any order. */
static void read_both(struct proa_win *const wins[2], struct inside *inside, uint64_t *seed)
{
    int first = (int)world_below(seed, 2), targets[2], alls[2];

    for (int i = 0; i < 2; i++) {
        int which = i ^ first;

        targets[which] = (int)world_below(seed, (uint64_t)wins[0]->size);
        alls[which] = world_below(seed, 2) == 0;
        CHECK_OK(alls[which] ? proa_win_lock_all(wins[which], 0)
                             : proa_win_lock(wins[which], targets[which], 0, 0));
        touch(wins[which], targets[which]);
        count(&inside[which], alls[which], targets[which], 1);
        world_sleep_us(100);
    }
    for (int which = 0; which < 2; which++) {
        count(&inside[which], alls[which], targets[which], -1);
        CHECK_OK(alls[which] ? proa_win_unlock_all(wins[which])
                             : proa_win_unlock(wins[which], targets[which]));
    }
}

/* No process waits for another that waits for it, as far as the user goes. */
static void at_random_body(struct world *world)
{
    struct proa_win *wins[2];
    uint64_t seed = 11 + (uint64_t)world->rank;

    wins[0] = begin(world, NULL);
    wins[1] = window_of_words(world, 8);
    for (long round = 0; round < world_rounds(60); round++) {
        int which = (int)world_below(&seed, 2);

        if (world_below(&seed, 2))
            write_one(wins[which], inside_of(world) + which,
                      (int)world_below(&seed, (uint64_t)world->size));
        else
            read_both(wins, inside_of(world), &seed);
    }
    CHECK_OK(proa_barrier(wins[1]));
    window_free(wins[1]);
    end(world, wins[0]);
}
ON_NODES(at_random, 5)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_kept),   cmocka_unit_test(other_room), cmocka_unit_test(unkept),
        cmocka_unit_test(unkept_dead), cmocka_unit_test(at_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
