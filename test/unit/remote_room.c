/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks of windows over several nodes that keep each other out: lock_all and exclusive locks
 * (remote/group_lock.c), over the pretended network. */
#include "nodes.h"

#include "base/fail.h"
#include "remote/group_lock.h"
#include "sync/peer_failure.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static uint32_t *word_of(struct world *world, int i)
{
    return (uint32_t *)(void *)world->shared + i;
}

static void set(struct world *world, int i)
{
    __atomic_store_n(word_of(world, i), 1, __ATOMIC_RELEASE);
}

static int is_set(struct world *world, int i)
{
    return __atomic_load_n(word_of(world, i), __ATOMIC_ACQUIRE) != 0;
}

static void touch(struct proa_win *win, int target)
{
    CHECK_OK(put_word(win, target, 10 + win->rank, 1));
    CHECK_OK(flushed(proa_win_flush(win, target)));
}

/* ---- the circle ---- */

/* Rank 2 holds a lock on 3 and wants one on 1, while rank 0 works on 1 under a lock_all and goes on
 * to 3. Where the lock_all is had on each target only when that is used, neither gets on. */
static void circle_body(struct world *world)
{
    enum { HELD, WORKED, ROUNDS = 20, PATIENCE_US = 5000 };
    struct proa_win *win = begin(world, NULL);

    for (int round = 0; round < ROUNDS; round++) {
        if (world->rank == 2) {
            CHECK_OK(proa_win_lock(win, 3, 1, 0));
            touch(win, 3);
            set(world, 2 * round + HELD);
            for (int us = 0; us < PATIENCE_US && !is_set(world, 2 * round + WORKED); us += 100)
                world_sleep_us(100);
            CHECK_OK(proa_win_lock(win, 1, 1, 0));
            touch(win, 1);
            CHECK_OK(proa_win_unlock(win, 1));
            CHECK_OK(proa_win_unlock(win, 3));
        } else if (world->rank == 0) {
            world_await(word_of(world, 2 * round + HELD), 1);
            CHECK_OK(proa_win_lock_all(win, 0));
            touch(win, 1);
            set(world, 2 * round + WORKED);
            touch(win, 3);
            CHECK_OK(proa_win_unlock_all(win));
        }
        CHECK_OK(proa_barrier(win));
    }
    end(world, win);
}
ON_NODES(circle, 4)

/* ---- processes inside ---- */

/* Processes that take exclusive locks, on all targets of the other node, find all words there alike
 * and count them up, one after the other; a lock_all sees none of it in between, on either node. */
static void check_alike(struct proa_win *win, int64_t *words)
{
    for (int t = 0; t < win->size; t++) {
        CHECK_OK(get_word(win, t, 0, &words[t]));
        CHECK_OK(flushed(proa_win_flush(win, t)));
    }
    for (int t = NODES; t < win->size; t++)
        CHECK_EQUAL(words[t], words[node_of(t)]);
}

static void count_up(struct proa_win *win)
{
    int64_t value;

    for (int t = !node_of(win->rank); t < win->size; t += NODES)
        CHECK_OK(proa_win_lock(win, t, 1, 0));
    for (int t = !node_of(win->rank); t < win->size; t += NODES) {
        CHECK_OK(get_word(win, t, 0, &value));
        CHECK_OK(flushed(proa_win_flush(win, t)));
        CHECK_OK(put_word(win, t, 0, value + 1));
        CHECK_OK(flushed(proa_win_flush(win, t)));
    }
    for (int t = !node_of(win->rank); t < win->size; t += NODES)
        CHECK_OK(proa_win_unlock(win, t));
}

static void mixed_body(struct world *world)
{
    enum { ROUNDS = 50 };
    struct proa_win *win = begin(world, NULL);
    uint64_t seed = 3 + (uint64_t)world->rank;
    int64_t words[WORLD_MOST], *written = (int64_t *)(void *)world->shared;

    for (int round = 0; round < ROUNDS; round++) {
        if (world_below(&seed, 2)) {
            count_up(win);
            __atomic_fetch_add(&written[!node_of(world->rank)], 1, __ATOMIC_SEQ_CST);
            continue;
        }
        CHECK_OK(proa_win_lock_all(win, 0));
        check_alike(win, words);
        CHECK_OK(proa_win_unlock_all(win));
    }
    CHECK_OK(proa_barrier(win));
    world_barrier(world);
    CHECK_EQUAL(window_words(win)[0], written[node_of(world->rank)]);
    end(world, win);
}
ON_NODES(mixed, 4)

/* ---- no process waits for ever ---- */

/* All others take the other kind of lock again and again, until one has had his. */
static void fair_to(struct world *world, struct proa_win *win, int all, int word)
{
    int one = win->size - 1;

    if (world->rank == one) {
        CHECK_OK(all ? proa_win_lock_all(win, 0) : proa_win_lock(win, 0, 1, 0));
        touch(win, 0);
        CHECK_OK(all ? proa_win_unlock_all(win) : proa_win_unlock(win, 0));
        set(world, word);
    }
    while (world->rank != one && !is_set(world, word)) {
        int target = (world->rank + 1) % 2;

        CHECK_OK(all ? proa_win_lock(win, target, 1, 0) : proa_win_lock_all(win, 0));
        touch(win, target);
        CHECK_OK(all ? proa_win_unlock(win, target) : proa_win_unlock_all(win));
    }
    CHECK_OK(proa_barrier(win));
}

static void fair_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    for (int round = 0; round < 5; round++) {
        fair_to(world, win, 1, 2 * round);
        fair_to(world, win, 0, 2 * round + 1);
    }
    end(world, win);
}
ON_NODES(fair, 5)

/* Rank 1 is inside of the first window and waits for a lock of the second that rank 2 holds; rank 3
 * waits for the other room of the first. Rank 2 must not wait behind rank 3. */
static void ahead_body(struct world *world)
{
    struct proa_win *first = begin(world, NULL), *second = window_of_words(world, 8);

    if (world->rank == 1) {
        CHECK_OK(proa_win_lock(first, 0, 1, 0));
        touch(first, 0);
        set(world, 0);
        world_await(word_of(world, 1), 1);
        CHECK_OK(proa_win_lock(second, 0, 1, 0));
        CHECK_OK(proa_win_unlock(second, 0));
        CHECK_OK(proa_win_unlock(first, 0));
    } else if (world->rank == 2) {
        world_await(word_of(world, 0), 1);
        CHECK_OK(proa_win_lock(second, 0, 1, 0));
        CHECK_OK(put_word(second, 0, 0, 1));
        CHECK_OK(flushed(proa_win_flush(second, 0)));
        set(world, 1);
        world_sleep_us(3000); /* rank 3 asks */
        CHECK_OK(proa_win_lock(first, 3, 1, 0));
        touch(first, 3);
        CHECK_OK(proa_win_unlock(first, 3));
        CHECK_OK(proa_win_unlock(second, 0));
    } else if (world->rank == 3) {
        world_await(word_of(world, 0), 1);
        CHECK_OK(proa_win_lock_all(first, 0));
        CHECK_OK(proa_win_unlock_all(first));
    }
    CHECK_OK(proa_barrier(first));
    window_free(second);
    end(world, first);
}
ON_NODES(ahead, 4)

/* ---- how many messages ---- */

static long sent(void)
{
    long count;

    proa_progress_enter();
    count = net_fake_counts().sent;
    proa_progress_leave();
    return count;
}

/* One and its answer for the first of a kind; then none, as long as no process wants the other
 * kind; and none at any time to the targets. */
static void messages_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    if (world->rank == 1) {
        for (int kind = 0; kind < 4; kind++) { /* all, exclusive, and both again */
            for (int times = 0; times < 3; times++) {
                long before = sent();

                CHECK_OK(kind % 2 ? proa_win_lock(win, 1, 1, 0) : proa_win_lock_all(win, 0));
                CHECK_OK(kind % 2 ? proa_win_unlock(win, 1) : proa_win_unlock_all(win));
                CHECK_EQUAL(sent() - before, times == 0);
            }
        }
        CHECK_OK(proa_win_lock_all(win, 0));
        long before = sent();
        CHECK_OK(put_word(win, 0, 0, 1));
        CHECK_OK(put_word(win, 2, 0, 1));
        CHECK_OK(proa_win_unlock_all(win));
        CHECK_EQUAL(sent() - before, 2);
    }
    world_barrier(world);
    end(world, win);
}
WORLD_TEST(messages, 4, .before = on_nodes)

/* ---- processes that are gone ---- */

/* One that has asked for a lock_all and waits for the holder of an exclusive lock. The others have
 * exclusive locks from then on, and then a lock_all. */
static void lost_asker_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    if (world->rank == 0)
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
    world_barrier(world);
    if (world->rank == 1)
        CHECK_OK(proa_win_lock_all(win, 0)); /* returns once it hears that it was given up */
    if (world->rank == 0) {
        while (!proa_group_lock_is_wanted(win))
            world_sleep_us(100);
        proa_progress_enter();
        net_fake_lose(NULL, 1);
        proa_progress_leave();
        while (!proa_is_failed(win, 1))
            world_sleep_us(100);
        CHECK_OK(proa_win_unlock(win, 0));
    }
    world_barrier(world);
    if (world->rank != 1) {
        CHECK_OK(proa_win_lock(win, 2, 1, 0));
        touch(win, 2);
        CHECK_OK(proa_win_unlock(win, 2));
        CHECK_OK(proa_win_lock_all(win, 0));
        touch(win, 2);
        CHECK_OK(proa_win_unlock_all(win));
    }
    world_barrier(world);
}
WORLD_TEST(lost_asker, 4, .before = on_nodes, .limit_s = 5)

/* One that was inside, and the keeper. */
static void lost_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    CHECK_OK(proa_barrier(win));
    if (world->rank == 3) {
        CHECK_OK(proa_win_lock(win, 3, 1, 0));
        set(world, 0);
    }
    if (world->rank == 0) {
        world_await(word_of(world, 0), 1);
        proa_progress_enter();
        net_fake_lose(NULL, 3);
        proa_progress_leave();
    }
    if (node_of(world->rank) == 0) { /* its neighbours see the lock that it still has */
        world_await(word_of(world, 0), 1);
        CHECK_OK(proa_win_lock_all(win, 0));
        touch(win, 1);
        CHECK_OK(proa_win_unlock_all(win));
    }
    world_barrier(world);
    if (world->rank == 3) /* it was not dead after all, and its neighbour goes on */
        CHECK_OK(proa_win_unlock(win, 3));
    world_barrier(world);
    if (world->rank == 1) {
        proa_progress_enter();
        net_fake_lose(NULL, 0);
        proa_progress_leave();
        CHECK_OK(proa_win_lock(win, 2, 1, 0));
        touch(win, 2);
        CHECK_OK(proa_win_unlock(win, 2));
        CHECK_OK(proa_win_lock_all(win, 0)); /* asks those that it uses */
        touch(win, 2);
        CHECK_OK(proa_win_unlock_all(win));
    }
    world_barrier(world);
}
WORLD_TEST(lost, 4, .before = on_nodes, .limit_s = 20)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circle),     cmocka_unit_test(mixed),    cmocka_unit_test(fair),
        cmocka_unit_test(ahead),      cmocka_unit_test(messages), cmocka_unit_test(lost),
        cmocka_unit_test(lost_asker),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
