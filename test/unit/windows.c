/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of every flavor (create/create.c) and what operations do to them, with 1 to 5 processes;
 * failures that all must share. */
#include "move.h"

#include "base/fail.h"
#include "create/start.h"
#include "rma/reach.h"
#include "rma/regions.h"
#include "shm/arena.h"
#include "shm/ctl.h"
#include "sync/pair.h"
#include "rma/place.h"
#include "rma/road.h"

#include <limits.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cmocka.h>

static const int sizes[] = {1, 2, 3, 5};

static void on_all_sizes(world_body *body, const void *arg)
{
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        world_run(&(struct world_plan){.size = sizes[i], .body = body, .arg = arg});
}

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

enum { WORDS = 3000 }; /* 24 KB: several stripes, no multiple of a page */

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

/* Where the next small block would be: grows if something was not given back. */
static void *next_block(void)
{
    void *block = proa_arena_alloc(64, 0);

    CHECK(block);
    CHECK(proa_arena_free(block));
    return block;
}

/* ---- shapes: sizes and units that differ from rank to rank, nothing at all, alignment ---- */

static void own_shapes(struct world *world, enum proa_flavor flavor, int noncontig)
{
    int me = world->rank, n = world->size, right = (me + 1) % n;
    uint64_t bytes = me % 2 ? 0 : 100 * (uint64_t)(me + 1); /* odd ranks: nothing */
    struct proa_create_args args = {
        .flavor = flavor, .bytes = bytes, .disp_unit = me + 1, .noncontig = noncontig};
    struct proa_win *win;
    char value = (char)(me + 1);

    if (flavor == PROA_FLAVOR_CREATE && bytes)
        args.base = calloc(bytes, 1);
    win = window_create(world, &args);
    if (flavor != PROA_FLAVOR_CREATE && bytes)
        memset(win->base, 0, bytes);
    CHECK_OK(proa_win_fence(win, 0));
    for (int rank = 0; rank < n; rank++) {
        CHECK_EQUAL(win->targets[rank].bytes, rank % 2 ? 0 : 100 * (rank + 1));
        CHECK_EQUAL(win->targets[rank].disp_unit, rank + 1);
        /* there a part of no bytes has a place as well */
        if (flavor != PROA_FLAVOR_SHARED || noncontig)
            CHECK_EQUAL(!proa_win_load_store(win, rank),
                        rank % 2 || (flavor == PROA_FLAVOR_CREATE && rank != me));
    }
    if (right % 2)
        CHECK_FAILS(put_many(win, right, 0, &value, 1, PROA_I8), PROA_ERR_RMA_RANGE);
    /* in the target's units: its last element's first byte */
    else
        CHECK_OK(put_many(win, right, 99, &value, 1, PROA_I8));
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
    if (bytes)
        for (uint64_t i = 0; i < bytes; i++)
            CHECK_EQUAL(((char *)win->base)[i],
                        i == 99 * (uint64_t)(me + 1) ? (char)((me + n - 1) % n + 1) : 0);
    window_free(win);
    free(args.base);
}

static void shapes_body(struct world *world)
{
    own_shapes(world, PROA_FLAVOR_CREATE, 0);
    own_shapes(world, PROA_FLAVOR_ALLOCATE, 0);
    own_shapes(world, PROA_FLAVOR_SHARED, 0);
    own_shapes(world, PROA_FLAVOR_SHARED, 1);
}

static void shapes(void **state)
{
    (void)state;
    on_all_sizes(shapes_body, NULL);
}

/* Nobody has any memory; still a window, with all its synchronization. */
static void empty_body(struct world *world)
{
    static const enum proa_flavor flavors[] = {PROA_FLAVOR_CREATE, PROA_FLAVOR_ALLOCATE,
                                               PROA_FLAVOR_DYNAMIC, PROA_FLAVOR_SHARED};

    for (int i = 0; i < 4; i++) {
        struct proa_create_args args = {.flavor = flavors[i], .disp_unit = 1};
        struct proa_win *win = window_create(world, &args);
        int64_t value = 0;
        CHECK_OK(proa_win_fence(win, 0));
        CHECK_FAILS(put_word(win, 0, 0, value), PROA_ERR_RMA_RANGE);
        CHECK_OK(put_many(win, 0, 0, NULL, 0, PROA_I8));
        CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
        CHECK_OK(proa_win_lock(win, 0, 1, 0));
        CHECK_OK(proa_win_unlock(win, 0));
        window_free(win);
    }
}

static void empty(void **state)
{
    (void)state;
    on_all_sizes(empty_body, NULL);
}

static void alignment_body(struct world *world)
{
    for (size_t align = 0; align <= 1 << 21; align = align ? 2 * align : 8)
        for (int flavor = PROA_FLAVOR_ALLOCATE; flavor <= PROA_FLAVOR_SHARED; flavor += 2) {
            struct proa_create_args args = {.flavor = (enum proa_flavor)flavor,
                                            .bytes = 100,
                                            .disp_unit = 1,
                                            .align = align,
                                            .noncontig = 1};
            struct proa_win *win = window_create(world, &args);
            CHECK_EQUAL((uintptr_t)win->base % (align ? align : 64), 0);
            window_free(win);
        }
}

static void alignment(void **state)
{
    (void)state;
    assert_int_equal(PROA_FLAVOR_SHARED, PROA_FLAVOR_ALLOCATE + 2);
    world_run(&(struct world_plan){.size = 2, .body = alignment_body});
}

/* Contiguous shared memory: rank by rank without a gap, in every process; a plain store of one is
 * seen by all. */
static void contiguous_body(struct world *world)
{
    int n = world->size;
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_SHARED, .bytes = 8 * (uint64_t)(world->rank + 1), .disp_unit = 8};
    struct proa_win *win = window_create(world, &args);
    int64_t *own = (int64_t *)(void *)proa_win_load_store(win, world->rank),
            *first = (int64_t *)(void *)proa_win_load_store(win, 0);

    CHECK_EQUAL((void *)own, win->base);
    for (int rank = 1; rank < n; rank++)
        CHECK_EQUAL(proa_win_load_store(win, rank),
                    proa_win_load_store(win, rank - 1) + win->targets[rank - 1].bytes);
    for (int i = 0; i <= world->rank; i++)
        own[i] = 100 * world->rank + i;
    CHECK_OK(proa_win_fence(win, 0));
    for (int rank = 0, k = 0; rank < n; rank++)
        for (int i = 0; i <= rank; i++, k++)
            CHECK_EQUAL(first[k], 100 * rank + i);
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
    window_free(win);
}

static void contiguous(void **state)
{
    (void)state;
    on_all_sizes(contiguous_body, NULL);
}

/* Memory of its own is what some ask for, on one of the ranks or on all but one: all have one
 * piece, and what was allocated before that was known goes back. The largest alignment that a rank
 * asks for is that of the piece. */
static void asked_by_some_body(struct world *world)
{
    void *before;

    window_free(window_of_words(world, 4));
    before = next_block();
    for (int alone = 0; alone < world->size; alone++)
        for (int other = 0; other < 2; other++) {
            struct proa_create_args args = {
                .flavor = PROA_FLAVOR_SHARED, .bytes = 100, .disp_unit = 1};
            struct proa_win *win;
            args.noncontig = (world->rank == alone) != other;
            args.align = world->rank == alone ? 1 << 16 : 0;
            win = window_create(world, &args);
            CHECK_EQUAL(win->contiguous, world->size > 1 || other);
            for (int rank = 1; rank < world->size; rank++)
                CHECK_EQUAL(proa_win_load_store(win, rank),
                            proa_win_load_store(win, 0) + 100 * rank);
            if (world->rank == 0)
                CHECK_EQUAL((uintptr_t)win->base % (1 << 16), 0);
            window_free(win);
            CHECK_EQUAL(next_block(), before);
        }
}

static void asked_by_some(void **state)
{
    (void)state;
    on_all_sizes(asked_by_some_body, NULL);
}

/* The neighbour's part of a shared window, given to another: the place is the same as in the first,
 * owner and key with it, for whoever comes by whatever window, and owners are held as long as one
 * of these is there. */
static void lent_body(struct world *world)
{
    int n = world->size, right = (world->rank + 1) % n;
    struct proa_create_args args = {.flavor = PROA_FLAVOR_SHARED,
                                    .bytes = 8 * WORDS,
                                    .disp_unit = 8,
                                    .noncontig = *(const int *)world->arg};
    struct proa_win *first = window_create(world, &args), *lent, *dynamic;
    struct proa_peer *last_owner = first->targets[n - 1].only.owner;
    int64_t *memory = (int64_t *)(void *)proa_win_load_store(first, right), address[WORLD_MOST],
            mine = (int64_t)(uintptr_t)memory;
    struct proa_place place, expected;
    int holders;

    args = (struct proa_create_args){
        .flavor = PROA_FLAVOR_CREATE, .base = memory, .bytes = 8 * WORDS, .disp_unit = 8};
    lent = window_create(world, &args);
    dynamic = window_create(
        world, &(struct proa_create_args){.flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1});
    CHECK_OK(proa_regions_attach(dynamic, memory, 8 * WORDS));
    CHECK_EQUAL(world->group.allgather(world->group.context, &mine, address, sizeof mine), 0);
    CHECK_EQUAL(lent->base, memory);
    for (int rank = 0; rank < n; rank++)
        for (int way = 0; way < 2; way++) {
            CHECK_OK(proa_place_find(first, (rank + 1) % n, 7, 0, 8, &expected));
            if (way == 0)
                CHECK_OK(proa_place_find(lent, rank, 7, 0, 8, &place));
            else
                CHECK_OK(proa_place_find(dynamic, rank, address[rank] + 56, 0, 8, &place));
            CHECK_EQUAL(place.span.road, PROA_ROAD_STORE);
            CHECK_EQUAL(proa_span_here(&place.span, place.at),
                        proa_span_here(&expected.span, expected.at));
            CHECK_EQUAL(place.span.owner, expected.span.owner);
            CHECK_EQUAL(proa_span_key(&place.span, place.at),
                        proa_span_key(&expected.span, expected.at));
        }
    holders = __atomic_load_n(&last_owner->holders, __ATOMIC_RELAXED);
    window_free(lent);
    window_free(dynamic);
    /* as a member of both, and for its memory where another gave that */
    CHECK(__atomic_load_n(&last_owner->holders, __ATOMIC_RELAXED) <= holders - 2 - (n > 1));
    window_free(first);
    CHECK_EQUAL(__atomic_load_n(&last_owner->holders, __ATOMIC_RELAXED), 0);
}

static void lent(void **state)
{
    static const int noncontig[] = {0, 1};
    (void)state;

    for (int i = 0; i < 2; i++)
        on_all_sizes(lent_body, &noncontig[i]);
}

/* Large windows live in segments that the neighbours have not mapped yet. */
static void further_segments_body(struct world *world)
{
    int right = (world->rank + 1) % world->size;
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 40 << 20, .disp_unit = 1};
    struct proa_win *wins[4];
    char value = 9;

    for (int i = 0; i < 4; i++) {
        wins[i] = window_create(world, &args);
        CHECK_OK(proa_win_fence(wins[i], 0));
        CHECK_OK(put_many(wins[i], right, (40 << 20) - 1, &value, 1, PROA_I8));
        CHECK_OK(proa_win_fence(wins[i], PROA_MODE_NOSUCCEED));
        CHECK_EQUAL(((char *)wins[i]->base)[(40 << 20) - 1], 9);
    }
    for (int i = 0; i < 4; i++)
        window_free(wins[i]);
}

WORLD_TEST(further_segments, 3)

/* What one of these windows takes of the arena, by where the next one lies, and of malloc. */
static uint64_t bytes_of_a_window(struct world *world, struct proa_win **win)
{
    const struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 64, .disp_unit = 8};
    const char *before = (const char *)win[0]->ctl;
    uint64_t own = mallinfo2().uordblks;

    *++win = window_create(world, &args);
    return mallinfo2().uordblks - own + (uint64_t)((const char *)(*win)->ctl - before);
}

/* A small window takes little, whatever the number of processes, and little more for each. */
static void small_body(struct world *world)
{
    enum { APART = 1536, EACH = 256 };
    struct proa_win *win[5] = {window_of_words(world, 8)};
    uint64_t bytes = 0;

    for (int i = 0; i < 4; i++) /* the first ones bring what is there once */
        bytes = bytes_of_a_window(world, &win[i]);
    if (!WORLD_SANITIZED) { /* a sanitizer's malloc keeps no such accounts */
        CHECK(bytes > sizeof(struct proa_win) + proa_block_bytes(world->size)); /* or not counted */
        CHECK(bytes <= APART + EACH * (uint64_t)world->size);
    }
    for (int i = 0; i < 5; i++)
        window_free(win[i]);
}

static void small(void **state)
{
    (void)state;
    for (int size = 1; size <= 16; size *= 2)
        world_run(&(struct world_plan){.size = size, .body = small_body});
}

/* Many windows at once share files and mappings; all memory comes back. */
static void many_windows_body(struct world *world)
{
    enum { MANY = 2000 };
    int count = (int)world_rounds(MANY);
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 256, .disp_unit = 8};
    struct proa_win **wins = calloc(MANY, sizeof(struct proa_win *)),
                    *win = window_create(world, &args);
    long files = world_open_files(), mappings = world_mappings("memfd:proa");
    void *ctl = win->ctl, *base = win->base;

    window_free(win);
    for (int i = 0; i < count; i++) {
        wins[i] = window_create(world, &args);
        if (i == count / 10) /* some segments later */
            mappings = world_mappings("memfd:proa");
    }
    CHECK(world_open_files() <= files + 1);
    CHECK(world_mappings("memfd:proa") <= mappings + world->size);
    for (int i = 0; i < count; i++)
        window_free(wins[i * 7 % count]);
    win = window_create(world, &args);
    CHECK(win->ctl == ctl || win->ctl == base); /* the same places as in the beginning */
    window_free(win);
    free(wins);
}

WORLD_TEST(many_windows, 3)

/* A window on some of the processes, and on all in another order: ranks are the window's. */
static void other_order_body(struct world *world)
{
    struct proa_group all = world->group;
    struct proa_win *win;
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8, .disp_unit = 8};

    world->rank = world->size - 1 - world->rank; /* the fake exchange goes by this too */
    world->group.rank = world->rank;
    win = window_create(world, &args);
    CHECK_OK(proa_win_fence(win, 0));
    CHECK_OK(put_word(win, (world->rank + 1) % world->size, 0, world->rank));
    CHECK_OK(proa_win_fence(win, PROA_MODE_NOSUCCEED));
    CHECK_EQUAL(window_words(win)[0], (world->rank + world->size - 1) % world->size);
    window_free(win);
    world->rank = all.rank;
    world->group = all;
}

static void other_order(void **state)
{
    (void)state;
    on_all_sizes(other_order_body, NULL);
}

/* ---- failures: the same outcome on every process, and nothing lost ---- */

static void check_all_fail(struct world *world, const struct proa_create_args *args, int expected)
{
    void *before = next_block();
    struct proa_win *win = NULL;

    CHECK_FAILS(proa_win_create(args, &world->group, &win), expected);
    CHECK(!win);
    CHECK_EQUAL(next_block(), before);
    window_free(window_of_words(world, 4)); /* and the next one works */
}

static void error_on_one_body(struct world *world)
{
    static const int codes[] = {PROA_ERR_SIZE, PROA_ERR_DISP, PROA_ERR_BASE, PROA_ERR_INFO,
                                PROA_ERR_INTERN};

    window_free(window_of_words(world, 4));
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++)
        for (int wrong = 0; wrong < world->size; wrong++) {
            struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
            args.bytes = flavor == PROA_FLAVOR_ALLOCATE || flavor == PROA_FLAVOR_SHARED ? 1000 : 0;
            proa_fail(0, " "); /* the sentence that bind left, on the wrong one */
            args.error = world->rank == wrong ? codes[(flavor + wrong) % 5] : 0;
            check_all_fail(world, &args, codes[(flavor + wrong) % 5]);
            /* Two wrong ones, differently: all tell of the same. */
            args.error = world->rank == wrong                       ? codes[0]
                         : world->rank == (wrong + 1) % world->size ? codes[1]
                                                                    : 0;
            check_all_fail(world, &args,
                           world->size == 1 || wrong < (wrong + 1) % world->size ? codes[0]
                                                                                 : codes[1]);
        }
}

static void error_on_one(void **state)
{
    (void)state;
    on_all_sizes(error_on_one_body, NULL);
}

/* Processes that call different functions: nothing sensible can be done, but nobody is left
 * waiting. */
static void different_flavors_body(struct world *world)
{
    window_free(window_of_words(world, 4));
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++) {
        struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
        args.bytes = flavor == PROA_FLAVOR_ALLOCATE || flavor == PROA_FLAVOR_SHARED ? 1000 : 0;
        if (world->rank == world->size - 1)
            args.flavor = (enum proa_flavor)((flavor + 1) % (PROA_FLAVOR_SHARED + 1));
        check_all_fail(world, &args, PROA_ERR_RMA_FLAVOR);
    }
}

static void different_flavors(void **state)
{
    (void)state;
    for (int size = 2; size <= 4; size++)
        world_run(&(struct world_plan){.size = size, .body = different_flavors_body});
}

/* One cannot serve, wherever the others' mistakes are: the window is nobody's. */
static void elsewhere_for_one_body(struct world *world)
{
    window_free(window_of_words(world, 4));
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++)
        for (int wrong = 0; wrong < world->size; wrong++) {
            struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
            proa_fail(0, "the moon is in the wrong quarter");
            args.error = world->rank == wrong ? PROA_ELSEWHERE : 0;
            check_all_fail(world, &args, PROA_ELSEWHERE);
            proa_fail(0, "the moon is in the wrong quarter");
            args.error = world->rank == wrong ? PROA_ELSEWHERE : PROA_ERR_SIZE;
            CHECK_EQUAL(proa_win_create(&args, &world->group, &(struct proa_win *){NULL}),
                        PROA_ELSEWHERE);
            CHECK(strstr(proa_failure(), "the moon"));
        }
}

static void elsewhere_for_one(void **state)
{
    (void)state;
    on_all_sizes(elsewhere_for_one_body, NULL);
}

/* It need not even have core. */
static void without_core_body(struct world *world)
{
    int wrong = *(const int *)world->arg;

    if (world->rank == wrong)
        proa_core_stop();
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++) {
        struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
        struct proa_win *win = NULL;
        proa_fail(0, "no core here");
        args.error = world->rank == wrong ? PROA_ELSEWHERE : 0;
        CHECK_FAILS(proa_win_create(&args, &world->group, &win), PROA_ELSEWHERE);
        CHECK(!win && strstr(proa_failure(), "no core here"));
    }
}

static void without_core(void **state)
{
    (void)state;
    for (int wrong = 0; wrong < 3; wrong++)
        world_run(&(struct world_plan){.size = 3, .body = without_core_body, .arg = &wrong});
}

/* What is done last, by the window's user, fails on one. */
struct finishing {
    int code, calls;
};

static int finish(struct proa_win *win, void *user)
{
    struct finishing *finishing = user;

    CHECK_EQUAL(win->user, user);
    finishing->calls++;
    return finishing->code ? proa_fail(finishing->code, "could not finish") : PROA_OK;
}

static void unfinished_body(struct world *world)
{
    window_free(window_of_words(world, 4));
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++)
        for (int wrong = 0; wrong < world->size; wrong++) {
            struct finishing finishing = {.code = world->rank == wrong ? PROA_ERR_NO_MEM : 0};
            struct proa_create_args args = {.flavor = (enum proa_flavor)flavor,
                                            .disp_unit = 1,
                                            .finish = finish,
                                            .user = &finishing};
            check_all_fail(world, &args, PROA_ERR_NO_MEM);
            CHECK_EQUAL(finishing.calls, 1);
            finishing = (struct finishing){0};
            window_free(window_create(world, &args));
            CHECK_EQUAL(finishing.calls, 1);
        }
}

static void unfinished(void **state)
{
    (void)state;
    on_all_sizes(unfinished_body, NULL);
}

static void no_memory_body(struct world *world)
{
    uint64_t too_much = UINT64_C(1) << 46;

    window_free(window_of_words(world, 4));
    for (int wrong = 0; wrong < world->size; wrong++) {
        struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .disp_unit = 1};
        args.bytes = world->rank == wrong ? too_much : 100;
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
        args.flavor = PROA_FLAVOR_SHARED; /* contiguous: rank 0 finds out, for all */
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
        args.noncontig = 1;
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
    }
    /* Only together too much; and so much that the sum wraps around. */
    if (world->size > 1) {
        struct proa_create_args args = {
            .flavor = PROA_FLAVOR_SHARED, .disp_unit = 1, .bytes = (uint64_t)INT64_MAX};
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
        args.bytes = UINT64_C(1) << 45;
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
        args.bytes = UINT64_MAX / (uint64_t)world->size + 1;
        check_all_fail(world, &args, PROA_ERR_NO_MEM);
    }
}

static void no_memory(void **state)
{
    (void)state;
    on_all_sizes(no_memory_body, NULL);
}

/* The last process may have no files larger than 4 MiB: what it cannot share is the host's, for
 * all. */
static void last_has_small_files(struct world *world)
{
    struct rlimit files = {4 << 20, RLIM_INFINITY};

    setenv("PROA_LOG", "0", 1);
    if (world->rank == world->size - 1)
        CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &files), 0);
}

static void small_files_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .disp_unit = 1, .bytes = 8 << 20};

    window_free(window_of_words(world, 4));
    check_all_fail(world, &args, PROA_ELSEWHERE);
    args.flavor = PROA_FLAVOR_SHARED;
    args.noncontig = 1;
    check_all_fail(world, &args, PROA_ELSEWHERE);
    args.bytes = 1 << 20;
    window_free(window_create(world, &args));
}

static void small_files(void **state)
{
    (void)state;
    for (int size = 1; size <= 3; size++)
        world_run(&(struct world_plan){
            .size = size, .before = last_has_small_files, .body = small_files_body});
}

/* ---- no memory on one process, at each place where some is asked for ---- */

/* so many calls succeed, one fails, then all succeed; below 0: none fails */
static int calloc_fails_after = -1;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return calloc_fails_after >= 0 && calloc_fails_after-- == 0 ? NULL
                                                                : __real_calloc(count, bytes);
}

/* The outcome of a creation in which process `wrong` gets no memory at its n-th request; the same
 * for all. *asked: it asked so often. */
static int create_without(struct world *world, const struct proa_create_args *args,
                          const struct proa_group *group, int wrong, int n, int *asked)
{
    struct proa_win *win = NULL;
    void *before = next_block();
    int outcomes[WORLD_MOST], outcome;

    calloc_fails_after = world->rank == wrong ? n : -1;
    outcome = proa_win_create(args, group, &win);
    *asked = world->rank == wrong && calloc_fails_after < 0;
    calloc_fails_after = -1;
    CHECK_EQUAL(world->group.allgather(world->group.context, &outcome, outcomes, sizeof outcome),
                0);
    for (int i = 0; i < world->size; i++)
        CHECK_EQUAL(outcomes[i], outcome);
    if (outcome == PROA_OK)
        /* its members do not all stand for processes: no barrier of theirs */
        proa_win_release(win);
    CHECK_EQUAL(next_block(), before);
    CHECK_EQUAL(world->group.max(world->group.context, asked), 0);
    return outcome;
}

static void no_memory_alone_body(struct world *world)
{
    /* more members than room is kept for their cards */
    struct proa_group groups[] = {world->group, world_stretch(world, 100)};

    window_free(window_of_words(world, 4));
    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++)
        for (int i = 0; i < 2; i++)
            for (int wrong = 0; wrong < world->size; wrong++) {
                struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
                int n = 0, asked = 1;
                for (; asked; n++) {
                    int outcome = create_without(world, &args, &groups[i], wrong, n, &asked);
                    CHECK_EQUAL(outcome, asked ? PROA_ERR_NO_MEM : PROA_OK);
                }
                CHECK(n > 3); /* window, targets, pairs */
            }
}

static void no_memory_alone(void **state)
{
    (void)state;
    on_all_sizes(no_memory_alone_body, NULL);
}

static void broken_exchange_body(struct world *world)
{
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 100, .disp_unit = 1};
    struct proa_win *win = NULL;
    void *before = next_block();

    world_break_exchange(PROA_ERR_COMM);
    CHECK_EQUAL(proa_win_create(&args, &world->group, &win), PROA_ERR_COMM);
    CHECK(!win);
    world_break_exchange(0);
    CHECK_EQUAL(next_block(), before);
    window_free(window_of_words(world, 4));
}

WORLD_TEST(broken_exchange, 2)

/* ---- other processes may read our private memory (linked with --wrap=prctl) ---- */

static int allowed; /* how often */

int __real_prctl(int option, ...);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    allowed += option == PR_SET_PTRACER;
    return __real_prctl(option, a, b, c, d);
}

static struct proa_group inner;

/* An exchange after which others may try: what has to be allowed is by then. */
static int allowed_allgather(void *context, const void *mine, void *all, size_t bytes)
{
    CHECK_EQUAL(allowed, 1);
    return inner.allgather(context, mine, all, bytes);
}

static void private_memory_body(struct world *world)
{
    int flavor = *(const int *)world->arg;
    struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
    struct proa_group group = inner = world->group;
    struct proa_win *win;
    static char fixed[100];
    char *lent = proa_arena_alloc(100, 0);

    for (int shared = PROA_FLAVOR_ALLOCATE; shared <= PROA_FLAVOR_SHARED; shared += 2)
        window_free(window_create(
            world, &(struct proa_create_args){
                       .flavor = (enum proa_flavor)shared, .bytes = 100, .disp_unit = 1}));
    window_free(window_create(
        world, &(struct proa_create_args){
                   .flavor = PROA_FLAVOR_CREATE, .base = lent, .bytes = 100, .disp_unit = 1}));
    CHECK_EQUAL(allowed, 0); /* nobody needs it */
    if (flavor == PROA_FLAVOR_CREATE) {
        args.base = fixed;
        args.bytes = sizeof fixed;
    }
    group.allgather = allowed_allgather;
    for (int i = 0; i < 2; i++) {
        CHECK_OK(proa_win_create(&args, &group, &win));
        window_free(win);
    }
    CHECK_EQUAL(allowed, 1); /* once is enough */
    CHECK(proa_arena_free(lent));
}

static void private_memory(void **state)
{
    static const int flavors[] = {PROA_FLAVOR_CREATE, PROA_FLAVOR_DYNAMIC};
    (void)state;

    for (int i = 0; i < 2; i++)
        world_run(&(struct world_plan){.size = 2, .body = private_memory_body, .arg = &flavors[i]});
}

/* ---- nodes ---- */

static void other_node(struct world *world)
{
    int alone = *(const int *)world->arg;

    setenv("PROA_NODE_ID", world->rank == alone ? "another" : "here", 1);
    setenv("PROA_LOG", "0", 1);
}

static void elsewhere_body(struct world *world)
{
    void *before = next_block();

    for (int flavor = PROA_FLAVOR_CREATE; flavor <= PROA_FLAVOR_SHARED; flavor++) {
        struct proa_create_args args = {.flavor = (enum proa_flavor)flavor, .disp_unit = 1};
        struct proa_win *win = NULL;
        CHECK_EQUAL(proa_win_create(&args, &world->group, &win),
                    flavor == PROA_FLAVOR_SHARED ? PROA_ERR_RMA_SHARED : PROA_ELSEWHERE);
        CHECK(strstr(proa_failure(), "different nodes"));
        CHECK(!win);
        CHECK_EQUAL(next_block(), before);
        /* A wrong argument is one on any number of nodes. */
        args.error = world->rank == 0 ? PROA_ERR_DISP : 0;
        CHECK_EQUAL(proa_win_create(&args, &world->group, &win), PROA_ERR_DISP);
        CHECK(!win);
    }
}

static void elsewhere(void **state)
{
    (void)state;
    for (int size = 2; size <= 5; size++)
        for (int alone = 0; alone < size; alone += size - 1)
            world_run(&(struct world_plan){
                .size = size, .before = other_node, .body = elsewhere_body, .arg = &alone});
}

static void same_node(struct world *world)
{
    (void)world;
    setenv("PROA_NODE_ID", "one and the same", 1);
}

static void one_node_body(struct world *world)
{
    window_free(window_of_words(world, 4));
}

WORLD_TEST(one_node, 3, .before = same_node)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_operations),
        cmocka_unit_test(huge_counts),
        cmocka_unit_test(wrong_operations),
        cmocka_unit_test(shapes),
        cmocka_unit_test(empty),
        cmocka_unit_test(alignment),
        cmocka_unit_test(contiguous),
        cmocka_unit_test(other_order),
        cmocka_unit_test(further_segments),
        cmocka_unit_test(small),
        cmocka_unit_test(many_windows),
        cmocka_unit_test(error_on_one),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(asked_by_some),
        cmocka_unit_test(different_flavors),
        cmocka_unit_test(private_memory),
        cmocka_unit_test(lent),
        cmocka_unit_test(small_files),
        cmocka_unit_test(broken_exchange),
        cmocka_unit_test(elsewhere),
        cmocka_unit_test(one_node),
        cmocka_unit_test(no_memory_alone),
        cmocka_unit_test(unfinished),
        cmocka_unit_test(elsewhere_for_one),
        cmocka_unit_test(without_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
