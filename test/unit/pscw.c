/* SPDX-License-Identifier: BSD-3-Clause */
/* Post, start, complete, wait, test (sync/pscw.c): matching across large counts, origins that run
 * ahead, random graphs, many origins. */
#include "move.h"

#include "base/fail.h"
#include "sync/notify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t *steps_of(struct world *world)
{
    return (uint32_t *)(void *)world->shared;
}

/* As if `epochs` epochs of each kind had gone by between all pairs. */
static void preset(struct world *world, struct proa_win *win, uint64_t epochs)
{
    for (int i = 0; i < win->size; i++) {
        win->pairs[i] = (struct proa_pair){epochs, epochs, epochs, epochs};
        __atomic_store_n(&win->ctl->from[i].posted, 2 * epochs, __ATOMIC_SEQ_CST);
        __atomic_store_n(&win->ctl->from[i].completed, epochs, __ATOMIC_SEQ_CST);
    }
    world_barrier(world);
}

static void wait_or_test(struct proa_win *win, int test)
{
    int flag = 0;

    if (!test) {
        CHECK_OK(proa_win_wait(win));
        return;
    }
    while (!flag) {
        CHECK(win->exposed);
        CHECK_OK(proa_win_test(win, &flag));
    }
    CHECK(!win->exposed);
}

/* ---- pairs: everyone posts to the left and starts to the right ---- */

/* One epoch: the origin's value must be there after the wait, and not before the post. */
static void ring_epoch(struct world *world, struct proa_win *win, int64_t value, int mode)
{
    int n = world->size, left = (world->rank + n - 1) % n, right = (world->rank + 1) % n;
    int64_t before = -1;

    window_words(win)[0] = -value;
    CHECK_OK(proa_win_post(win, &left, 1, mode));
    if (mode & PROA_MODE_NOCHECK)
        world_barrier(world); /* the user's promise: posted before started */
    CHECK_OK(proa_win_start(win, &right, 1, mode));
    CHECK_OK(get_word(win, right, 0, &before));
    CHECK_EQUAL(before, -value); /* the target's post came first, and no earlier epoch's */
    CHECK_OK(put_word(win, right, 0, value + world->rank));
    CHECK_EQUAL(fetch_op(win, right, 1, 1, PROA_OP_SUM), value); /* we are the only origin */
    CHECK_OK(proa_win_complete(win));
    wait_or_test(win, (int)(value % 3 == 0));
    CHECK_EQUAL(window_words(win)[0], value + left);
    CHECK_EQUAL(window_words(win)[1], value + 1);
}

static void ring(struct world *world, uint64_t first_epoch, long epochs)
{
    struct proa_win *win = window_of_words(world, 2);

    preset(world, win, first_epoch);
    for (int64_t value = 0; value < epochs; value++)
        ring_epoch(world, win, value, value % 5 == 4 ? PROA_MODE_NOCHECK : 0);
    window_free(win);
}

static void ring_body(struct world *world)
{
    ring(world, 0, world_rounds(500));
    ring(world, (UINT64_C(1) << 32) - 10, 20); /* epochs pass 2^32 */
    ring(world, (UINT64_C(1) << 31) - 10, 20); /* twice the epochs pass 2^32 */
    /* twice the epochs become negative, were they signed */
    ring(world, (UINT64_C(1) << 62) - 10, 20);
}

static void rings(void **state)
{
    (void)state;
    for (int size = 1; size <= 5; size++)
        world_run(&(struct world_plan){.size = size, .body = ring_body});
}

/* ---- running ahead ---- */

enum { AHEAD = 40 };

/* Rank 0 starts and completes many times, without an operation, before rank 1 has posted at all;
 * its operations, in some epochs, belong to the post of the same number. */
static void ahead_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    int other = 1 - world->rank;
    int64_t seen;

    preset(world, win, (UINT64_C(1) << 32) - AHEAD / 2);
    if (world->rank == 0) {
        for (int64_t epoch = 0; epoch < AHEAD; epoch++) {
            CHECK_OK(proa_win_start(win, &other, 1, 0));
            if (epoch == AHEAD / 2)
                __atomic_store_n(steps_of(world), 1,
                                 __ATOMIC_SEQ_CST); /* only now rank 1 begins to post */
            if (epoch >= AHEAD / 2 && epoch % 3 == 0) {
                CHECK_OK(get_word(win, other, 0, &seen));
                CHECK_EQUAL(seen, epoch);
                CHECK_OK(put_word(win, other, 0, 1000 + epoch));
            }
            CHECK_OK(proa_win_complete(win));
        }
    } else {
        world_await(steps_of(world), 1);
        for (int64_t epoch = 0; epoch < AHEAD; epoch++) {
            window_words(win)[0] = epoch;
            CHECK_OK(proa_win_post(win, &other, 1, 0));
            wait_or_test(win, (int)(epoch % 2));
            CHECK_EQUAL(window_words(win)[0],
                        epoch >= AHEAD / 2 && epoch % 3 == 0 ? 1000 + epoch : epoch);
        }
    }
    window_free(win);
}

WORLD_TEST(ahead, 2)

/* A target that posts long before the start, and an origin that completes long before the wait:
 * neither waits. */
static void local_calls_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    int other = 1 - world->rank, flag = 1;

    if (world->rank == 0) {
        CHECK_OK(proa_win_start(win, &other, 1, 0)); /* rank 1 posts only when this is behind us */
        CHECK_OK(proa_win_complete(win));
        __atomic_store_n(&steps_of(world)[0], 1, __ATOMIC_SEQ_CST);
        world_await(&steps_of(world)[1], 1);
        CHECK_OK(proa_win_start(win, &other, 1, 0));
        CHECK_OK(put_word(win, other, 0, 5));
        CHECK_OK(proa_win_complete(win));
    } else {
        world_await(&steps_of(world)[0], 1);
        CHECK_OK(proa_win_post(win, &other, 1, 0));
        CHECK_OK(proa_win_test(win, &flag));
        CHECK_EQUAL(flag, 1); /* complete came before the post */
        CHECK_OK(proa_win_post(win, &other, 1, 0));
        CHECK_OK(proa_win_test(win, &flag));
        CHECK_EQUAL(flag, 0);
        CHECK(win->exposed);
        __atomic_store_n(&steps_of(world)[1], 1, __ATOMIC_SEQ_CST);
        wait_or_test(win, 1);
        CHECK_EQUAL(window_words(win)[0], 5);
    }
    window_free(win);
}

WORLD_TEST(local_calls, 2)

/* ---- groups ---- */

static void empty_groups_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);

    for (int i = 0; i < 10; i++) {
        CHECK_OK(proa_win_post(win, NULL, 0, 0));
        CHECK_OK(proa_win_start(win, NULL, 0, 0));
        CHECK_FAILS(put_word(win, 0, 0, 1), PROA_ERR_RMA_SYNC);
        CHECK_OK(proa_win_complete(win));
        wait_or_test(win, i % 2);
    }
    window_free(win);
}

WORLD_TEST(empty_groups, 2)

/* A random directed graph for each round, the same in all processes: an edge is an origin and a
 * target. */
static void graph_body(struct world *world)
{
    int n = world->size, me = world->rank;
    struct proa_win *win = window_of_words(world, (uint64_t)n + 1);
    int64_t *words = window_words(win);
    uint64_t seed = (uint64_t)n;

    preset(world, win, (UINT64_C(1) << 32) - 50);
    for (long round = 0; round < world_rounds(300); round++) {
        int origins[WORLD_MOST], targets[WORLD_MOST], origin_count = 0, target_count = 0,
                                                      test = (int)world_below(&seed, 2);
        uint64_t density = 1 + world_below(&seed, 100);
        for (int from = 0; from < n; from++)
            for (int to = 0; to < n; to++) {
                if (world_below(&seed, 100) >= density)
                    continue;
                if (to == me)
                    origins[origin_count++] = from;
                if (from == me)
                    targets[target_count++] = to;
            }
        memset(words, 0, 8 * ((size_t)n + 1));
        CHECK_OK(proa_win_post(win, origins, origin_count, 0));
        CHECK_OK(proa_win_start(win, targets, target_count, 0));
        for (int i = 0; i < target_count; i++) {
            CHECK_OK(put_word(win, targets[i], me, round + 1));
            fetch_op(win, targets[i], n, me + 1, PROA_OP_SUM); /* all origins on one word */
        }
        CHECK_OK(proa_win_complete(win));
        wait_or_test(win, test);
        int64_t sum = 0;
        for (int i = 0; i < origin_count; i++) {
            CHECK_EQUAL(words[origins[i]], round + 1);
            words[origins[i]] = 0;
            sum += origins[i] + 1;
        }
        CHECK_EQUAL(words[n], sum);
        for (int i = 0; i < n; i++)
            CHECK_EQUAL(words[i], 0);
    }
    window_free(win);
}

static void graphs(void **state)
{
    (void)state;
    for (int size = 1; size <= 7; size += 2)
        world_run(&(struct world_plan){.size = size, .body = graph_body});
}

/* Only part of the started targets see an operation; those without one wait for the post
 * nowhere. */
static void some_untouched_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    int both[] = {1, 2}, origin = 0;

    if (world->rank == 0) {
        CHECK_OK(proa_win_start(win, both, 2, 0));
        CHECK_OK(put_word(win, 1, 0, 7));
        CHECK_OK(proa_win_complete(win)); /* rank 2 has not posted, and will not before this */
        __atomic_store_n(steps_of(world), 1, __ATOMIC_SEQ_CST);
    } else {
        if (world->rank == 2)
            world_await(steps_of(world), 1);
        CHECK_OK(proa_win_post(win, &origin, 1, 0));
        CHECK_OK(proa_win_wait(win));
        CHECK_EQUAL(window_words(win)[0], world->rank == 1 ? 7 : 0);
    }
    window_free(win);
}

WORLD_TEST(some_untouched, 3)

/* ---- mixed with fences: a fence without operations behind it leaves room for other epochs ---- */

static void after_fence_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 2);

    CHECK_OK(proa_win_fence(win, 0));
    for (int64_t value = 0; value < 10; value++) {
        ring_epoch(world, win, value, 0);
        CHECK_OK(proa_win_fence(win, value % 2 ? PROA_MODE_NOSUCCEED : 0));
    }
    window_free(win);
}

WORLD_TEST(after_fence, 3)

/* ---- more origins than one wants to fork ---- */

enum { MANY = 301 };

/* Steps that rank 0 and rank 1 announce, for each epoch: growing numbers. */
enum { POSTED = 1, TESTED = 2, STEPS = 3 };

static void play_target(struct world *world, struct proa_win *win, uint64_t start, uint32_t epoch)
{
    static int origins[MANY - 1];
    uint32_t *own = &steps_of(world)[0], *other = &steps_of(world)[1];
    int flag = 1;

    for (int i = 1; i < MANY; i++)
        origins[i - 1] = i;
    CHECK_OK(proa_win_post(win, origins, MANY - 1, 0));
    CHECK_OK(proa_win_test(win, &flag));
    CHECK_EQUAL(flag, 0);
    __atomic_store_n(own, epoch * STEPS + POSTED, __ATOMIC_SEQ_CST);
    world_await(other, epoch * STEPS + POSTED); /* all but one have completed */
    CHECK_OK(proa_win_test(win, &flag));
    CHECK_EQUAL(flag, 0);
    __atomic_store_n(own, epoch * STEPS + TESTED, __ATOMIC_SEQ_CST);
    wait_or_test(win, epoch % 2 == 0);
    for (int i = 1; i < MANY; i++)
        CHECK_EQUAL(win->pairs[i].waits, start + epoch);
}

static void play_origins(struct world *world, struct proa_win *win, uint64_t start, uint32_t epoch)
{
    struct proa_win_ctl *target = win->targets[0].ctl;
    struct proa_doorbell *bell = &win->targets[0].peer->ctl->bell;
    uint32_t *own = &steps_of(world)[1], *other = &steps_of(world)[0];
    int last = 1 + (int)(epoch * 97 % (MANY - 1)); /* the origin that completes last */

    world_await(other, epoch * STEPS + POSTED);
    /* even: we are not its only origin */
    CHECK_EQUAL(__atomic_load_n(&win->ctl->from[0].posted, __ATOMIC_SEQ_CST), 2 * (start + epoch));
    for (int i = 1; i < MANY; i++)
        if (i != last)
            __atomic_store_n(&target->from[i].completed, start + epoch, __ATOMIC_SEQ_CST);
    proa_doorbell_ring(bell);
    __atomic_store_n(own, epoch * STEPS + POSTED, __ATOMIC_SEQ_CST);
    world_await(other, epoch * STEPS + TESTED);
    world_sleep_us(3000); /* into the target's sleep */
    __atomic_store_n(&target->from[last].completed, start + epoch, __ATOMIC_SEQ_CST);
    proa_doorbell_ring(bell);
}

/* Rank 1 plays all 300 origins: it writes their words. Rank 0 is the target of all. */
static void many_origins_body(struct world *world)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 8};
    struct proa_group group = world_stretch(world, MANY);
    uint64_t start = (UINT64_C(1) << 32) - 4;
    struct proa_win *win;

    CHECK_OK(proa_win_create(&args, &group, &win));
    preset(world, win, start);
    for (uint32_t epoch = 1; epoch <= 8; epoch++) {
        if (world->rank == 0)
            play_target(world, win, start, epoch);
        else
            play_origins(world, win, start, epoch);
    }
    world_barrier(world);
    proa_win_release(win);
}

WORLD_TEST(many_origins, 2)

/* The other way round: one origin, 300 targets played by rank 1. */
static void many_targets_body(struct world *world)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 8};
    struct proa_group group = world_stretch(world, MANY);
    static int targets[MANY - 1];
    struct proa_win *win;

    CHECK_OK(proa_win_create(&args, &group, &win));
    memset(win->base, 0, 8);
    preset(world, win, 0);
    for (int i = 1; i < MANY; i++)
        targets[i - 1] = i;
    if (world->rank == 0) {
        for (uint64_t epoch = 1; epoch <= 5; epoch++) {
            CHECK_OK(proa_win_start(win, targets, MANY - 1, 0));
            for (int i = 1; i < MANY; i++) {
                CHECK(win->targets[i].epoch & PROA_EPOCH_AWAITED);
                /* in the target's stead; odd: to us alone */
                __atomic_store_n(&win->ctl->from[i].posted, 2 * epoch + (i % 2), __ATOMIC_SEQ_CST);
            }
            for (int i = 1; i < MANY; i++) {
                fetch_op(win, i, 0, 1, PROA_OP_SUM);
                CHECK_EQUAL(win->targets[i].epoch,
                            PROA_EPOCH_START | (i % 2 ? PROA_EPOCH_SOLE : 0));
            }
            CHECK_OK(proa_win_complete(win));
            CHECK_EQUAL(
                __atomic_load_n(&win->targets[MANY - 1].ctl->from[0].completed, __ATOMIC_SEQ_CST),
                epoch);
            for (int i = 1; i < MANY; i++)
                CHECK_EQUAL(win->targets[i].epoch, 0);
        }
    }
    world_barrier(world);
    if (world->rank == 1)
        CHECK_EQUAL(window_words(win)[0], 5 * (MANY - 1));
    world_barrier(world);
    proa_win_release(win);
}

WORLD_TEST(many_targets, 2)

/* A message has a number (sync/notify.h), which stands for these words and no others. */
static void words(void **state)
{
    size_t bytes = proa_rounds_bytes(MANY) + proa_block_bytes(MANY);
    char *memory = aligned_alloc(PROA_CACHE_LINE,
                                 (bytes + PROA_CACHE_LINE - 1) / PROA_CACHE_LINE * PROA_CACHE_LINE);
    struct proa_win_ctl *ctl = (struct proa_win_ctl *)(void *)(memory + proa_rounds_bytes(MANY));

    (void)state;
    assert_non_null(memory);
    for (int i = 0; i < MANY; i++) {
        assert_ptr_equal(proa_word_in(ctl, i, PROA_WORD_POSTED, 0), &ctl->from[i].posted);
        assert_ptr_equal(proa_word_in(ctl, i, PROA_WORD_COMPLETED, 0), &ctl->from[i].completed);
    }
    for (int k = 0; k < proa_rounds(MANY); k++)
        assert_ptr_equal(proa_word_in(ctl, 0, PROA_WORD_ROUND, k),
                         memory + proa_rounds_bytes(MANY) -
                             (size_t)(k + 1) * sizeof(struct proa_round_ctl));
    free(memory);
}

/* ---- behind a fence ---- */

enum { KINDS = 5 };

static void operate(struct proa_win *win, int kind)
{
    int64_t value = 1;

    if (kind == 0)
        CHECK_OK(put_word(win, win->rank, 0, 1));
    else if (kind == 1)
        CHECK_OK(get_word(win, win->rank, 0, &value));
    else if (kind == 2)
        CHECK_OK(accumulate_many(win, win->rank, 0, &value, 1, PROA_I64, PROA_OP_SUM));
    else if (kind == 3)
        fetch_op(win, win->rank, 0, 1, PROA_OP_SUM);
    else
        compare_swap(win, win->rank, 0, 1, 2);
}

/* Operations of any kind since the last fence are not complete: neither start nor post may follow.
 * Without operations the fence has begun no epoch. */
static void behind_fence_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 1);
    int none = 0;

    for (int kind = 0; kind < KINDS; kind++) {
        CHECK_OK(proa_win_fence(win, 0));
        operate(win, kind);
        CHECK_FAILS(proa_win_start(win, &none, 0, 0), PROA_ERR_RMA_SYNC);
        CHECK(strstr(proa_failure(), "since the last fence"));
        CHECK_FAILS(proa_win_post(win, &none, 0, 0), PROA_ERR_RMA_SYNC);
        CHECK_FAILS(proa_win_complete(win), PROA_ERR_RMA_SYNC);
        CHECK_OK(proa_win_fence(win, 0));
        CHECK_OK(proa_win_start(win, &none, 0, 0));
        CHECK_OK(proa_win_complete(win));
    }
    window_free(win);
}
WORLD_TEST(behind_fence, 2)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behind_fence),   cmocka_unit_test(rings),
        cmocka_unit_test(ahead),          cmocka_unit_test(local_calls),
        cmocka_unit_test(empty_groups),   cmocka_unit_test(graphs),
        cmocka_unit_test(some_untouched), cmocka_unit_test(after_fence),
        cmocka_unit_test(many_origins),   cmocka_unit_test(many_targets),
        cmocka_unit_test(words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
