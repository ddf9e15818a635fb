/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of different processes that their target compares (order/crossing.h): a target that
 * takes late, in the worst order. */
#include "world.h"

#include "order/board.h"
#include "order/clock.h"
#include "order/crossing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIRST, SECOND, TARGET, RANKS, PUTS = 200000 };

static int told;

static void tell(const struct proa_access *first, const struct proa_access *second)
{
    CHECK(first->origin != second->origin);
    told++;
}

static void begin(struct world *world)
{
    told = 0;
    CHECK_OK(proa_board_begin(&world->group, 0));
    CHECK_OK(proa_clock_begin());
    CHECK_OK(proa_crossing_begin(tell, NULL));
    world_barrier(world);
}

static void end(void)
{
    proa_board_barrier();
    proa_crossing_end();
    proa_clock_end();
    proa_board_end();
}

/* A put to the target of so many bytes, from issue to completion. */
static void put_bytes(uint64_t low, uint64_t bytes)
{
    static const char place;
    struct proa_access access = {.low = low,
                                 .high = low + bytes,
                                 .caller = &place,
                                 .call = PROA_CALL_Put,
                                 .kind = PROA_ACCESS_WRITE,
                                 .origin = (int16_t)proa_board_rank(),
                                 .moment = proa_clock_moment()};

    proa_crossing_hand_over(TARGET, &access, proa_clock_stamp());
    proa_clock_complete();
    proa_moment_drop(access.moment);
}

static void tell_other(int process)
{
    proa_clock_tell(process, PROA_ROW_TOLD);
    proa_board_flush();
}

/* A chain through all: the later one's queue comes first at the target, which takes all at once. */
static void taken_in_order_body(struct world *world)
{
    begin(world);
    if (world->rank == SECOND) {
        put_bytes(0, 8);
        tell_other(FIRST);
    }
    world_barrier(world);
    if (world->rank == FIRST) {
        proa_clock_hear(PROA_ROW_TOLD);
        put_bytes(0, 8);
        tell_other(SECOND);
    }
    world_barrier(world);
    if (world->rank == SECOND) {
        proa_clock_hear(PROA_ROW_TOLD);
        put_bytes(4, 8);
    }
    world_barrier(world);
    if (world->rank == TARGET) {
        proa_crossing_take();
        CHECK_EQUAL(told, 0);
        CHECK_EQUAL(proa_crossing_left_out(), 0);
    }
    end();
}

WORLD_TEST(taken_in_order, RANKS)

/* So many that queues begin anew. They are taken a few at a time: in each round two conflict. */
static void taken_often_body(struct world *world)
{
    enum { ROUNDS = 200, EACH = 20 };

    begin(world);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (uint64_t i = 0; world->rank != TARGET && i < EACH; i++)
            put_bytes(64 * (2 * EACH * round + (i ? EACH * (uint64_t)world->rank + i : 0)), 8);
        world_barrier(world);
        if (world->rank == TARGET)
            proa_crossing_take();
        world_barrier(world);
    }
    if (world->rank == TARGET) {
        CHECK_EQUAL(told, ROUNDS);
        CHECK_EQUAL(proa_crossing_left_out(), 0);
    }
    end();
}

WORLD_TEST(taken_often, RANKS)

/* The second has told before its second put: what is kept of the two conflicts with the other's. */
static void told_between(struct world *world, int is_taken_early)
{
    begin(world);
    if (world->rank == SECOND) {
        put_bytes(0, 8);
        tell_other(FIRST);
        put_bytes(0, 8);
    }
    world_barrier(world);
    if (world->rank == TARGET && is_taken_early)
        proa_crossing_take();
    world_barrier(world);
    if (world->rank == FIRST) {
        proa_clock_hear(PROA_ROW_TOLD);
        put_bytes(0, 8);
    }
    world_barrier(world);
    if (world->rank == TARGET) {
        proa_crossing_take();
        CHECK_EQUAL(told, 1);
    }
    end();
}

static void one_after_told_body(struct world *world)
{
    told_between(world, 0);
}

WORLD_TEST(one_after_told, RANKS)

/* The same, taken before the other's put is there: the second put renews the time of the first. */
static void renewed_body(struct world *world)
{
    told_between(world, 1);
}

WORLD_TEST(renewed, RANKS)

/* The earlier one's clock is looked at before its second put, which the later one's put comes
 * after. */
static void looked_at_body(struct world *world)
{
    begin(world);
    if (world->rank == SECOND)
        put_bytes(64, 8);
    world_barrier(world);
    if (world->rank == FIRST) {
        proa_clock_learn_memory(SECOND);
        put_bytes(128, 8);
    }
    world_barrier(world);
    if (world->rank == TARGET)
        proa_crossing_take();
    world_barrier(world);
    if (world->rank == SECOND) {
        put_bytes(0, 8);
        tell_other(FIRST);
    }
    world_barrier(world);
    if (world->rank == FIRST) {
        proa_clock_hear(PROA_ROW_TOLD);
        put_bytes(0, 8);
    }
    world_barrier(world);
    if (world->rank == TARGET) {
        proa_crossing_take();
        CHECK_EQUAL(told, 0);
    }
    end();
}

WORLD_TEST(looked_at, RANKS)

/* A target that takes nothing has no room at last. The rest is counted, without a wait for each. */
static void full_body(struct world *world)
{
    begin(world);
    if (world->rank == FIRST) {
        for (uint64_t i = 0; i < PUTS; i++)
            put_bytes(16 * i, 8);
        CHECK(proa_crossing_left_out() > 0);
        CHECK(proa_crossing_left_out() < PUTS);
    }
    world_barrier(world);
    if (world->rank == TARGET) {
        proa_crossing_take();
        CHECK_EQUAL(told, 0);
    }
    end();
}

WORLD_TEST(full, RANKS)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_in_order), cmocka_unit_test(taken_often),
        cmocka_unit_test(one_after_told), cmocka_unit_test(renewed),
        cmocka_unit_test(looked_at),      cmocka_unit_test(full),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
