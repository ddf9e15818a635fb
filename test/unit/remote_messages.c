/* SPDX-License-Identifier: BSD-3-Clause */
/* How many messages go to targets on other nodes for what is done there (remote/origin.c): on the
 * pretended network, which counts them. */
#include "nodes.h"

#include "window/win.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Messages that this process sends from now on, until told. */
static long sent_since(long before)
{
    return net_fake_counts().sent - before;
}

/* lock, small operations, unlock: one there, one back. */
static void one_round_trip_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    long before = sent_since(0);

    world_barrier(world);
    if (world->rank == 0) {
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        CHECK_EQUAL(sent_since(before), 0);
        CHECK_OK(put_word(win, 1, 0, 1));
        CHECK_OK(put_word(win, 1, 1, 2));
        CHECK_EQUAL(sent_since(before), 0);
        CHECK_OK(proa_win_unlock(win, 1));
        CHECK_EQUAL(sent_since(before), 1);
        world_barrier(world);
    } else {
        world_barrier(world);
        CHECK_EQUAL(sent_since(before), 1);
        CHECK_EQUAL(window_words(win)[1], 2);
    }
    world_barrier(world);
    end(world, win);
}
WORLD_TEST(one_round_trip, 2, .before = on_nodes)

/* A post is one message, and so is a complete with its puts; start and wait send nothing. */
static void one_message_each_way_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int other = !world->rank;
    long before = sent_since(0);

    world_barrier(world);
    if (world->rank == 0) {
        CHECK_OK(proa_win_start(win, &other, 1, 0));
        CHECK_OK(put_word(win, 1, 0, 1));
        CHECK_OK(put_word(win, 1, 1, 2));
        CHECK_OK(proa_win_complete(win));
    } else {
        CHECK_OK(proa_win_post(win, &other, 1, 0));
        CHECK_OK(proa_win_wait(win));
        CHECK_EQUAL(window_words(win)[1], 2);
    }
    CHECK_EQUAL(sent_since(before), 1);
    world_barrier(world);
    end(world, win);
}
WORLD_TEST(one_message_each_way, 2, .before = on_nodes)

/* The last barrier: none passes before all have come, and only leaders send. */
static void last_barrier_body(struct world *world)
{
    uint32_t *arrived = (uint32_t *)(void *)world->shared;
    struct proa_win *win = begin(world, NULL);

    for (int late = 0; late < world->size; late++) {
        struct proa_win *one = window_of_words(world, 1);
        long before = sent_since(0);

        if (world->rank == late)
            world_sleep_us(3000);
        __atomic_fetch_add(arrived, 1, __ATOMIC_SEQ_CST);
        CHECK_OK(proa_barrier_last(one));
        CHECK_EQUAL(__atomic_load_n(arrived, __ATOMIC_SEQ_CST), (late + 1) * world->size);
        CHECK_EQUAL(sent_since(before), world->rank < NODES);
        proa_win_release(one);
        world_barrier(world);
    }
    end(world, win);
}
WORLD_TEST(last_barrier, 7, .before = on_nodes)

static void on_patient_nodes(struct world *world)
{
    on_nodes(world);
    setenv("PROA_FLUSH_TIMER_NS", "1000000000", 1);
}

/* A post goes with the complete that follows: where both are origin and target that is one message
 * each way. */
static void post_with_complete_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int other = !world->rank;
    long before = sent_since(0);

    for (int64_t round = 1; round <= 5; round++) {
        CHECK_OK(proa_win_post(win, &other, 1, 0));
        CHECK_OK(proa_win_start(win, &other, 1, 0));
        CHECK_OK(put_word(win, other, 0, round));
        CHECK_OK(proa_win_complete(win));
        CHECK_OK(proa_win_wait(win));
        CHECK_EQUAL(window_words(win)[0], round);
        CHECK_EQUAL(sent_since(before), round);
    }
    world_barrier(world);
    end(world, win);
}
WORLD_TEST(post_with_complete, 2, .before = on_patient_nodes)

/* A put before the target posts does not hold up the origin, and does not arrive before. */
static void put_before_post_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int other = !world->rank, over = 0;

    for (int64_t round = 1; round <= 3; round++) {
        if (world->rank == 0) {
            CHECK_OK(proa_win_start(win, &other, 1, 0));
            CHECK_OK(put_word(win, 1, 0, round));
            CHECK_OK(proa_win_complete(win));
        }
        world_barrier(world);
        if (world->rank == 1) {
            world_sleep_us(20000);
            CHECK_EQUAL(window_words(win)[0], round - 1);
            CHECK_OK(proa_win_post(win, &other, 1, 0));
            while (round == 2 && !over)
                CHECK_OK(proa_win_test(win, &over));
            if (round != 2)
                CHECK_OK(proa_win_wait(win));
            CHECK_EQUAL(window_words(win)[0], round);
        }
        world_barrier(world);
    }
    end(world, win);
}
WORLD_TEST(put_before_post, 2, .before = on_nodes)

/* A fence of two processes is one message each way, the puts included; all gets come with one
 * answer. */
static void fence_of_two_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int other = !world->rank;
    int64_t got = 0;
    long before;

    CHECK_OK(proa_win_fence(win, 0));
    before = sent_since(0);
    CHECK_OK(put_word(win, other, 0, 7 + world->rank));
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_EQUAL(sent_since(before), 1);
    CHECK_EQUAL(window_words(win)[0], 7 + other);
    world_barrier(world);
    CHECK_OK(get_word(win, other, 0, &got));
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_EQUAL(got, 7 + world->rank);
    world_barrier(world);
    CHECK_EQUAL(sent_since(before), 3);
    end(world, win);
}
WORLD_TEST(fence_of_two, 2, .before = on_nodes)

/* Only one process of each node sends anything, the last one, and all wait for all. */
static void fence_of_nodes_body(struct world *world)
{
    enum { ROUNDS = 12 }; /* each 16th message is answered */
    struct proa_win *win = begin(world, NULL);
    uint32_t *arrived = (uint32_t *)(void *)world->shared;
    long before;

    CHECK_OK(proa_win_fence(win, 0));
    before = sent_since(0);
    for (int round = 1; round <= ROUNDS; round++) {
        if (round % world->size == world->rank)
            world_sleep_us(500);
        __atomic_fetch_add(arrived, 1, __ATOMIC_SEQ_CST);
        CHECK_OK(proa_win_fence(win, 0));
        CHECK(__atomic_load_n(arrived, __ATOMIC_SEQ_CST) >= (uint32_t)(round * world->size));
    }
    CHECK_EQUAL(sent_since(before), world->rank < NODES ? ROUNDS : 0);
    end(world, win);
}
WORLD_TEST(fence_of_nodes, 6, .before = on_nodes)

/* An origin that goes on without a flush asks for an answer now and then: it would have to stop
 * otherwise, as a target keeps only so many batches of it. */
static void answers_now_and_then_body(struct world *world)
{
    enum { COUNT = 15000, TIMES = 12, ASKED = 16 };
    static int64_t ones[COUNT];
    struct proa_win *win = begin(world, NULL);
    long before = sent_since(0), *batches = (long *)(void *)world->shared;

    world_barrier(world);
    if (world->rank == 0) {
        CHECK_OK(proa_win_lock_all(win, 0));
        for (int i = 0; i < COUNT; i++)
            ones[i] = 1;
        for (int i = 0; i < TIMES; i++)
            CHECK_OK(accumulate_many(win, 1, 0, ones, COUNT, PROA_I64, PROA_OP_SUM));
        CHECK_OK(proa_win_unlock_all(win));
        *batches = sent_since(before);
        CHECK(*batches > 3 * ASKED);
    }
    world_barrier(world);
    if (world->rank == 1) {
        CHECK_EQUAL(window_words(win)[COUNT - 1], TIMES);
        CHECK_EQUAL(sent_since(before), *batches / ASKED + (*batches % ASKED != 0));
    }
    world_barrier(world);
    end(world, win);
}
WORLD_TEST(answers_now_and_then, 2, .before = on_nodes, .limit_s = 20)

/* ---- messages that are not sent ---- */

static void on_gathering_nodes(struct world *world)
{
    on_nodes(world);
    setenv("PROA_FLUSH_TIMER_NS", "1000000", 1);
}

/* The origin does not come back to Proa: its agent sends what has waited, time and again, out of
 * its sleep too. */
static void gathered_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    CHECK_OK(proa_win_lock_all(win, 0));
    for (int64_t round = 1; round <= 5; round++) {
        world_barrier(world);
        if (world->rank == 0) {
            world_sleep_us(round == 3 ? 150000 : 0); /* longer than the agent's */
            CHECK_OK(put_word(win, 1, 0, round));
            /* looked at meanwhile, so not by a put */
            CHECK_OK(accumulate_many(win, 1, 1, &round, 1, PROA_I64, PROA_OP_REPLACE));
        } else {
            while (__atomic_load_n(&window_words(win)[1], __ATOMIC_ACQUIRE) != round)
                world_sleep_us(100);
            CHECK_EQUAL(window_words(win)[0], round);
        }
    }
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    end(world, win);
}
WORLD_TEST(gathered, 2, .before = on_gathering_nodes, .limit_s = 20)

/* A flush does not take for done what the agent has sent without a question: it asks, and waits for
 * the answer of a target that takes nothing in until later. */
static void flush_after_gathered_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    uint32_t *step = (uint32_t *)(void *)world->shared;
    long before = sent_since(0);

    if (world->rank == 1) {
        net_fake_hold(1);
        __atomic_store_n(step, 1, __ATOMIC_RELEASE);
        world_await(step, 2);
        world_sleep_us(5000);
        CHECK_EQUAL(__atomic_load_n(step, __ATOMIC_ACQUIRE), 2);
        net_fake_hold(0);
        world_await(step, 3);
        CHECK_EQUAL(window_words(win)[0], 7);
    } else {
        world_await(step, 1);
        CHECK_OK(proa_win_lock_all(win, 0));
        CHECK_OK(put_word(win, 1, 0, 7));
        while (!sent_since(before))
            world_sleep_us(100);
        __atomic_store_n(step, 2, __ATOMIC_RELEASE);
        CHECK_OK(flushed(proa_win_flush(win, 1)));
        __atomic_store_n(step, 3, __ATOMIC_RELEASE);
        CHECK_EQUAL(sent_since(before), 2);
        CHECK_OK(proa_win_unlock_all(win));
    }
    end(world, win);
}
WORLD_TEST(flush_after_gathered, 2, .before = on_gathering_nodes, .limit_s = 20)

enum { LARGE = 2000 }; /* words: the network puts them by itself, and only once there is a post */

static void put_large(struct proa_win *win, int rank, int64_t first)
{
    int64_t values[LARGE];

    for (int i = 0; i < LARGE; i++)
        values[i] = first + i;
    CHECK_OK(proa_win_start(win, &rank, 1, 0));
    CHECK_OK(put_many(win, rank, 0, values, LARGE, PROA_I64));
    CHECK_OK(proa_win_complete(win));
}

/* A target that posts, and does not come back to Proa, still tells its waiting origins; the next
 * time at once. Patient: the count has to show that a post does not go by itself, while a process
 * that is held up for a millisecond would find it gone; and the other is to have waited for it by
 * then.
 */
static void posted_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int other = !world->rank;

    for (int round = 1; round <= 3; round++) {
        long before = sent_since(0);

        if (world->rank == 0) {
            put_large(win, 1, round);
        } else {
            CHECK_OK(proa_win_post(win, &other, 1, 0));
            CHECK_EQUAL(sent_since(before), round > 1);
        }
        world_barrier(world);
        if (world->rank == 1)
            CHECK_OK(proa_win_wait(win));
        CHECK_EQUAL(window_words(win)[LARGE - 1], world->rank ? round + LARGE - 1 : 0);
        world_barrier(world);
    }
    end(world, win);
}
WORLD_TEST(posted, 2, .before = on_patient_nodes, .limit_s = 20)

/* A post reaches a target that is not to look at what comes with it before it posts itself. */
static void posts_cross_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int other = !world->rank;

    if (world->rank == 0) {
        CHECK_OK(proa_win_post(win, &other, 1, 0));
        CHECK_OK(proa_win_start(win, &other, 1, 0));
        CHECK_OK(put_word(win, 1, 0, 7));
        CHECK_OK(proa_win_complete(win));
    } else {
        put_large(win, 0, 1);
        CHECK_EQUAL(window_words(win)[0], 0);
        CHECK_OK(proa_win_post(win, &other, 1, 0));
    }
    CHECK_OK(proa_win_wait(win));
    CHECK_EQUAL(window_words(win)[0], world->rank ? 7 : 1);
    world_barrier(world);
    end(world, win);
}
WORLD_TEST(posts_cross, 2, .before = on_patient_nodes, .limit_s = 20)

/* Two that are target and origin of each other, and of which the first operation waits for a post
 * here: each tells its own before it waits. */
static void large_puts_cross_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int other = !world->rank;

    world_barrier(world);
    CHECK_OK(proa_win_post(win, &other, 1, 0));
    put_large(win, other, 1);
    CHECK_OK(proa_win_wait(win));
    CHECK_EQUAL(window_words(win)[0], 1);
    world_barrier(world);
    end(world, win);
}
WORLD_TEST(large_puts_cross, 2, .before = on_patient_nodes, .limit_s = 20)

/* An origin that completes before the target has posted takes no lock before that either: the
 * target may want one first. */
static void lock_after_post_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int other = !world->rank;

    if (world->rank == 0) {
        CHECK_OK(proa_win_start(win, &other, 1, 0));
        CHECK_OK(put_word(win, 1, 0, 1));
        CHECK_OK(proa_win_complete(win));
        world_barrier(world);
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        CHECK_OK(put_word(win, 1, 0, 2));
        CHECK_OK(proa_win_unlock(win, 1));
    } else {
        world_barrier(world);
        world_sleep_us(20000);
        CHECK_OK(proa_win_lock_all(win, 0));
        CHECK_OK(proa_win_unlock_all(win));
        CHECK_EQUAL(window_words(win)[0], 0);
        CHECK_OK(proa_win_post(win, &other, 1, 0));
        CHECK_OK(proa_win_wait(win));
    }
    world_barrier(world);
    CHECK_EQUAL(window_words(win)[0], world->rank ? 2 : 0);
    end(world, win);
}
WORLD_TEST(lock_after_post, 2, .before = on_gathering_nodes, .limit_s = 20)

/* A lock that has not been asked for is not asked for by that: it goes with what follows. */
static void not_before_the_lock_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    long before = sent_since(0);

    if (world->rank == 0) {
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        CHECK_OK(put_word(win, 1, 0, 1));
        world_sleep_us(30000);
        CHECK_EQUAL(sent_since(before), 0);
        CHECK_OK(proa_win_unlock(win, 1));
        CHECK_EQUAL(sent_since(before), 1);
    }
    world_barrier(world);
    end(world, win);
}
WORLD_TEST(not_before_the_lock, 2, .before = on_gathering_nodes, .limit_s = 20)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_round_trip),       cmocka_unit_test(one_message_each_way),
        cmocka_unit_test(last_barrier),         cmocka_unit_test(fence_of_two),
        cmocka_unit_test(fence_of_nodes),       cmocka_unit_test(post_with_complete),
        cmocka_unit_test(put_before_post),      cmocka_unit_test(posted),
        cmocka_unit_test(posts_cross),          cmocka_unit_test(large_puts_cross),
        cmocka_unit_test(lock_after_post),      cmocka_unit_test(gathered),
        cmocka_unit_test(answers_now_and_then), cmocka_unit_test(flush_after_gathered),
        cmocka_unit_test(not_before_the_lock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
