/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows over several nodes (remote/origin.c, remote/target.c, progress/progress.c), over the
 * network that the tests pretend: every synchronization and operation, near and far at once, with
 * all that a network may do. */
#include "move.h"
#include "nodes.h"

#include "base/fail.h"
#include "rma/regions.h"
#include "remote/origin.h"
#include "remote/window.h"
#include "remote/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- what a window is ---- */

static void reaches_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    CHECK(win->remote_window);
    for (int i = 0; i < win->size; i++) {
        int is_near = node_of(i) == node_of(world->rank);

        CHECK((win->targets[i].fast != NULL) == is_near);
        CHECK(proa_is_remote(&win->targets[i]) == !is_near);
        CHECK_OK(proa_target_know(win, i));
        CHECK_EQUAL(win->targets[i].bytes, WORDS * 8);
    }
    end(world, win);
}
ON_NODES(reaches, 4)

/* Nothing is kept of those of the other node that one has had nothing to do with: in a barrier it
 * is the leaders of the nodes that tell each other. */
static void check_strangers(const struct proa_win *win, int known)
{
    for (int i = 0; i < win->size; i++)
        CHECK_EQUAL(proa_remote_of(win, i) != NULL, i == known || i + win->rank == 1);
}

static void strangers_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    for (int i = 0; i < win->size; i++) {
        CHECK(!proa_remote_of(win, i));
        CHECK(!proa_remote_process_of(win, i) || win->ctl == win->leader); /* it has tried others */
    }
    world_barrier(world);
    CHECK_OK(proa_barrier(win));
    check_strangers(win, -1);
    world_barrier(world);
    if (world->rank == 0) {
        CHECK_OK(proa_win_lock(win, 3, 0, 0));
        CHECK_OK(put_word(win, 3, 0, 1));
        CHECK_OK(proa_win_unlock(win, 3));
    }
    world_barrier(world);
    check_strangers(win, world->rank == 0 ? 3 : world->rank == 3 ? 0 : -1);
    world_barrier(world);
    end(world, win);
}
ON_NODES(strangers, 8)

/* Behind the last barrier the leader of a node takes the roster with it. Its neighbours get to know
 * no process any more, and take no message of one for nonsense. */
static void check_roster_gone(struct proa_win *win)
{
    int strangers = 0;

    proa_progress_enter();
    CHECK(!proa_roster_is_there(win));
    for (int i = 0; i < win->size; i++)
        if (proa_is_remote(&win->targets[i]) && !proa_remote_process_of(win, i)) {
            CHECK(!proa_remote_know(win, i));
            CHECK(!proa_remote_is_from(win, (uint32_t)i, i));
            strangers++;
        }
    proa_progress_leave();
    CHECK(strangers > 0);
}

static void roster_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int is_leader = win->ctl == win->leader;

    CHECK(proa_roster_is_there(win));
    CHECK_OK(proa_barrier_last(win));
    if (is_leader)
        proa_win_release(win);
    world_barrier(world);
    if (!is_leader) {
        check_roster_gone(win);
        proa_win_release(win);
    }
    world_barrier(world);
    CHECK_EQUAL(net_fake_counts().dropped, 0);
}
ON_NODES(roster, 6)

/* ---- put and get ---- */

static int64_t value_of(int rank, uint64_t at, int64_t round)
{
    return ((int64_t)rank << 40) + (round << 32) + (int64_t)at;
}

/* Everybody's own stretch in everybody's window. */
static void put_stretch(struct proa_win *win, int target, uint64_t count, int64_t round)
{
    int64_t *values = malloc((count + 1) * sizeof *values);

    for (uint64_t i = 0; i < count; i++)
        values[i] = value_of(win->rank, i, round);
    CHECK_OK(put_many(win, target, win->rank * (WORDS / 8), values, count, PROA_I64));
    CHECK_OK(flushed(proa_win_flush_local(win, target)));
    memset(values, 0, count * sizeof *values); /* ours again */
    CHECK_OK(flushed(proa_win_flush(win, target)));
    CHECK_OK(get_many(win, target, win->rank * (WORDS / 8), values, count, PROA_I64));
    CHECK_OK(flushed(proa_win_flush_local(win, target)));
    for (uint64_t i = 0; i < count; i++)
        CHECK_EQUAL(values[i], value_of(win->rank, i, round));
    free(values);
}

static void puts_and_gets_body(struct world *world)
{
    static const uint64_t counts[] = {1, 2, 7, 500, 507, 508, 509, 1023, 1024, 5000, WORDS / 8};
    struct proa_win *win = begin(world, NULL);

    CHECK_OK(proa_win_lock_all(win, 0));
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (int t = 0; t < win->size; t++)
            put_stretch(win, t, counts[c], (int64_t)c);
    CHECK_OK(proa_win_unlock_all(win));
    end(world, win);
}
ON_NODES(puts_and_gets, 4)

/* A vector of single words, and one of longer blocks, backwards in the target. */
static void vectors_body(struct world *world)
{
    enum { COUNT = 700 };
    struct proa_win *win = begin(world, NULL);
    struct proa_type every_third, *word = (struct proa_type *)(uintptr_t)basic_type(PROA_I64);
    struct proa_part part = {.offset = 0, .count = 1, .type = word};
    int64_t values[COUNT], back[COUNT];
    int target = (world->rank + 1) % world->size;
    struct proa_there there = {target, world->rank, 1, &every_third, PROA_CALL_Put};
    struct proa_buffer origin = {values, COUNT, word}, result = {back, COUNT, word};

    CHECK_OK(proa_type_repeat(&part, COUNT, 24, &every_third));
    proa_type_set_extent(&every_third, COUNT * 24);
    for (int i = 0; i < COUNT; i++)
        values[i] = value_of(world->rank, (uint64_t)i, 3);
    CHECK_OK(proa_win_lock(win, target, 1, 0));
    CHECK_OK(proa_put(win, &origin, &there));
    CHECK_OK(flushed(proa_win_flush(win, target)));
    CHECK_OK(proa_get(win, &result, &there));
    CHECK_OK(proa_win_unlock(win, target));
    CHECK(memcmp(values, back, sizeof values) == 0);
    proa_barrier(win);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(window_words(win)[3 * i + (world->rank + world->size - 1) % world->size],
                    value_of((world->rank + world->size - 1) % world->size, (uint64_t)i, 3));
    proa_type_release(&every_third);
    end(world, win);
}
ON_NODES(vectors, 2)

/* ---- accumulates ---- */

static void sums_body(struct world *world)
{
    enum { ROUNDS = 200, LONG = 1500 };
    struct proa_win *win = begin(world, NULL);
    int64_t ones[LONG];
    int n = world->size;

    for (int i = 0; i < LONG; i++)
        ones[i] = 1;
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int i = 0; i < ROUNDS; i++)
        for (int t = 0; t < n; t++)
            CHECK_OK(accumulate_many(win, t, 0, ones, i % 50 ? 3 : LONG, PROA_I64, PROA_OP_SUM));
    CHECK_OK(proa_win_unlock_all(win));
    proa_barrier(win);
    CHECK_EQUAL(window_words(win)[0], n * ROUNDS);
    CHECK_EQUAL(window_words(win)[2], n * ROUNDS);
    CHECK_EQUAL(window_words(win)[3], n * (ROUNDS / 50));
    CHECK_EQUAL(window_words(win)[LONG - 1], n * (ROUNDS / 50));
    end(world, win);
}
ON_NODES(sums, 4)

/* The old value comes with the flush. */
static int64_t fetch_now(struct proa_win *win, int rank, int64_t displacement, int64_t value)
{
    struct proa_there there = {rank, displacement, 1, basic_type(PROA_I64), PROA_CALL_Fetch_and_op};
    int64_t was = -1;

    CHECK_OK(proa_fetch_and_op(win, &value, &was, &there, PROA_OP_SUM));
    CHECK_OK(flushed(proa_win_flush(win, rank)));
    return was;
}

static int64_t swap_now(struct proa_win *win, int rank, int64_t compare, int64_t value)
{
    struct proa_there there = {rank, 0, 1, basic_type(PROA_I64), PROA_CALL_Compare_and_swap};
    int64_t was = -1;

    CHECK_OK(proa_compare_and_swap(win, &value, &compare, &was, &there));
    CHECK_OK(flushed(proa_win_flush_local(win, rank)));
    return was;
}

/* Each ticket is drawn once. */
static void tickets_body(struct world *world)
{
    enum { EACH = 100 };
    struct proa_win *win = begin(world, NULL);
    uint32_t *drawn = (uint32_t *)(void *)world->shared;

    CHECK_OK(proa_win_lock_all(win, 0));
    for (int i = 0; i < EACH; i++) {
        int64_t ticket = fetch_now(win, 1, 5, 1);

        CHECK(ticket >= 0 && ticket < EACH * world->size);
        CHECK_EQUAL(__atomic_fetch_add(&drawn[ticket], 1, __ATOMIC_SEQ_CST), 0);
    }
    CHECK_OK(proa_win_unlock_all(win));
    proa_barrier(win);
    if (world->rank == 1)
        CHECK_EQUAL(window_words(win)[5], EACH * world->size);
    end(world, win);
}
ON_NODES(tickets, 4)

/* A spin lock by compare_and_swap over a word that plain puts and gets change. */
static void swaps_body(struct world *world)
{
    enum { EACH = 25 };
    struct proa_win *win = begin(world, NULL);
    int64_t value;

    CHECK_OK(proa_win_lock_all(win, 0));
    for (int i = 0; i < EACH; i++) {
        while (swap_now(win, 0, 0, world->rank + 1) != 0)
            world_sleep_us(10);
        CHECK_OK(get_word(win, 0, 1, &value));
        CHECK_OK(flushed(proa_win_flush(win, 0)));
        CHECK_OK(put_word(win, 0, 1, value + 1));
        CHECK_OK(flushed(proa_win_flush(win, 0)));
        CHECK_EQUAL(swap_now(win, 0, world->rank + 1, 0), world->rank + 1);
    }
    CHECK_OK(proa_win_unlock_all(win));
    proa_barrier(win);
    if (world->rank == 0)
        CHECK_EQUAL(window_words(win)[1], EACH * world->size);
    end(world, win);
}
ON_NODES(swaps, 4)

/* Accumulates of one origin to one place are done in their order (MPI-4.1, 13.7.3). */
static void order_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int target = (world->rank + 1) % world->size;

    CHECK_OK(proa_win_lock(win, target, 0, 0));
    for (int64_t i = 1; i <= 600; i++)
        CHECK_OK(accumulate_many(win, target, 9, &i, 1, PROA_I64, PROA_OP_REPLACE));
    CHECK_OK(proa_win_unlock(win, target));
    proa_barrier(win);
    CHECK_EQUAL(window_words(win)[9], 600);
    end(world, win);
}
ON_NODES(order, 2)

/* ---- locks ---- */

/* What only an exclusive lock makes right: get, add, put. */
static void exclusive_body(struct world *world)
{
    enum { EACH = 40 };
    struct proa_win *win = begin(world, NULL);

    for (int i = 0; i < EACH; i++) {
        int64_t value;
        int target = i % 2;

        CHECK_OK(proa_win_lock(win, target, 1, 0));
        CHECK_OK(get_word(win, target, 1, &value));
        CHECK_OK(flushed(proa_win_flush(win, target)));
        CHECK_OK(put_word(win, target, 1, value + 1));
        CHECK_OK(proa_win_unlock(win, target));
    }
    proa_barrier(win);
    if (world->rank < 2)
        CHECK_EQUAL(window_words(win)[1], EACH / 2 * world->size);
    end(world, win);
}
ON_NODES(exclusive, 4)

/* Processes that take several locks in one order do not wait in a circle, near and far mixed. */
static void several_locks_body(struct world *world)
{
    enum { ROUNDS = 30 };
    struct proa_win *win = begin(world, NULL);

    for (int round = 0; round < ROUNDS; round++) {
        int64_t values[WORLD_MOST] = {0};

        for (int t = 0; t < win->size; t++)
            CHECK_OK(proa_win_lock(win, t, 1, 0));
        for (int t = 0; t < win->size; t++)
            CHECK_OK(get_word(win, t, 0, &values[t]));
        CHECK_OK(proa_win_flush_all(win));
        for (int t = 0; t < win->size; t++) {
            CHECK_EQUAL(values[t], values[0]);
            CHECK_OK(put_word(win, t, 0, values[t] + 1));
        }
        for (int i = 0; i < win->size; i++)
            CHECK_OK(proa_win_unlock(win, (i + round) % win->size));
    }
    proa_barrier(win);
    CHECK_EQUAL(window_words(win)[0], ROUNDS * world->size);
    end(world, win);
}
ON_NODES(several_locks, 4)

/* Writers change both words, under lock_all or a shared lock they are seen to agree. */
static void readers_body(struct world *world)
{
    enum { ROUNDS = 30 };
    struct proa_win *win = begin(world, NULL);
    int64_t pair[2];

    for (int i = 0; i < ROUNDS; i++) {
        if (world->rank == 1) {
            pair[0] = pair[1] = i;
            CHECK_OK(proa_win_lock(win, 0, 1, 0));
            CHECK_OK(put_many(win, 0, 0, &pair[0], 1, PROA_I64));
            CHECK_OK(flushed(proa_win_flush(win, 0)));
            CHECK_OK(put_many(win, 0, 4096, &pair[1], 1, PROA_I64));
            CHECK_OK(proa_win_unlock(win, 0));
            continue;
        }
        if (i % 2)
            CHECK_OK(proa_win_lock_all(win, 0));
        else
            CHECK_OK(proa_win_lock(win, 0, 0, 0));
        CHECK_OK(get_word(win, 0, 0, &pair[0]));
        CHECK_OK(flushed(proa_win_flush(win, 0)));
        CHECK_OK(get_word(win, 0, 4096, &pair[1]));
        CHECK_OK(flushed(proa_win_flush(win, 0)));
        CHECK_EQUAL(pair[0], pair[1]);
        if (i % 2)
            CHECK_OK(proa_win_unlock_all(win));
        else
            CHECK_OK(proa_win_unlock(win, 0));
    }
    end(world, win);
}
ON_NODES(readers, 4)

/* A long put, which the transport moves, waits for the lock as well. */
static void long_under_lock_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    uint32_t *step = (uint32_t *)(void *)world->shared;
    int64_t *values = calloc(WORDS, sizeof *values);

    if (world->rank == 1) {
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        __atomic_store_n(step, 1, __ATOMIC_RELEASE);
        world_sleep_us(20000);
        for (int i = 0; i < WORDS; i++)
            CHECK_EQUAL(window_words(win)[i], 0);
        CHECK_OK(proa_win_unlock(win, 1));
    } else {
        for (int i = 0; i < WORDS; i++)
            values[i] = i + 1;
        world_await(step, 1);
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        CHECK_OK(put_many(win, 1, 0, values, WORDS, PROA_I64));
        CHECK_OK(proa_win_unlock(win, 1));
    }
    proa_barrier(win);
    for (int i = 0; i < WORDS && world->rank == 1; i++)
        CHECK_EQUAL(window_words(win)[i], i + 1);
    free(values);
    end(world, win);
}
ON_NODES(long_under_lock, 2)

enum { LARGE = 3000 }; /* words, which the transport moves by itself */

static void fill(int64_t *values, int64_t value)
{
    for (int i = 0; i < LARGE; i++)
        values[i] = value;
}

static void check_filled(const int64_t *values, int64_t value)
{
    for (int i = 0; i < LARGE; i++)
        CHECK_EQUAL(values[i], value);
}

/* An unlock lets the next one in only when all that the transport moves is there. */
static void long_in_turn_body(struct world *world)
{
    enum { EACH = 15 };
    static int64_t values[LARGE];
    struct proa_win *win = begin(world, NULL);
    int target = !node_of(world->rank);

    for (int i = 0; i < EACH; i++) {
        CHECK_OK(proa_win_lock(win, target, 1, 0));
        CHECK_OK(get_many(win, target, 0, values, LARGE, PROA_I64));
        CHECK_OK(flushed(proa_win_flush(win, target)));
        check_filled(values, values[0]);
        fill(values, values[0] + 1);
        CHECK_OK(put_many(win, target, 0, values, LARGE, PROA_I64));
        CHECK_OK(proa_win_unlock(win, target));
    }
    CHECK_OK(proa_barrier(win));
    if (world->rank < NODES)
        check_filled(window_words(win), 2 * EACH);
    end(world, win);
}
ON_NODES(long_in_turn, 4)

/* ---- fence, and post, start, complete, wait ---- */

/* A complete comes after all that the transport has moved. */
static void long_epochs_body(struct world *world)
{
    static int64_t values[LARGE];
    struct proa_win *win = begin(world, NULL);
    int other = !world->rank;

    for (int round = 1; round <= 15; round++) {
        fill(values, round);
        if (world->rank == 0) {
            CHECK_OK(proa_win_start(win, &other, 1, 0));
            CHECK_OK(put_many(win, other, 0, values, LARGE, PROA_I64));
            CHECK_OK(proa_win_complete(win));
        } else {
            CHECK_OK(proa_win_post(win, &other, 1, 0));
            CHECK_OK(proa_win_wait(win));
            check_filled(window_words(win), round);
        }
    }
    end(world, win);
}
ON_NODES(long_epochs, 2)

static void fences_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int n = world->size;

    CHECK_OK(proa_win_fence(win, PROA_MODE_NOPRECEDE));
    for (int round = 1; round <= 40; round++) {
        int64_t got[WORLD_MOST];

        for (int t = 0; t < n; t++)
            CHECK_OK(put_word(win, t, world->rank, value_of(world->rank, (uint64_t)t, round)));
        CHECK_OK(proa_win_fence(win, 0));
        for (int t = 0; t < n; t++) {
            CHECK_EQUAL(window_words(win)[t], value_of(t, (uint64_t)world->rank, round));
            CHECK_OK(get_word(win, t, (world->rank + round) % n, &got[t]));
        }
        CHECK_OK(proa_win_fence(win, round % 3 ? 0 : PROA_MODE_NOSUCCEED));
        for (int t = 0; t < n; t++)
            CHECK_EQUAL(got[t], value_of((world->rank + round) % n, (uint64_t)t, round));
        if (round % 3 == 0)
            CHECK_OK(proa_win_fence(win, PROA_MODE_NOPRECEDE));
    }
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
    end(world, win);
}
ON_NODES(fences, 5)

/* Everybody to everybody else. */
static void epochs_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    int others[WORLD_MOST], count = 0, n = world->size;
    int64_t got[WORLD_MOST];

    for (int i = 0; i < n; i++)
        if (i != world->rank)
            others[count++] = i;
    for (int round = 1; round <= 40; round++) {
        window_words(win)[100] = value_of(world->rank, 0, round);
        CHECK_OK(proa_win_post(win, others, count, 0));
        CHECK_OK(proa_win_start(win, others, count, 0));
        for (int i = 0; i < count; i++) {
            CHECK_OK(put_word(win, others[i], world->rank, value_of(world->rank, 1, round)));
            CHECK_OK(get_word(win, others[i], 100, &got[i]));
        }
        CHECK_OK(proa_win_complete(win));
        CHECK_OK(proa_win_wait(win));
        for (int i = 0; i < count; i++) {
            CHECK_EQUAL(window_words(win)[others[i]], value_of(others[i], 1, round));
            CHECK_EQUAL(got[i], value_of(others[i], 0, round));
        }
    }
    end(world, win);
}
ON_NODES(epochs, 4)

/* ---- dynamic windows ---- */

static void attached_body(struct world *world)
{
    struct proa_win *win =
        begin(world, &(struct proa_create_args){.flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1});
    int64_t *memory = calloc(100, sizeof *memory), *all[WORLD_MOST], back = 0;
    int target = (world->rank + 1) % world->size;

    CHECK_OK(proa_regions_attach(win, memory, 100 * sizeof *memory));
    CHECK_OK(world->group.allgather(world->group.context, &memory, all, sizeof memory));
    CHECK_OK(proa_win_lock_all(win, 0));
    CHECK_OK(put_word(win, target, (int64_t)(uintptr_t)&all[target][7], 4711 + world->rank));
    CHECK_EQUAL(fetch_now(win, target, (int64_t)(uintptr_t)&all[target][9], 2), 0);
    CHECK_OK(flushed(proa_win_flush(win, target)));
    CHECK_OK(get_word(win, target, (int64_t)(uintptr_t)&all[target][7], &back));
    CHECK_OK(flushed(proa_win_flush(win, target)));
    CHECK_EQUAL(back, 4711 + world->rank);
    /* outside: the target knows, and says so when it is asked */
    CHECK_OK(put_word(win, target, (int64_t)(uintptr_t)&all[target][100], 1));
    CHECK_FAILS(proa_win_flush(win, target), PROA_ERR_RMA_RANGE);
    CHECK_OK(flushed(proa_win_flush(win, target)));
    CHECK_OK(put_word(win, target, (int64_t)(uintptr_t)&all[target][8], 1)); /* and only once */
    CHECK_OK(flushed(proa_win_flush(win, target)));
    CHECK_OK(proa_win_unlock_all(win));
    proa_barrier(win);
    CHECK_EQUAL(memory[9], 2);
    CHECK_OK(proa_regions_detach(win, memory));
    end(world, win);
    free(memory);
}
ON_NODES(attached, 2)

/* The call that ends an epoch reports such an operation, and ends the epoch for the targets too. */
static void outside_body(struct world *world)
{
    struct proa_win *win =
        begin(world, &(struct proa_create_args){.flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1});
    const int near = 2, far = 1, origin = 0, targets[] = {near, far};
    int fails = world->rank == origin ? PROA_ERR_RMA_RANGE : PROA_OK;

    for (int round = 0; round < 2; round++) {
        CHECK_OK(proa_win_fence(win, 0));
        if (world->rank == origin)
            CHECK_OK(put_word(win, far, 64, 1));
        CHECK_EQUAL(proa_win_fence(win, PROA_MODE_NOSUCCEED), fails);
        if (world->rank == origin) {
            CHECK_OK(proa_win_start(win, targets, 2, 0));
            CHECK_OK(put_word(win, far, 64, 1));
            CHECK_FAILS(proa_win_complete(win), PROA_ERR_RMA_RANGE);
        } else {
            CHECK_OK(proa_win_post(win, &origin, 1, 0));
            CHECK_OK(proa_win_wait(win));
        }
    }
    end(world, win);
}
WORLD_TEST(outside, 3, .before = on_nodes, .limit_s = 20)

/* ---- a network that fails ---- */

/* An operation that the network could not move is reported once, by its completing call; the
 * window goes on. */
static void failing_body(struct world *world)
{
    static const struct net_fake_rules fails = {.fail_of_100 = 100}, works = {.seed = 1};
    struct proa_win *win = begin(world, NULL);
    int64_t *values = calloc(WORDS, sizeof *values);

    if (world->rank == 0) {
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        CHECK_OK(put_word(win, 1, 0, 1));
        CHECK_OK(flushed(proa_win_flush(win, 1)));
        net_fake_set_rules(&fails);
        CHECK_OK(put_many(win, 1, 0, values, WORDS, PROA_I64));
        CHECK_FAILS(proa_win_flush(win, 1), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "target rank 1"));
        net_fake_set_rules(&works);
        CHECK_OK(flushed(proa_win_flush(win, 1)));
        CHECK_OK(put_many(win, 1, 0, values, WORDS, PROA_I64));
        CHECK_OK(proa_win_unlock(win, 1));
    }
    free(values);
    end(world, win);
}
WORLD_TEST(failing, 2, .before = on_nodes, .limit_s = 20)

/* ---- many windows, and none ---- */

static void no_network_body(struct world *world)
{
    const struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 64, .disp_unit = 8};
    struct proa_win *win;

    proa_remote_start(NULL);
    CHECK_EQUAL(proa_win_create(&args, &world->group, &win), PROA_ELSEWHERE);
    CHECK(strstr(proa_failure(), "network"));
}
WORLD_TEST(no_network, 3, .before = on_nodes)

static void windows_come_and_go_body(struct world *world)
{
    struct proa_win *first = begin(world, NULL);
    long files = world_open_files();

    for (int i = 0; i < 30; i++) {
        struct proa_win *win = window_of_words(world, 8);

        CHECK_OK(proa_win_fence(win, 0));
        CHECK_OK(put_word(win, (world->rank + 1) % world->size, 3, i));
        CHECK_OK(put_word(first, world->rank, 3, i) == PROA_ERR_RMA_SYNC ? PROA_OK
                                                                         : PROA_ERR_OTHER);
        CHECK_OK(proa_win_fence(win, 0));
        CHECK_EQUAL(window_words(win)[3], i);
        window_free(win);
    }
    CHECK_EQUAL(world_open_files(), files);
    end(world, first);
}
ON_NODES(windows_come_and_go, 3)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reaches),         cmocka_unit_test(strangers),
        cmocka_unit_test(roster),          cmocka_unit_test(puts_and_gets),
        cmocka_unit_test(vectors),         cmocka_unit_test(sums),
        cmocka_unit_test(tickets),         cmocka_unit_test(swaps),
        cmocka_unit_test(order),           cmocka_unit_test(exclusive),
        cmocka_unit_test(several_locks),   cmocka_unit_test(readers),
        cmocka_unit_test(long_under_lock), cmocka_unit_test(long_in_turn),
        cmocka_unit_test(long_epochs),     cmocka_unit_test(fences),
        cmocka_unit_test(epochs),          cmocka_unit_test(attached),
        cmocka_unit_test(outside),         cmocka_unit_test(failing),
        cmocka_unit_test(no_network),      cmocka_unit_test(windows_come_and_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
