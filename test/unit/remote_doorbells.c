/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that sleeps until a message comes is rung for by the thread that takes the message in
 * (remote/batch.c, remote/execute.c, remote/group_lock.c). The time-out of a sleep hides a doorbell
 * that is not rung from every other test.
 *
 * Rank 1 takes no message in until one of its threads sleeps; then its progress thread does. If the
 * sleeper looks by itself just then, at a time-out, it needs no ring, and the round is repeated. So
 * it is if another message comes with the awaited one: it may have rung.
 */
#include "nodes.h"

#include "remote/move.h"
#include "remote/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { RINGER, SLEEPER, ROUNDS_MOST = 50, LONG = 2000 };

/* One kind of message that ends a wait. */
struct kind {
    void (*before)(struct proa_win *win); /* at the sleeper; NULL: nothing */
    void (*wait)(struct proa_win *win);   /* at the sleeper, which is held */
    void (*ring)(struct proa_win *win);   /* at the other rank; NULL: its progress thread answers */
    void (*after)(struct proa_win *win);  /* at the sleeper; NULL: nothing */
};

static void lock_all(struct proa_win *win)
{
    CHECK_OK(proa_win_lock_all(win, 0));
}

static void unlock_all(struct proa_win *win)
{
    CHECK_OK(proa_win_unlock_all(win));
}

static void put_one(struct proa_win *win)
{
    lock_all(win);
    CHECK_OK(put_word(win, RINGER, 0, 1));
}

static void flush(struct proa_win *win)
{
    CHECK_OK(flushed(proa_win_flush(win, RINGER)));
}

/* By the network's own put. */
static void put_long(struct proa_win *win)
{
    static const int64_t values[LONG];

    CHECK_OK(put_many(win, RINGER, 0, values, LONG, PROA_I64));
    flush(win);
}

static void post(struct proa_win *win)
{
    const int origin = RINGER;

    CHECK_OK(proa_win_post(win, &origin, 1, 0));
}

static void await_complete(struct proa_win *win)
{
    CHECK_OK(proa_win_wait(win));
}

static void complete(struct proa_win *win)
{
    const int target = SLEEPER;

    CHECK_OK(proa_win_start(win, &target, 1, 0));
    CHECK_OK(proa_win_complete(win));
}

/* Its permit for the other room makes the next lock_all request one. */
static void lock_other_room(struct proa_win *win)
{
    CHECK_OK(proa_win_lock(win, SLEEPER, 1, 0));
    CHECK_OK(proa_win_unlock(win, SLEEPER));
}

static const struct kind answer = {put_one, flush, NULL, unlock_all},
                         moved = {lock_all, put_long, NULL, unlock_all},
                         notified = {post, await_complete, complete, NULL},
                         granted = {lock_other_room, lock_all, NULL, unlock_all};

struct round {
    const struct kind *kind;
    struct world *world;
    struct proa_win *win;
    int is_over, is_rung;
};

static void sleep_once(struct round *round)
{
    round->kind->wait(round->win);
    __atomic_store_n(&round->is_over, 1, __ATOMIC_RELEASE);
}

static int is_over(struct round *round)
{
    return __atomic_load_n(&round->is_over, __ATOMIC_ACQUIRE);
}

static void watch(struct round *round)
{
    const struct proa_doorbell *bell = &proa_self->ctl->bell;
    long before = net_fake_counts().received;
    uint32_t rings;

    while (!__atomic_load_n(&bell->sleeper, __ATOMIC_SEQ_CST))
        world_sleep_us(100);
    rings = __atomic_load_n(&bell->rings, __ATOMIC_SEQ_CST);
    net_fake_hold(0);
    while (!is_over(round))
        world_sleep_us(100);
    round->is_rung = __atomic_load_n(&bell->rings, __ATOMIC_SEQ_CST) != rings &&
                     net_fake_counts().received - before <= 1;
}

static void sleep_or_watch(void *arg, int number)
{
    (number ? watch : sleep_once)(arg);
}

static void sleeper_round(struct round *round)
{
    const struct kind *kind = round->kind;

    if (kind->before)
        kind->before(round->win);
    net_fake_hold(1);
    world_barrier(round->world);
    world_threads(2, sleep_or_watch, round);
    if (kind->after)
        kind->after(round->win);
}

static void ringer_round(struct round *round)
{
    world_barrier(round->world);
    if (round->kind->ring)
        round->kind->ring(round->win);
}

static void rings(struct world *world, const struct kind *kind)
{
    struct proa_win *win = begin(world, NULL);
    volatile int *is_rung = (int *)(void *)world->shared;

    for (int i = 0; i < ROUNDS_MOST && !*is_rung; i++) {
        struct round round = {.world = world, .win = win, .kind = kind};

        (world->rank == SLEEPER ? sleeper_round : ringer_round)(&round);
        world_barrier(world);
        *is_rung |= round.is_rung;
        world_barrier(world);
    }
    CHECK(*is_rung);
    end(world, win);
}

static void by_an_answer_body(struct world *world)
{
    rings(world, &answer);
}
WORLD_TEST(by_an_answer, 2, .before = on_nodes, .limit_s = 20)

static void by_a_put_that_is_done_body(struct world *world)
{
    rings(world, &moved);
}
WORLD_TEST(by_a_put_that_is_done, 2, .before = on_nodes, .limit_s = 20)

static void by_a_word_body(struct world *world)
{
    rings(world, &notified);
}
WORLD_TEST(by_a_word, 2, .before = on_nodes, .limit_s = 20)

static void by_a_permit_body(struct world *world)
{
    rings(world, &granted);
}
WORLD_TEST(by_a_permit, 2, .before = on_nodes, .limit_s = 20)

/* Two puts in flight: the first to end wakes no thread. */
static void by_the_last_put_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    struct proa_doorbell *bell = &proa_self->ctl->bell;
    struct proa_remote *r;
    uint32_t rings;

    proa_progress_enter();
    r = proa_remote_make(win, 1 - world->rank);
    CHECK(r);
    r->flight.moves = 2;
    proa_doorbell_announce(bell, NULL, &rings);
    proa_move_done((uint64_t)(uintptr_t)r, PROA_OK);
    CHECK_EQUAL(__atomic_load_n(&bell->rings, __ATOMIC_SEQ_CST), rings);
    proa_move_done((uint64_t)(uintptr_t)r, PROA_OK);
    CHECK_EQUAL(__atomic_load_n(&bell->rings, __ATOMIC_SEQ_CST), rings + 1);
    proa_progress_leave();
    end(world, win);
}
WORLD_TEST(by_the_last_put, 2, .before = on_nodes, .limit_s = 20)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_an_answer),    cmocka_unit_test(by_a_put_that_is_done),
        cmocka_unit_test(by_the_last_put), cmocka_unit_test(by_a_word),
        cmocka_unit_test(by_a_permit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
