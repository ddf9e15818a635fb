/* SPDX-License-Identifier: BSD-3-Clause */
/* The barriers of a window (sync/barrier.h): both kinds, mixed, and the last one before the memory
 * goes. */
#include "move.h"

#include "shm/arena.h"
#include "sync/pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 9 };

/* How many barriers each process has come to, a cache line each. */
struct count {
    uint64_t value __attribute__((aligned(64)));
};

static struct count *counts_of(struct world *world)
{
    return (struct count *)(void *)world->shared;
}

static struct proa_win *empty_window(struct world *world)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .disp_unit = 1};

    return window_create(world, &args);
}

enum kind { DISSEMINATION, CENTRAL, BY_TURNS };

/* No process passes before all have arrived, and none runs further than one ahead. Now and then one
 * is late. */
static void rounds(struct world *world, struct proa_win *win, enum kind kind, long count)
{
    struct count *counts = counts_of(world);
    uint64_t seed = (uint64_t)world->rank,
             start = __atomic_load_n(&counts[world->rank].value, __ATOMIC_SEQ_CST);

    for (uint64_t round = start + 1; round <= start + (uint64_t)count; round++) {
        win->barrier = (kind == BY_TURNS ? round / 3 % 2 : kind == CENTRAL)
                           ? PROA_BARRIER_CENTRAL
                           : PROA_BARRIER_DISSEMINATION;
        if (world_below(&seed, 200) == 0)
            world_sleep_us((long)world_below(&seed, 300));
        /* the barrier orders it */
        __atomic_store_n(&counts[world->rank].value, round, __ATOMIC_RELAXED);
        proa_barrier(win);
        for (int i = 0; i < world->size; i++) {
            uint64_t there = __atomic_load_n(&counts[i].value, __ATOMIC_RELAXED);
            CHECK(there >= round);
            CHECK(there <= round + 1);
        }
    }
}

static void many_rounds_body(struct world *world)
{
    struct proa_win *win = empty_window(world);
    long count = world_rounds(world->size <= 2 ? 4000 : world->size <= 4 ? 1000 : 400);

    rounds(world, win, DISSEMINATION, count);
    rounds(world, win, CENTRAL, count);
    rounds(world, win, BY_TURNS, count);
    window_free(win);
}

static void many_rounds(void **state)
{
    (void)state;
    for (int size = 1; size <= MOST; size++)
        world_run(&(struct world_plan){.size = size, .body = many_rounds_body});
}

/* Plain stores before a barrier are seen behind it. */
static void plain_stores_body(struct world *world)
{
    struct proa_win *win = empty_window(world);
    uint64_t *values = (uint64_t *)(void *)world->shared;

    for (int kind = DISSEMINATION; kind <= CENTRAL; kind++) {
        win->barrier = kind == CENTRAL ? PROA_BARRIER_CENTRAL : PROA_BARRIER_DISSEMINATION;
        for (uint64_t round = 1; round <= (uint64_t)world_rounds(300); round++) {
            values[world->rank] = round;
            proa_barrier(win);
            for (int i = 0; i < world->size; i++)
                CHECK_EQUAL(values[i], round);
            proa_barrier(win);
        }
    }
    window_free(win);
}

static void plain_stores(void **state)
{
    (void)state;
    for (int size = 2; size <= 5; size++)
        world_run(&(struct world_plan){.size = size, .body = plain_stores_body});
}

/* When the last barrier has returned no process touches our words: we fill that memory with a
 * pattern at once and look whether it stays. */
static void last_barrier_body(struct world *world)
{
    size_t before = proa_rounds_bytes(world->size), bytes = before + proa_block_bytes(world->size);
    unsigned char *reused;

    for (long round = 0; round < world_rounds(120); round++) {
        struct proa_win *win = empty_window(world);
        void *block = (char *)win->ctl - before;
        win->barrier = round % 2 ? PROA_BARRIER_CENTRAL : PROA_BARRIER_DISSEMINATION;
        for (int i = 0; i < (int)(round % 3); i++)
            proa_barrier(win);
        window_free(win);
        reused = proa_arena_alloc(bytes, 0);
        CHECK_EQUAL((void *)reused, block);
        memset(reused, 0x5a, bytes);
        if (world->rank % 2)
            world_sleep_us(100);
        world_barrier(world);
        for (size_t i = 0; i < bytes; i++)
            CHECK_EQUAL(reused[i], 0x5a);
        CHECK(proa_arena_free(reused));
    }
}

static void last_barrier(void **state)
{
    (void)state;
    for (int size = 1; size <= MOST; size += 2)
        world_run(&(struct world_plan){.size = size, .body = last_barrier_body});
}

/* Several windows at once: their barriers do not mix. */
static void several_windows_body(struct world *world)
{
    struct proa_win *wins[3];

    for (int i = 0; i < 3; i++)
        wins[i] = empty_window(world);
    for (int round = 0; round < 100; round++)
        for (int i = 0; i < 3; i++)
            rounds(world, wins[i], (enum kind)((round + i) % 2), 3);
    for (int i = 0; i < 3; i++)
        window_free(wins[i]);
}

WORLD_TEST(several_windows, 4)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rounds),
        cmocka_unit_test(plain_stores),
        cmocka_unit_test(last_barrier),
        cmocka_unit_test(several_windows),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
