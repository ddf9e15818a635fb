/* SPDX-License-Identifier: BSD-3-Clause */
/* What operations do to windows of every flavor, with 1 to 5 processes; huge counts and wrong
 * arguments. */
#include "move.h"
#include "windows.h"

#include "base/fail.h"
#include "rma/regions.h"
#include "shm/arena.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- one body for all kinds of memory ---- */

enum kind {
    ALLOCATE,
    SHARED,
    SHARED_APART,
    FROM_ARENA,
    FROM_HEAP,
    FROM_STACK,
    DYNAMIC_ARENA,
    DYNAMIC_HEAP,
    DYNAMIC_STACK,
    KINDS
};

struct memory {
    enum kind kind;
    struct proa_win *win;
    int64_t *words;             /* ours */
    int64_t origin[WORLD_MOST]; /* displacement of each process's first word */
};

static void attach(struct world *world, struct memory *memory)
{
    int64_t address = (int64_t)(uintptr_t)memory->words;

    CHECK_OK(proa_regions_attach(memory->win, memory->words, WORDS * sizeof *memory->words));
    CHECK_EQUAL(
        world->group.allgather(world->group.context, &address, memory->origin, sizeof address), 0);
}

static void memory_open(struct world *world, struct memory *memory, enum kind kind, int64_t *stack)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_CREATE,
                                    .bytes = WORDS * sizeof(int64_t),
                                    .disp_unit = sizeof(int64_t)};

    memset(memory, 0, sizeof *memory);
    memory->kind = kind;
    if (kind == FROM_ARENA || kind == DYNAMIC_ARENA)
        memory->words = proa_arena_alloc(args.bytes, 0);
    if (kind == FROM_HEAP || kind == DYNAMIC_HEAP)
        memory->words = malloc(args.bytes);
    if (kind == FROM_STACK || kind == DYNAMIC_STACK)
        memory->words = stack;
    if (kind == ALLOCATE)
        args.flavor = PROA_FLAVOR_ALLOCATE;
    if (kind == SHARED || kind == SHARED_APART)
        args.flavor = PROA_FLAVOR_SHARED;
    args.noncontig = kind == SHARED_APART;
    args.base = memory->words;
    if (kind >= DYNAMIC_ARENA)
        args = (struct proa_create_args){.flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1};
    memory->win = window_create(world, &args);
    if (!memory->words)
        memory->words = window_words(memory->win);
    CHECK(memory->words);
    if (kind >= DYNAMIC_ARENA)
        attach(world, memory);
    memset(memory->words, 0, WORDS * sizeof *memory->words);
    world_barrier(world);
}

static void memory_close(struct world *world, struct memory *memory)
{
    world_barrier(world);
    if (memory->kind >= DYNAMIC_ARENA)
        CHECK_OK(proa_regions_detach(memory->win, memory->words));
    window_free(memory->win);
    if (memory->kind == FROM_ARENA || memory->kind == DYNAMIC_ARENA)
        CHECK(proa_arena_free(memory->words));
    if (memory->kind == FROM_HEAP || memory->kind == DYNAMIC_HEAP)
        free(memory->words);
}

/* The displacement of word i of a process. */
static int64_t at(const struct memory *memory, int rank, int64_t i)
{
    return memory->kind >= DYNAMIC_ARENA ? memory->origin[rank] + 8 * i : i;
}

static int64_t mark(int from, int to, int64_t i)
{
    return from * 1000000 + to * 10000 + i;
}

static void puts_and_gets(struct world *world, struct memory *memory)
{
    static int64_t values[WORDS], got[WORDS];
    struct proa_win *win = memory->win;
    int n = world->size, left = (world->rank + n - 1) % n, right = (world->rank + 1) % n;

    CHECK_OK(proa_win_fence(win, PROA_MODE_NOPRECEDE));
    for (int i = 0; i < WORDS; i++)
        values[i] = mark(world->rank, right, i);
    CHECK_OK(put_word(win, right, at(memory, right, 0), values[0]));
    /* any type of any size */
    CHECK_OK(put_many(win, right, at(memory, right, 1), values + 1, 1, PROA_U8));
    CHECK_OK(put_many(win, right, at(memory, right, 1), values + 1, WORDS - 1, PROA_I64));
    CHECK_OK(proa_win_fence(win, 0));
    for (int i = 0; i < WORDS; i++)
        CHECK_EQUAL(memory->words[i], mark(left, world->rank, i));
    for (int rank = 0; rank < n; rank++) {
        memset(got, 0, sizeof got);
        CHECK_OK(get_many(win, rank, at(memory, rank, 0), got, WORDS, PROA_I64));
        for (int i = 0; i < WORDS; i++)
            CHECK_EQUAL(got[i], mark((rank + n - 1) % n, rank, i));
        CHECK_OK(get_word(win, rank, at(memory, rank, WORDS - 1), got));
        CHECK_EQUAL(got[0], mark((rank + n - 1) % n, rank, WORDS - 1));
    }
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
}

static void accumulates(struct world *world, struct memory *memory)
{
    static int64_t values[WORDS], results[WORDS];
    struct proa_win *win = memory->win;
    int n = world->size;

    memset(memory->words, 0, WORDS * sizeof *memory->words);
    CHECK_OK(proa_win_fence(win, 0));
    for (int i = 0; i < WORDS; i++)
        values[i] = world->rank + i;
    for (int rank = 0; rank < n; rank++) {
        CHECK_OK(
            accumulate_many(win, rank, at(memory, rank, 0), values, WORDS, PROA_I64, PROA_OP_SUM));
        CHECK_OK(accumulate_many(win, rank, at(memory, rank, 0), values, 1, PROA_I64,
                                 PROA_OP_SUM)); /* the first once more, alone */
    }
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_EQUAL(memory->words[0], n * (n - 1));
    for (int i = 1; i < WORDS; i++)
        CHECK_EQUAL(memory->words[i], n * (n - 1) / 2 + (int64_t)n * i);
    world_barrier(world);
    /* get_accumulate: everyone sees a different state of each word, and the last sum is the
     * whole. */
    for (int rank = 0; rank < n; rank++) {
        for (int i = 0; i < WORDS; i++)
            values[i] = 1;
        CHECK_OK(get_accumulate_many(win, rank, at(memory, rank, 0), values, results, WORDS,
                                     PROA_I64, PROA_OP_SUM));
        for (int i = 1; i < WORDS; i++) {
            int64_t before = results[i] - (n * (n - 1) / 2 + (int64_t)n * i);
            CHECK(before >= 0 && before < n);
        }
    }
    CHECK_OK(proa_win_fence(win, 0));
    for (int i = 1; i < WORDS; i++)
        CHECK_EQUAL(memory->words[i], n * (n - 1) / 2 + (int64_t)n * i + n);
    world_barrier(world);
    /* MPI_NO_OP only looks; its origin may be nothing. */
    memset(results, 0xff, sizeof results);
    CHECK_OK(get_accumulate_many(win, 0, at(memory, 0, 0), NULL, results, WORDS, PROA_I64,
                                 PROA_OP_NO_OP));
    CHECK_EQUAL(results[1], n * (n - 1) / 2 + n + n);
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
}

static void fetches(struct world *world, struct memory *memory)
{
    struct proa_win *win = memory->win;
    uint32_t *seen = (uint32_t *)(void *)world->shared;
    int n = world->size, rounds = (int)world_rounds(200), last = n - 1;

    memory->words[7] = memory->words[8] = 0;
    world_barrier(world);
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int i = 0; i < rounds; i++) {
        int64_t ticket = fetch_op(win, last, at(memory, last, 7), 1, PROA_OP_SUM);
        CHECK(ticket >= 0 && ticket < rounds * n);
        CHECK_EQUAL(__atomic_fetch_add(&seen[ticket], 1, __ATOMIC_SEQ_CST),
                    0);                              /* every value is seen once */
        for (int64_t old = 0, found;; old = found) { /* a counter by compare_and_swap */
            found = compare_swap(win, last, at(memory, last, 8), old, old + 1);
            if (found == old)
                break;
        }
    }
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    if (world->rank == last) {
        CHECK_EQUAL(memory->words[7], rounds * n);
        CHECK_EQUAL(memory->words[8], rounds * n);
        memset(world->shared, 0, sizeof *seen * (size_t)(rounds * n));
    }
    world_barrier(world);
    CHECK_OK(proa_win_lock(win, last, 1, 0)); /* by an exclusive lock too */
    /* does not match: nothing changes */
    CHECK_EQUAL(compare_swap(win, last, at(memory, last, 7), -5, 1), rounds * n);
    CHECK_EQUAL(fetch_op(win, last, at(memory, last, 7), 0, PROA_OP_NO_OP), rounds * n);
    CHECK_EQUAL(fetch_op(win, last, at(memory, last, 8), 2, PROA_OP_REPLACE), rounds * n);
    CHECK_EQUAL(fetch_op(win, last, at(memory, last, 8), rounds * n, PROA_OP_REPLACE), 2);
    CHECK_OK(proa_win_unlock(win, last));
    world_barrier(world);
    if (world->rank == last)
        CHECK_EQUAL(memory->words[8], rounds * n);
}

static void ranges(struct world *world, struct memory *memory)
{
    struct proa_win *win = memory->win;
    int last = world->size - 1;
    int64_t value = 5, dynamic = memory->kind >= DYNAMIC_ARENA;

    CHECK_OK(proa_win_lock(win, last, 0, 0));
    CHECK_OK(get_word(win, last, at(memory, last, WORDS - 1), &value));
    CHECK_FAILS(get_word(win, last, at(memory, last, WORDS), &value), PROA_ERR_RMA_RANGE);
    CHECK_FAILS(get_many(win, last, at(memory, last, 1), &value, WORDS, PROA_I64),
                PROA_ERR_RMA_RANGE);
    CHECK_FAILS(put_many(win, last, at(memory, last, WORDS), &value, 1, PROA_I8),
                PROA_ERR_RMA_RANGE);
    CHECK_FAILS(put_many(win, last, at(memory, last, WORDS - 1), &value, 2, PROA_I64),
                PROA_ERR_RMA_RANGE);
    CHECK_FAILS(put_word(win, last, -1, value), dynamic ? PROA_ERR_RMA_RANGE : PROA_ERR_DISP);
    CHECK_FAILS(put_word(win, last, INT64_MAX, value), PROA_ERR_RMA_RANGE);
    CHECK_FAILS(put_word(win, last, INT64_MIN, value),
                dynamic ? PROA_ERR_RMA_RANGE : PROA_ERR_DISP);
    for (int i = 0; i < 4; i++) { /* times the unit: past 2^63; past 2^64, which is 0 again */
        CHECK_FAILS(put_word(win, last, INT64_MAX / 8 + 1, value), PROA_ERR_RMA_RANGE);
        CHECK_FAILS(put_word(win, last, INT64_C(1) << 61, value), PROA_ERR_RMA_RANGE);
        CHECK_FAILS(get_word(win, last, INT64_C(1) << 61, &value), PROA_ERR_RMA_RANGE);
        CHECK_FAILS(accumulate_many(win, last, INT64_C(1) << 61, &value, 1, PROA_I64, PROA_OP_SUM),
                    PROA_ERR_RMA_RANGE);
    }
    CHECK_FAILS(
        accumulate_many(win, last, at(memory, last, WORDS - 1), &value, 2, PROA_I64, PROA_OP_SUM),
        PROA_ERR_RMA_RANGE);
    CHECK_OK(put_many(win, last, at(memory, last, 0), NULL, 0, PROA_I64)); /* nothing at all */
    CHECK_OK(get_many(win, last, at(memory, last, WORDS), NULL, 0, PROA_I64));
    CHECK_OK(accumulate_many(win, last, at(memory, last, 0), NULL, 0, PROA_I64, PROA_OP_SUM));
    CHECK_OK(proa_win_unlock(win, last));
}

static void all_operations_body(struct world *world)
{
    int64_t stack[WORDS];
    struct memory memory;

    for (enum kind kind = 0; kind < KINDS; kind++) {
        memory_open(world, &memory, kind, stack);
        puts_and_gets(world, &memory);
        accumulates(world, &memory);
        fetches(world, &memory);
        ranges(world, &memory);
        memory_close(world, &memory);
    }
}

static void all_operations(void **state)
{
    (void)state;

    world_needs_kernel();
    on_all_sizes(all_operations_body, NULL);
}

/* ---- counts so large that their bytes wrap around 2^64: an error, and nothing moved ---- */

static void huge_counts_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 10);
    int64_t words[2] = {77, 77};
    uint64_t wraps = (UINT64_C(1) << 61) + 1; /* times 8: 8 bytes */

    CHECK_OK(proa_win_lock_all(win, 0));
    CHECK(put_many(win, 0, 0, words, wraps, PROA_I64) < 0);
    CHECK(get_many(win, 0, 0, words, wraps, PROA_I64) < 0);
    CHECK(accumulate_many(win, 0, 0, words, wraps, PROA_I64, PROA_OP_SUM) < 0);
    CHECK(put_many(win, 0, 0, words, UINT64_C(1) << 61, PROA_I64) < 0);
    CHECK(put_many(win, 0, 0, words, INT64_MAX, PROA_I8) < 0);
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    CHECK_EQUAL(window_words(win)[0], 0);
    CHECK_EQUAL(words[0], 77);
    window_free(win);
}

WORLD_TEST(huge_counts, 2)

/* ---- wrong arguments of operations ---- */

static void wrong_operations_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, 10);
    const struct proa_type *i64 = basic_type(PROA_I64), *f64 = basic_type(PROA_F64),
                           *i32 = basic_type(PROA_I32), *f128 = basic_type(PROA_F128);
    struct proa_type bad = *i64;
    int64_t value = 3, other = 4;
    struct proa_there there = {0, 0, 1, i64, PROA_CALL_Put}, there_f64 = there, there_f128 = there,
                      there_bad = there;
    struct proa_buffer none = {NULL, 1, i64}, one = {&value, 1, i64}, two = {&value, 2, i32},
                       three = {&value, 3, i32}, real = {&value, 1, f64};

    bad.trouble = "is made for this test";
    bad.dense = bad.predefined = 0;
    bad.plain_bytes = 0;
    there_f64.type = f64;
    there_f128.type = f128;
    there_bad.type = &bad;
    CHECK_OK(proa_win_lock_all(win, 0));
    CHECK_FAILS(proa_put(win, &none, &there), PROA_ERR_BUFFER);
    CHECK_FAILS(proa_get(win, &none, &there), PROA_ERR_BUFFER);
    CHECK_FAILS(proa_put(win, &three, &there), PROA_ERR_TYPE);
    CHECK_FAILS(proa_put(win, &one, &there_bad), PROA_ERR_TYPE);
    CHECK_FAILS(proa_get(win, &one, &there_bad), PROA_ERR_TYPE);
    CHECK_FAILS(proa_accumulate(win, &one, &there_bad, PROA_OP_SUM), PROA_ERR_TYPE);
    CHECK_FAILS(proa_accumulate(win, &one, &there, PROA_OP_NO_OP), PROA_ERR_OP);
    CHECK_FAILS(proa_accumulate(win, &one, &there, PROA_OP_MAXLOC), PROA_ERR_OP);
    CHECK_FAILS(proa_accumulate(win, &real, &there_f64, PROA_OP_BAND), PROA_ERR_OP);
    CHECK_FAILS(proa_accumulate(win, &two, &there, PROA_OP_SUM), PROA_ERR_TYPE);
    CHECK_FAILS(proa_accumulate(win, &real, &there, PROA_OP_SUM), PROA_ERR_TYPE);
    CHECK_FAILS(proa_get_accumulate(win, &one, &none, &there, PROA_OP_SUM), PROA_ERR_BUFFER);
    CHECK_FAILS(proa_get_accumulate(win, &none, &one, &there, PROA_OP_SUM), PROA_ERR_BUFFER);
    CHECK_FAILS(proa_compare_and_swap(win, &value, &value, &other, &there_f64), PROA_ERR_TYPE);
    CHECK_FAILS(proa_compare_and_swap(win, &value, &value, &other, &there_f128), PROA_ERR_TYPE);
    CHECK_FAILS(proa_compare_and_swap(win, NULL, &value, &other, &there), PROA_ERR_BUFFER);
    CHECK_FAILS(proa_compare_and_swap(win, &value, NULL, &other, &there), PROA_ERR_BUFFER);
    CHECK_FAILS(proa_compare_and_swap(win, &value, &value, NULL, &there), PROA_ERR_BUFFER);
    CHECK_FAILS(proa_fetch_and_op(win, &value, NULL, &there, PROA_OP_SUM), PROA_ERR_BUFFER);
    CHECK_FAILS(proa_fetch_and_op(win, NULL, &other, &there, PROA_OP_SUM), PROA_ERR_BUFFER);
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    CHECK_EQUAL(window_words(win)[0], 0);
    CHECK_EQUAL(value, 3);
    CHECK_EQUAL(other, 4);
    window_free(win);
}

WORLD_TEST(wrong_operations, 2)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_operations),
        cmocka_unit_test(huge_counts),
        cmocka_unit_test(wrong_operations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
