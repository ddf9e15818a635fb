/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that test, over the pretended network: a message that has come to this process before the
 * call is seen by that call, not by the next one (sync/pscw.c, progress/progress.c).
 *
 * The network delivers nothing to the process that tests until just before the test, so no other
 * thread of it has looked before.
 */
#include "nodes.h"

#include "remote/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ROUNDS = 30 };

/* ---- MPI_Win_test ---- */

static void origin_epoch(struct proa_win *win, int64_t value)
{
    int target = 1;

    CHECK_OK(proa_win_start(win, &target, 1, 0));
    CHECK_OK(put_word(win, 1, 0, value));
    CHECK_OK(proa_win_complete(win));
}

/* The first test after the origin's complete, and a barrier, is true. */
static void first_test_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int origin = 0;

    for (int64_t round = 1; round <= ROUNDS; round++) {
        int flag = 0;

        if (world->rank == 1) {
            CHECK_OK(proa_win_post(win, &origin, 1, 0));
            net_fake_hold(1);
        }
        world_barrier(world);
        if (world->rank == 0)
            origin_epoch(win, round);
        world_barrier(world);
        if (world->rank == 1) {
            net_fake_hold(0);
            CHECK_OK(proa_win_test(win, &flag));
            CHECK(flag);
            CHECK_EQUAL(window_words(win)[0], round);
        }
    }
    end(world, win);
}
WORLD_TEST(first_test, 2, .before = on_nodes, .limit_s = 20)

/* ---- MPI_Win_sync ---- */

/* A program that polls its memory sees a put after some calls, and not after the progress thread's
 * sleep. That thread may be up by itself, and have the message in hand, now and then. */
static void synced_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int origin = 0, seen = 0;

    for (int64_t round = 1; round <= ROUNDS; round++) {
        if (world->rank == 1) {
            CHECK_OK(proa_win_post(win, &origin, 1, 0));
            net_fake_hold(1);
        }
        world_barrier(world);
        if (world->rank == 0)
            origin_epoch(win, round);
        world_barrier(world);
        if (world->rank == 1) {
            net_fake_hold(0);
            for (int i = 0; i < 8; i++)
                proa_win_sync(win);
            seen += window_words(win)[0] == round;
            CHECK_OK(proa_win_wait(win));
        }
    }
    CHECK(world->rank == 0 || seen > ROUNDS / 2);
    end(world, win);
}
WORLD_TEST(synced, 2, .before = on_nodes, .limit_s = 20)

/* Thread 0 of the target is inside the agent when thread 1 tests. */
struct busy {
    struct proa_win *win;
    uint32_t inside;
    int flag;
};

static void test_beside(void *arg, int number)
{
    struct busy *busy = arg;

    if (number == 1) {
        world_await(&busy->inside, 1);
        CHECK_OK(proa_win_test(busy->win, &busy->flag));
        return;
    }
    proa_progress_enter();
    net_fake_hold(0);
    __atomic_store_n(&busy->inside, 1, __ATOMIC_RELEASE);
    world_sleep_us(20000);
    proa_progress_leave();
}

/* That thread may be the one that has the message in hand: the test waits until it is done. */
static void busy_agent_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    struct busy busy = {.win = win};
    int origin = 0;

    if (world->rank == 1) {
        CHECK_OK(proa_win_post(win, &origin, 1, 0));
        net_fake_hold(1);
    }
    world_barrier(world);
    if (world->rank == 0)
        origin_epoch(win, 7);
    world_barrier(world);
    if (world->rank == 1) {
        world_threads(2, test_beside, &busy);
        CHECK(busy.flag);
        CHECK_EQUAL(window_words(win)[0], 7);
    }
    end(world, win);
}
WORLD_TEST(busy_agent, 2, .before = on_nodes, .limit_s = 20)

/* ---- requests ---- */

static uint32_t *answers_of(struct world *world)
{
    return (uint32_t *)(void *)world->shared;
}

/* The answer to a get has come: the look of MPI_Test and its kin, which is this one, sees it. */
static void request_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    for (uint32_t round = 1; round <= ROUNDS; round++) {
        struct proa_request request;
        int64_t got = 0;

        if (world->rank == 1) {
            long sent = net_fake_counts().sent;

            window_words(win)[0] = round;
            world_barrier(world);
            while (net_fake_counts().sent == sent) /* by the agent's thread */
                world_sleep_us(50);
            __atomic_store_n(answers_of(world), round, __ATOMIC_RELEASE);
        } else {
            world_barrier(world);
            net_fake_hold(1);
            CHECK_OK(proa_win_lock(win, 1, 0, 0));
            proa_request_begin(&request, win);
            CHECK_OK(get_word(win, 1, 0, &got));
            CHECK(!proa_request_is_issued(&request));
            proa_request_let_go(&request);
            proa_request_hurry();
            world_await(answers_of(world), round);
            net_fake_hold(0);
            proa_progress_take_in();
            CHECK(proa_request_take_done() == &request);
            CHECK_EQUAL(got, round);
            CHECK_OK(proa_win_unlock(win, 1));
        }
        world_barrier(world);
    }
    end(world, win);
}
WORLD_TEST(request, 2, .before = on_nodes, .limit_s = 20)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_test),
        cmocka_unit_test(synced),
        cmocka_unit_test(busy_agent),
        cmocka_unit_test(request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
