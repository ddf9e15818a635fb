/* SPDX-License-Identifier: BSD-3-Clause */
/* Notification counters and notified operations (sync/counters.h, remote/notice.h), on one node
 * and, as `..._apart`, over two nodes by the pretended network at its best and at its worst. */
#include "nodes.h"

#include "remote/request.h"
#include "remote/window.h"
#include "rma/regions.h"
#include "shm/ctl.h"
#include "shm/peer.h"
#include "sync/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Each body on one node, and on two. */
#define HERE_AND_APART(name, n)                        \
    WORLD_TEST(name, n)                                \
    static world_body name##_apart_body;               \
    static void name##_apart_body(struct world *world) \
    {                                                  \
        name##_body(world);                            \
    }                                                  \
    ON_NODES(name##_apart, n)

enum { ANY_NUMBER = INT32_MAX };

static struct proa_win *window(struct world *world)
{
    return getenv("PROA_NODE_ID") ? begin(world, NULL) : window_of_words(world, WORDS);
}

static void done(struct world *world, struct proa_win *win)
{
    if (getenv("PROA_NODE_ID"))
        end(world, win);
    else
        window_free(win);
}

/* As bind does it. */
static int notified_put(struct proa_win *win, int rank, int64_t displacement, const int64_t *values,
                        uint64_t count, int64_t index)
{
    int error = proa_notified_begin(win, rank, index);

    if (error)
        return error;
    error = put_many(win, rank, displacement, values, count, PROA_I64);
    return proa_notified_end(win, rank, (uint32_t)index, !error) + error;
}

static int notified_get(struct proa_win *win, int rank, int64_t displacement, int64_t *values,
                        uint64_t count, int64_t index)
{
    int error = proa_notified_begin(win, rank, index);

    if (error)
        return error;
    error = get_many(win, rank, displacement, values, count, PROA_I64);
    return proa_notified_end(win, rank, (uint32_t)index, !error) + error;
}

static uint32_t number_of(struct proa_win *win, int rank)
{
    uint32_t number = 77;

    CHECK_OK(proa_counters_number(win, rank, &number));
    return number;
}

/* ---- the number ---- */

static void numbers_body(struct world *world)
{
    struct proa_win *win = window(world);

    for (int i = 0; i < win->size; i++)
        CHECK_EQUAL(number_of(win, i), 0);
    world_barrier(world);
    for (int round = 1; round < 4; round++) {
        CHECK_OK(proa_counters_set(win, round * win->rank, ANY_NUMBER));
        for (int i = 0; i < win->size; i++)
            CHECK_EQUAL(number_of(win, i), round * i);
        world_barrier(world);
    }
    CHECK_OK(proa_counters_set(win, win->rank == 1 ? 100000 : 0, ANY_NUMBER));
    CHECK_EQUAL(number_of(win, 1), 100000);
    CHECK_EQUAL(number_of(win, 0), 0);
    if (win->rank == 1)
        CHECK_EQUAL(proa_counter_value(win, 99999), 0);
    world_barrier(world);
    CHECK_OK(proa_counters_set(win, 0, 0));
    CHECK_EQUAL(number_of(win, 1), 0);
    done(world, win);
}
HERE_AND_APART(numbers, 4)

/* One process is wrong: all hear the same class, and all counters stay as they were. */
static void refused_body(struct world *world)
{
    struct proa_win *win = window(world);
    int64_t one = 1;

    CHECK_OK(proa_counters_set(win, 2, ANY_NUMBER));
    CHECK_OK(proa_win_lock_all(win, 0));
    CHECK_OK(notified_put(win, (win->rank + 1) % win->size, win->rank, &one, 1, 1));
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    for (int wrong = 0; wrong < win->size; wrong++) {
        int is_me = wrong == win->rank;

        CHECK_FAILS(proa_counters_set(win, is_me ? -1 : 5, ANY_NUMBER), PROA_ERR_ARG);
        CHECK(strstr(proa_failure(), "negative"));
        CHECK_FAILS(proa_counters_set(win, 5, is_me ? 4 : ANY_NUMBER), PROA_ERR_ARG);
        if (is_me)
            CHECK_OK(proa_win_lock(win, win->rank, 0, 0));
        CHECK_FAILS(proa_counters_set(win, 5, ANY_NUMBER), PROA_ERR_RMA_SYNC);
        CHECK(strstr(proa_failure(), "access epoch"));
        /* of two reasons all take the same */
        CHECK_FAILS(
            proa_counters_set(win, wrong == (win->rank + 1) % win->size ? -1 : 5, ANY_NUMBER),
            PROA_ERR_ARG);
        if (is_me)
            CHECK_OK(proa_win_unlock(win, win->rank));
        CHECK_FAILS(proa_counters_set(win, is_me ? ANY_NUMBER : 5, ANY_NUMBER), PROA_ERR_NO_MEM);
        CHECK_EQUAL(number_of(win, wrong), 2);
        CHECK_EQUAL(proa_counter_value(win, 1), 1);
        world_barrier(world);
    }
    /* all are zero, in memory that counters have been in as well */
    for (int round = 0; round < 3; round++) {
        CHECK_OK(proa_counters_set(win, 2, ANY_NUMBER));
        CHECK_EQUAL(proa_counter_value(win, 1), 0);
        CHECK_OK(proa_win_lock(win, win->rank, 0, 0));
        CHECK_OK(notified_put(win, win->rank, 0, &one, 1, 1));
        CHECK_OK(proa_win_unlock(win, win->rank));
    }
    done(world, win);
}
HERE_AND_APART(refused, 4)

/* An index that a target does not have: no byte moves, and nothing is counted. */
static void outside_body(struct world *world)
{
    struct proa_win *win = window(world);
    int next = (win->rank + 1) % win->size;
    int64_t value = 5;

    CHECK_OK(proa_win_lock_all(win, 0));
    CHECK_FAILS(notified_put(win, next, 0, &value, 1, 0), PROA_ERR_RMA_NOTIFICATION);
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    CHECK_OK(proa_counters_set(win, 1 + win->rank, ANY_NUMBER));
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int64_t index = -1; index <= 1 + next; index += 2 + next) {
        CHECK_FAILS(notified_put(win, next, 0, &value, 1, index), PROA_ERR_RMA_NOTIFICATION);
        CHECK(strstr(proa_failure(), index < 0 ? "negative" : "none of index"));
    }
    CHECK_FAILS(notified_put(win, next, 0, &value, 1, 1ll << 32), PROA_ERR_RMA_NOTIFICATION);
    CHECK_OK(flushed(proa_win_flush(win, next)));
    world_barrier(world);
    CHECK_EQUAL(window_words(win)[0], 0);
    for (int i = 0; i <= win->rank; i++)
        CHECK_EQUAL(proa_counter_value(win, (uint32_t)i), 0);
    CHECK_OK(proa_win_unlock_all(win));
    done(world, win);
}
HERE_AND_APART(outside, 3)

/* ---- what a counter says ---- */

/* The payload of every size is there as soon as its counter is seen. Sizes: one word; a message;
 * more than one; bytes that the network puts by itself. */
static const uint64_t sizes[] = {1, 100, 1500, 1100, 5000, WORDS / 2};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void payload_body(struct world *world)
{
    struct proa_win *win = window(world);
    int64_t *values = malloc(WORDS * sizeof *values), *mine = window_words(win);
    int next = (win->rank + 1) % win->size;

    CHECK_OK(proa_counters_set(win, 3, ANY_NUMBER));
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int64_t round = 1; round <= world_rounds(24); round++) {
        const uint64_t count = sizes[round % SIZES];

        for (uint64_t i = 0; i < count; i++)
            values[i] = round * 1000000 + (int64_t)i;
        CHECK_OK(notified_put(win, next, (int64_t)(round % 2) * (WORDS / 2), values, count, 2));
        CHECK_OK(proa_counter_await(win, 2, (uint64_t)round));
        for (uint64_t i = 0; i < count; i++)
            CHECK_EQUAL(mine[(uint64_t)(round % 2) * (WORDS / 2) + i],
                        round * 1000000 + (int64_t)i);
        CHECK_OK(flushed(proa_win_flush_local(win, next)));
        /* the slot after the next may be written once our neighbour has seen this one */
        world_barrier(world);
    }
    CHECK_OK(proa_win_unlock_all(win));
    CHECK_EQUAL(proa_counter_value(win, 0) + proa_counter_value(win, 1), 0);
    free(values);
    done(world, win);
}
HERE_AND_APART(payload, 2)

/* Two that answer each other by notified puts of up to 15 KiB send nothing else. */
static void dialogue_apart_body(struct world *world)
{
    struct proa_win *win = window(world);
    int64_t *values = calloc(WORDS, sizeof *values);
    struct net_fake_counts before = {0};

    CHECK_OK(proa_counters_set(win, 1, ANY_NUMBER));
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int64_t round = 0; round <= 8; round++) {
        if (round == 1) /* each has learned the other's number */
            before = net_fake_counts();
        if (win->rank == 1)
            CHECK_OK(proa_counter_await(win, 0, (uint64_t)round + 1));
        CHECK_OK(notified_put(win, !win->rank, 0, values, round % 2 ? 1 : (15 << 10) / 8, 0));
        if (win->rank == 0)
            CHECK_OK(proa_counter_await(win, 0, (uint64_t)round + 1));
    }
    CHECK_EQUAL(net_fake_counts().sent - before.sent, 8);
    CHECK_EQUAL(net_fake_counts().puts - before.puts, 0);
    world_barrier(world);
    CHECK_OK(proa_win_unlock_all(win));
    free(values);
    done(world, win);
}
WORLD_TEST(dialogue_apart, 2, .before = on_nodes)

/* A notified get tells the target that its memory has been read. */
static void reads_body(struct world *world)
{
    struct proa_win *win = window(world);
    int64_t *values = malloc(WORDS * sizeof *values), *mine = window_words(win);
    int next = (win->rank + 1) % win->size;

    CHECK_OK(proa_counters_set(win, 1, ANY_NUMBER));
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int64_t round = 1; round <= world_rounds(12); round++) {
        const uint64_t count = sizes[round % SIZES];

        for (uint64_t i = 0; i < count; i++)
            mine[i] = round + (int64_t)i;
        proa_win_sync(win);
        world_barrier(world);
        CHECK_OK(notified_get(win, next, 0, values, count, 0));
        CHECK_OK(proa_counter_await(win, 0, (uint64_t)round));
        memset(mine, 0, count * sizeof *mine); /* ours again */
        CHECK_OK(flushed(proa_win_flush(win, next)));
        for (uint64_t i = 0; i < count; i++)
            CHECK_EQUAL(values[i], round + (int64_t)i);
        world_barrier(world);
    }
    CHECK_OK(proa_win_unlock_all(win));
    free(values);
    done(world, win);
}
HERE_AND_APART(reads, 2)

/* No order to count is left behind a flush. */
static void check_complete(const struct proa_win *win, int rank)
{
    const struct proa_remote *r = proa_remote_of(win, rank);

    if (!r)
        return;
    CHECK(!r->flight.issues);
    CHECK_EQUAL(r->batch.used, 0);
    CHECK_EQUAL(r->flight.answered, r->flight.sent);
}

/* A flush includes the counter, of every size, and so does the end of an epoch. */
static void flushed_too_body(struct world *world)
{
    struct proa_win *win = window(world);
    int64_t *values = calloc(WORDS, sizeof *values);
    int next = (win->rank + 1) % win->size;
    uint64_t expected = 0;

    CHECK_OK(proa_counters_set(win, 1, ANY_NUMBER));
    for (int round = 0; round < world_rounds(16); round++) {
        const uint64_t count = sizes[round % SIZES];

        CHECK_OK(round % 4 < 2 ? proa_win_lock_all(win, 0) : proa_win_lock(win, next, 0, 0));
        CHECK_OK(notified_put(win, next, 0, values, 0, 0)); /* nothing but a notification */
        CHECK_OK(notified_put(win, next, 0, values, count, 0));
        expected += 2;
        if (round % 2) {
            CHECK_OK(flushed(proa_win_flush(win, next)));
            check_complete(win, next);
            world_barrier(world);
            CHECK_EQUAL(proa_counter_value(win, 0), expected);
            world_barrier(world);
        }
        CHECK_OK(round % 4 < 2 ? proa_win_unlock_all(win) : proa_win_unlock(win, next));
        world_barrier(world);
        CHECK_EQUAL(proa_counter_value(win, 0), expected);
        world_barrier(world);
    }
    free(values);
    done(world, win);
}
HERE_AND_APART(flushed_too, 3)

/* Check mode issues operations on a window of its own before a notified operation ends. They are no
 * part of it, nor of its request. */
static void another_window_body(struct world *world)
{
    enum { NOTIFIED = 1, REQUESTED = 2 };
    struct proa_win *win = window(world), *other = window_of_words(world, WORDS);
    int64_t *values = calloc(WORDS, sizeof *values);
    const int next = !win->rank;
    struct proa_request request;

    CHECK_OK(proa_counters_set(win, 1, ANY_NUMBER));
    CHECK_OK(proa_win_lock_all(win, 0));
    CHECK_OK(proa_win_lock_all(other, 0));
    for (int how = NOTIFIED; how <= (NOTIFIED | REQUESTED); how++) {
        if (how & NOTIFIED)
            CHECK_OK(proa_notified_begin(win, next, 0));
        if (how & REQUESTED)
            proa_request_begin(&request, win);
        CHECK_OK(put_many(win, next, 0, values, WORDS / 2, PROA_I64));
        CHECK_OK(put_many(other, next, 0, values, WORDS / 2, PROA_I64));
        CHECK_OK(flushed(proa_win_flush(other, next)));
        CHECK_EQUAL(proa_remote_of(other, next)->flight.moves, 0);
        if (how & NOTIFIED)
            CHECK_OK(proa_notified_end(win, next, 0, 1));
        if (how & REQUESTED && !proa_request_is_issued(&request))
            proa_request_await(&request);
        CHECK_OK(flushed(proa_win_flush(win, next)));
        CHECK_EQUAL(proa_remote_of(win, next)->flight.moves, 0);
        world_barrier(world);
        CHECK_EQUAL(proa_counter_value(win, 0), how == (NOTIFIED | REQUESTED) ? 2 : 1);
    }
    CHECK_OK(proa_win_unlock_all(other));
    CHECK_OK(proa_win_unlock_all(win));
    free(values);
    window_free(other);
    done(world, win);
}
ON_NODES(another_window, 2)

/* The same over a network that mostly has no room: an order to count then waits in the queue. */
static void flushed_late(void **state)
{
    static const struct net_fake_rules stingy = {.seed = 3, .delay_most = 3, .again_of_100 = 90};

    (void)state;
    world_run(&(struct world_plan){
        .size = 3, .body = flushed_too_body, .before = on_nodes, .arg = &stingy});
}

/* ---- many ---- */

/* Not one is lost or doubled, with resets in between. */
static void torture_body(struct world *world)
{
    struct proa_win *win = window(world);
    const int64_t each = world_rounds(1000);
    uint64_t sum = 0, all = (uint64_t)(win->size - 1) * (uint64_t)each;
    int64_t value = 1;

    CHECK_OK(proa_counters_set(win, win->rank == 0 ? 2 : 0, ANY_NUMBER));
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int64_t i = 0; i < each && win->rank != 0; i++)
        CHECK_OK(notified_put(win, 0, win->rank, &value, 1, 1));
    if (win->rank != 0)
        CHECK_OK(flushed(proa_win_flush(win, 0)));
    /* without a pause first, so that resets meet counts */
    for (long i = 0; i < 250000 && win->rank == 0 && sum < all; i++)
        sum += proa_counter_reset(win, 1);
    while (win->rank == 0 && sum < all) {
        CHECK_OK(proa_counter_await(win, 1, 1));
        sum += proa_counter_reset(win, 1);
    }
    world_barrier(world);
    if (win->rank == 0) {
        CHECK_EQUAL(sum + proa_counter_value(win, 1), all);
        CHECK_EQUAL(proa_counter_value(win, 0), 0);
    }
    CHECK_OK(proa_win_unlock_all(win));
    done(world, win);
}
HERE_AND_APART(torture, 4)

/* The number grows while another window works. */
static void growth_body(struct world *world)
{
    struct proa_win *win = window(world), *other = window_of_words(world, 16);
    int64_t value = 3;

    CHECK_OK(proa_counters_set(other, 1, ANY_NUMBER));
    CHECK_OK(proa_win_lock_all(other, 0));
    for (int round = 0; round < 12; round++) {
        CHECK_OK(notified_put(other, (win->rank + 1) % win->size, 0, &value, 1, 0));
        CHECK_OK(proa_counters_set(win, 1 << round, ANY_NUMBER));
        CHECK_OK(proa_win_lock_all(win, 0));
        CHECK_OK(notified_put(win, (win->rank + 1) % win->size, 0, &value, 1, (1 << round) - 1));
        CHECK_OK(proa_counter_await(win, (1u << round) - 1, 1));
        CHECK_OK(proa_win_unlock_all(win));
    }
    CHECK_OK(proa_counter_await(other, 0, 12));
    CHECK_OK(proa_win_unlock_all(other));
    window_free(other);
    done(world, win);
}
HERE_AND_APART(growth, 3)

/* Memory of a number of counters is given back with the next one. */
static void renewed_body(struct world *world)
{
    struct proa_win *win = window(world);
    uint64_t before;

    CHECK_OK(proa_counters_set(win, 100, ANY_NUMBER));
    before = proa_self->ctl->granted;
    for (int round = 0; round < 1000; round++)
        CHECK_OK(proa_counters_set(win, 100, ANY_NUMBER));
    CHECK_FAILS(proa_counters_set(win, 100, 99), PROA_ERR_ARG);
    CHECK_EQUAL(proa_self->ctl->granted, before);
    CHECK_OK(proa_counters_set(win, 0, ANY_NUMBER));
    done(world, win);
}
HERE_AND_APART(renewed, 2)

/* ---- state left by the operation before ---- */

/* Plain operations behind a notified one, on two other nodes: each completes at its own target. */
static void plain_after_apart_body(struct world *world)
{
    struct proa_win *win = window(world);
    int64_t *values = calloc(WORDS, sizeof *values);

    CHECK_OK(proa_counters_set(win, 1, ANY_NUMBER));
    if (win->rank == 0) {
        CHECK_OK(proa_win_lock_all(win, 0));
        CHECK_OK(notified_put(win, 1, 0, values, WORDS / 2, 0));
        for (int target = 1; target < win->size; target += 2)
            CHECK_OK(put_many(win, target, 0, values, WORDS / 2, PROA_I64));
        CHECK_OK(flushed(proa_win_flush(win, 3)));
        CHECK_EQUAL(proa_remote_of(win, 3)->flight.moves, 0);
        check_complete(win, 3);
        CHECK_OK(proa_win_unlock_all(win));
    }
    world_barrier(world);
    CHECK_EQUAL(proa_counter_value(win, 0), win->rank == 1);
    free(values);
    done(world, win);
}
ON_NODES(plain_after_apart, 4)

/* Bytes that the network could not move are not notified; those of the next operation are. */
static void lost_part_apart_body(struct world *world)
{
    static const struct net_fake_rules fails = {.fail_of_100 = 100}, works = {.seed = 1};
    struct proa_win *win = window(world);
    int64_t *values = calloc(WORDS, sizeof *values);

    CHECK_OK(proa_counters_set(win, 1, ANY_NUMBER));
    if (win->rank == 0) {
        CHECK_OK(proa_win_lock(win, 1, 0, 0));
        CHECK_OK(notified_put(win, 1, 0, values, 1, 0));
        CHECK_OK(flushed(proa_win_flush(win, 1)));
        net_fake_set_rules(&fails);
        CHECK_OK(notified_put(win, 1, 0, values, WORDS, 0));
        CHECK_FAILS(proa_win_flush(win, 1), PROA_ERR_OTHER);
        net_fake_set_rules(&works);
    }
    world_barrier(world);
    CHECK_EQUAL(proa_counter_value(win, 0), win->rank == 1);
    world_barrier(world);
    if (win->rank == 0) {
        CHECK_OK(notified_put(win, 1, 0, values, WORDS, 0));
        CHECK_OK(proa_win_unlock(win, 1));
    }
    world_barrier(world);
    CHECK_EQUAL(proa_counter_value(win, 0), 2 * (win->rank == 1));
    free(values);
    done(world, win);
}
WORLD_TEST(lost_part_apart, 2, .before = on_nodes, .limit_s = 20)

/* An operation that its target refuses is not notified; the next one is, of the same origin. */
static void refused_there_apart_body(struct world *world)
{
    static const struct proa_create_args dynamic = {.flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1};
    struct proa_win *win = begin(world, &dynamic);
    static int64_t memory[2], value = 7;
    const int64_t at = (int64_t)(intptr_t)memory; /* the same in all processes of the world */

    CHECK_OK(proa_regions_attach(win, memory, sizeof memory));
    CHECK_OK(proa_counters_set(win, 1, ANY_NUMBER));
    world_barrier(world);
    if (win->rank == 0) {
        CHECK_OK(proa_win_lock(win, 1, 0, 0));
        CHECK_OK(notified_put(win, 1, at + (int64_t)sizeof memory, &value, 1, 0));
        CHECK(proa_win_flush(win, 1) < 0);
    }
    world_barrier(world);
    CHECK_EQUAL(proa_counter_value(win, 0), 0);
    world_barrier(world);
    if (win->rank == 0) {
        CHECK_OK(notified_put(win, 1, at, &value, 1, 0));
        CHECK_OK(proa_win_unlock(win, 1));
    }
    world_barrier(world);
    CHECK_EQUAL(proa_counter_value(win, 0), win->rank == 1);
    CHECK_EQUAL(memory[0], win->rank == 1 ? value : 0);
    end(world, win);
}
WORLD_TEST(refused_there_apart, 2, .before = on_nodes, .limit_s = 20)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),         cmocka_unit_test(numbers_apart),
        cmocka_unit_test(refused),         cmocka_unit_test(refused_apart),
        cmocka_unit_test(outside),         cmocka_unit_test(outside_apart),
        cmocka_unit_test(payload),         cmocka_unit_test(payload_apart),
        cmocka_unit_test(reads),           cmocka_unit_test(reads_apart),
        cmocka_unit_test(flushed_too),     cmocka_unit_test(flushed_too_apart),
        cmocka_unit_test(flushed_late),    cmocka_unit_test(torture),
        cmocka_unit_test(torture_apart),   cmocka_unit_test(growth),
        cmocka_unit_test(growth_apart),    cmocka_unit_test(dialogue_apart),
        cmocka_unit_test(another_window),  cmocka_unit_test(renewed),
        cmocka_unit_test(renewed_apart),   cmocka_unit_test(plain_after_apart),
        cmocka_unit_test(lost_part_apart), cmocka_unit_test(refused_there_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
