/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of dynamic windows (rma/regions.c): attach, detach and find against a model; neighbours
 * that look while the owner changes. */
#include "move.h"

#include "base/fail.h"
#include "shm/arena.h"
#include "shm/peer.h"
#include "rma/place.h"
#include "rma/pages.h"
#include "rma/regions.h"
#include "rma/road.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

static struct proa_win *dynamic_window(struct world *world, int threads)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1, .threads = threads};

    return window_create(world, &args);
}

static uint64_t address_of(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* The span that holds all of [address, address + bytes), or PROA_ERR_RMA_RANGE. */
static int find(struct proa_win *win, uint64_t address, uint64_t bytes, int cache,
                struct proa_span *span)
{
    int code = proa_regions_find(win, &win->targets[0], address, bytes, cache, span);

    return code || proa_span_holds(span, address, bytes)
               ? code
               : proa_fail(PROA_ERR_RMA_RANGE, "not in one span");
}

/* ---- against a model ---- */

enum { POOL_BYTES = 1 << 20, MOST = 600 };

struct model {
    char *start[MOST];
    uint64_t bytes[MOST];
    int count;
};

static int overlaps(const struct model *model, const char *start, uint64_t bytes)
{
    for (int i = 0; i < model->count; i++)
        if (start < model->start[i] + model->bytes[i] && model->start[i] < start + bytes)
            return 1;
    return 0;
}

/* The end of the region that holds this byte; NULL if there is none. */
static const char *end_of_region(const struct model *model, const char *byte)
{
    for (int i = 0; i < model->count; i++)
        if (byte >= model->start[i] && byte < model->start[i] + model->bytes[i])
            return model->start[i] + model->bytes[i];
    return NULL;
}

/* In one region, or in several that lie side by side. */
static int holds(const struct model *model, const char *start, uint64_t bytes)
{
    const char *end = start + bytes;

    while (start && start < end)
        start = end_of_region(model, start);
    return start != NULL;
}

static void attach_random(struct proa_win *win, struct model *model, char *pool, uint64_t *seed)
{
    uint64_t bytes = 1 + world_below(seed, 1 << world_below(seed, 12));
    char *start = pool + world_below(seed, POOL_BYTES - bytes);
    int i = model->count && world_below(seed, 4) == 0
                ? (int)world_below(seed, (uint64_t)model->count)
                : -1;

    if (i >= 0 && model->start[i] + model->bytes[i] + bytes < pool + POOL_BYTES)
        start = model->start[i] + model->bytes[i]; /* right behind another */
    if (overlaps(model, start, bytes)) {
        CHECK_FAILS(proa_regions_attach(win, start, bytes), PROA_ERR_RMA_ATTACH);
    } else if (model->count < MOST) {
        CHECK_OK(proa_regions_attach(win, start, bytes));
        model->start[model->count] = start;
        model->bytes[model->count++] = bytes;
    }
}

static void detach_random(struct proa_win *win, struct model *model, char *pool, uint64_t *seed)
{
    char *start = pool + world_below(seed, POOL_BYTES);
    int i = model->count ? (int)world_below(seed, (uint64_t)model->count) : -1;

    for (int k = 0; k < model->count; k++)
        if (model->start[k] == start)
            return;
    CHECK_FAILS(proa_regions_detach(win, start), PROA_ERR_BASE);
    if (i < 0)
        return;
    CHECK_OK(proa_regions_detach(win, model->start[i]));
    CHECK_FAILS(proa_regions_detach(win, model->start[i]), PROA_ERR_BASE);
    model->count--;
    model->start[i] = model->start[model->count];
    model->bytes[i] = model->bytes[model->count];
}

static void find_random(struct proa_win *win, const struct model *model, char *pool, uint64_t *seed)
{
    uint64_t bytes = world_below(seed, 1 << world_below(seed, 12));
    char *start = pool + world_below(seed, POOL_BYTES - bytes);
    int i = model->count ? (int)world_below(seed, (uint64_t)model->count) : -1,
        cache = (int)world_below(seed, 2);
    struct proa_span span;

    if (i >= 0 && world_below(seed, 3)) { /* at or about the ends of a region */
        start = model->start[i] + world_below(seed, model->bytes[i] + 1);
        bytes = world_below(seed, model->bytes[i] + 2);
    }
    if (bytes == 0)
        bytes = 1;
    if (!holds(model, start, bytes)) {
        CHECK_FAILS(find(win, address_of(start), bytes, cache, &span), PROA_ERR_RMA_RANGE);
        return;
    }
    CHECK_OK(find(win, address_of(start), bytes, cache, &span));
    CHECK_EQUAL(span.here, span.first);
    CHECK_EQUAL(span.key, span.first);
    CHECK_EQUAL(span.owner, proa_self);
}

static void against_model(struct world *world, char *pool, int is_arena)
{
    struct proa_win *win = dynamic_window(world, 0);
    static struct model model;
    struct proa_span span;
    uint64_t seed = 11;

    model.count = 0;
    for (long step = 0; step < world_rounds(30000); step++) {
        uint64_t growing = step / 5000 % 2 == 0 ? 70 : 40; /* of 100 changes */
        if (world_below(&seed, 100) < growing)
            attach_random(win, &model, pool, &seed);
        else
            detach_random(win, &model, pool, &seed);
        for (int i = 0; i < 3; i++)
            find_random(win, &model, pool, &seed);
    }
    if (model.count) {
        CHECK_OK(find(win, address_of(model.start[0]), 1, 0, &span));
        CHECK(span.road == PROA_ROAD_STORE && span.atomics == is_arena);
    }
    while (model.count)
        detach_random(win, &model, pool, &seed);
    CHECK_FAILS(find(win, address_of(pool), 1, 1, &span), PROA_ERR_RMA_RANGE);
    window_free(win);
}

static void model_body(struct world *world)
{
    char *heap = malloc(POOL_BYTES), *arena = proa_arena_alloc(POOL_BYTES, 0);

    CHECK(heap && arena);
    against_model(world, heap, 0);
    against_model(world, arena, 1);
    free(heap);
    CHECK(proa_arena_free(arena));
}

WORLD_TEST(model, 1)

/* ---- single rules ---- */

static void rules_body(struct world *world)
{
    static char memory[1000];
    struct proa_win *win = dynamic_window(world, 0);
    struct proa_span span;

    CHECK_FAILS(proa_regions_detach(win, memory), PROA_ERR_BASE); /* before anything was attached */
    CHECK_OK(proa_regions_attach(win, memory + 100, 100));
    CHECK_FAILS(proa_regions_attach(win, memory + 100, 100), PROA_ERR_RMA_ATTACH);
    CHECK_FAILS(proa_regions_attach(win, memory + 199, 1), PROA_ERR_RMA_ATTACH);
    CHECK_FAILS(proa_regions_attach(win, memory, 101), PROA_ERR_RMA_ATTACH);
    CHECK_FAILS(proa_regions_attach(win, memory, 1000), PROA_ERR_RMA_ATTACH);
    CHECK_FAILS(proa_regions_attach(win, memory + 150, 10), PROA_ERR_RMA_ATTACH);
    CHECK_OK(proa_regions_attach(win, memory, 100));
    CHECK_OK(proa_regions_attach(win, memory + 200, 1));
    CHECK_FAILS(proa_regions_detach(win, memory + 101), PROA_ERR_BASE);
    /* Nothing at all: legal, may be detached, several times if attached several times, reachable by
     * no process. */
    CHECK_OK(proa_regions_attach(win, memory + 500, 0));
    CHECK_OK(proa_regions_attach(win, memory + 500, 0));
    CHECK_FAILS(find(win, address_of(memory + 500), 1, 0, &span), PROA_ERR_RMA_RANGE);
    CHECK_OK(proa_regions_detach(win, memory + 500));
    CHECK_OK(proa_regions_detach(win, memory + 500));
    CHECK_FAILS(proa_regions_detach(win, memory + 500), PROA_ERR_BASE);
    CHECK_OK(proa_regions_attach(win, NULL, 0));
    CHECK_OK(proa_regions_detach(win, NULL));
    /* Past the end of memory. */
    CHECK_FAILS(proa_regions_attach(win, memory + 600, SIZE_MAX - 10), PROA_ERR_SIZE);
    CHECK_FAILS(find(win, address_of(memory + 199), UINT64_MAX - 10, 0, &span), PROA_ERR_RMA_RANGE);
    CHECK_FAILS(find(win, 0, 1, 0, &span), PROA_ERR_RMA_RANGE);
    CHECK_FAILS(find(win, UINT64_MAX, 1, 0, &span), PROA_ERR_RMA_RANGE);
    window_free(win); /* with regions left: forgotten */
}

WORLD_TEST(rules, 1)

/* Two windows know nothing of each other's regions. */
static void two_windows_body(struct world *world)
{
    static char memory[100];
    struct proa_win *one = dynamic_window(world, 0), *two = dynamic_window(world, 0);
    struct proa_span span;

    CHECK_OK(proa_regions_attach(one, memory, 100));
    CHECK_OK(proa_regions_attach(two, memory + 50, 50));
    CHECK_OK(find(one, address_of(memory), 100, 1, &span));
    CHECK_FAILS(find(two, address_of(memory), 100, 1, &span), PROA_ERR_RMA_RANGE);
    CHECK_OK(proa_regions_detach(one, memory));
    CHECK_OK(find(two, address_of(memory + 50), 50, 1, &span));
    window_free(two);
    window_free(one);
}

WORLD_TEST(two_windows, 1)

/* The plain way has the region that was found last, within its borders, in an epoch, and as long as
 * nothing is attached or detached. */
static void at_hand_body(struct world *world)
{
    static char memory[300];
    struct proa_win *win = dynamic_window(world, 0);
    int64_t address = (int64_t)address_of(memory + 100);
    struct proa_span span;

    CHECK_OK(proa_regions_attach(win, memory + 100, 100));
    CHECK_OK(proa_win_lock_all(win, 0));
    CHECK(!proa_fast_address(win, 0, address, 8)); /* nothing found yet */
    CHECK_OK(find(win, address_of(memory + 100), 8, 1, &span));
    CHECK(proa_fast_address(win, 0, address, 100) == memory + 100);
    CHECK(proa_fast_address(win, 0, address + 99, 1) == memory + 199);
    CHECK(!proa_fast_address(win, 0, address - 1, 8));
    CHECK(!proa_fast_address(win, 0, address, 101));
    CHECK(!proa_fast_address(win, 0, address + 101, UINT64_MAX));
    CHECK_OK(proa_win_unlock_all(win));
    CHECK(!proa_fast_address(win, 0, address, 8)); /* no epoch */
    CHECK_OK(proa_win_lock_all(win, 0));
    CHECK_OK(proa_regions_detach(win, memory + 100));
    CHECK(!proa_fast_address(win, 0, address, 8));
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

WORLD_TEST(at_hand, 1)

/* ---- neighbours ---- */

enum { STABLE = 12, MOVING = 150, PIECE = 256 };

/* Where the regions of rank 0 are: stable ones hold their own numbers; moving ones come and go.
 * Laid out by turns. */
struct shared {
    uint32_t stop, looks;
    uint64_t stable[STABLE], moving[MOVING];
};

static void attach_all_stable(struct proa_win *win, struct shared *shared, char *heap, char *arena)
{
    for (int i = 0; i < STABLE; i++) {
        int64_t *words = (int64_t *)(void *)((i % 2 ? heap : arena) + 20 * PIECE * i);
        for (size_t k = 0; k < PIECE / 8; k++)
            words[k] = 1000 * i + (int64_t)k;
        shared->stable[i] = address_of(words);
        CHECK_OK(proa_regions_attach(win, words, PIECE));
    }
    for (int i = 0; i < MOVING; i++)
        shared->moving[i] =
            address_of((i % 2 ? heap : arena) + PIECE * (20 * (i % STABLE) + 1 + i / STABLE));
}

/* At least so many steps, and until the neighbours have looked a while. */
static void come_and_go(struct proa_win *win, struct shared *shared, long steps)
{
    char attached[MOVING] = {0};
    uint64_t seed = 4;

    for (long step = 0; step < steps || __atomic_load_n(&shared->looks, __ATOMIC_SEQ_CST) < 5000;
         step++) {
        int i = (int)world_below(&seed, MOVING);
        void *base = (void *)(uintptr_t)shared->moving[i];
        if (attached[i])
            CHECK_OK(proa_regions_detach(win, base));
        else
            CHECK_OK(proa_regions_attach(win, base, PIECE));
        attached[i] = !attached[i];
    }
    __atomic_store_n(&shared->stop, 1, __ATOMIC_SEQ_CST);
}

/* A stable region is there at every look; a moving one is there or not. */
static void look(struct proa_win *win, struct shared *shared, uint64_t seed, int cache)
{
    while (!__atomic_load_n(&shared->stop, __ATOMIC_SEQ_CST)) {
        int i = (int)world_below(&seed, STABLE), k = (int)world_below(&seed, PIECE / 8), code;
        struct proa_span span;
        int64_t value = -1;
        CHECK_OK(find(win, shared->stable[i], PIECE, cache, &span));
        CHECK_EQUAL(span.first, shared->stable[i]);
        CHECK_EQUAL(span.end, shared->stable[i] + PIECE);
        CHECK_EQUAL(span.key, shared->stable[i]);
        CHECK_EQUAL(span.road, i % 2 == 0 ? PROA_ROAD_STORE : PROA_ROAD_CMA);
        CHECK_OK(get_word(win, 0, (int64_t)(shared->stable[i] + 8 * (uint64_t)k), &value));
        CHECK_EQUAL(value, 1000 * i + k);
        code = find(win, shared->moving[world_below(&seed, MOVING)], 8, cache, &span);
        CHECK(code == PROA_OK || code == PROA_ERR_RMA_RANGE);
        __atomic_fetch_add(&shared->looks, 1, __ATOMIC_SEQ_CST);
    }
}

struct lookers {
    struct proa_win *win;
    struct shared *shared;
};

static void look_in_thread(void *arg, int number)
{
    const struct lookers *lookers = arg;

    look(lookers->win, lookers->shared, (uint64_t)number, 0);
}

static void neighbours_body(struct world *world)
{
    int threads = world->arg != NULL;
    struct proa_win *win = dynamic_window(world, threads);
    struct shared *shared = (struct shared *)(void *)world->shared;
    char *heap = malloc(20 * PIECE * STABLE), *arena = proa_arena_alloc(20 * PIECE * STABLE, 0);
    struct lookers lookers = {win, shared};

    CHECK(heap && arena);
    if (world->rank == 0)
        attach_all_stable(win, shared, heap, arena);
    world_barrier(world);
    CHECK_OK(proa_win_lock_all(win, 0));
    if (world->rank == 0)
        come_and_go(win, shared, world_rounds(40000));
    else if (threads)
        world_threads(3, look_in_thread, &lookers);
    else
        look(win, shared, (uint64_t)world->rank, world->rank % 2);
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
    free(heap);
    CHECK(proa_arena_free(arena));
}

static void neighbours(void **state)
{
    (void)state;
    for (int size = 2; size <= 4; size++)
        world_run(&(struct world_plan){.size = size, .body = neighbours_body, .kernel = 1});
}

static void neighbours_threads(void **state)
{
    (void)state;
    world_run(
        &(struct world_plan){.size = 2, .body = neighbours_body, .kernel = 1, .arg = "threads"});
}

/* Regions side by side are reached as one, but not where one ends with its segment and the next, by
 * chance, begins with another: in neighbours the two segments lie apart. Rows are written here as
 * attach would write them. */
static void across_segments_body(struct world *world)
{
    struct proa_win *win = dynamic_window(world, 0);
    struct proa_regions_ctl *ctl = &win->ctl->regions;
    struct proa_region *rows = proa_arena_alloc(4 * sizeof *rows, 0);
    struct proa_span span;
    uint64_t offset;
    int segment;

    CHECK(rows && proa_arena_alloc(100 << 20, 0)); /* a second segment */
    CHECK(proa_arena_find(rows, 4 * sizeof *rows, &segment, &offset));
    rows[0] = (struct proa_region){.start = 10000, .end = 11000, .segment = 0, .offset = 50000};
    rows[1] = (struct proa_region){.start = 11000, .end = 12000, .segment = 0, .offset = 51000};
    rows[2] = (struct proa_region){.start = 12000, .end = 13000, .segment = 1, .offset = 0};
    rows[3] = (struct proa_region){.start = 13000, .end = 14000, .segment = -1};
    __atomic_store_n(&ctl->count, 4, __ATOMIC_SEQ_CST);
    __atomic_store_n(&ctl->segment, (uint32_t)segment, __ATOMIC_SEQ_CST);
    __atomic_store_n(&ctl->offset, offset, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&ctl->sequence, 2, __ATOMIC_SEQ_CST);
    for (int cache = 0; cache <= 1; cache++) {
        CHECK_OK(find(win, 10500, 1500, cache, &span));
        CHECK_EQUAL(span.here, proa_peer_segment(proa_self, 0) + 50000);
        CHECK_FAILS(find(win, 11500, 1000, cache, &span), PROA_ERR_RMA_RANGE);
        CHECK_FAILS(find(win, 12999, 2, cache, &span), PROA_ERR_RMA_RANGE);
        CHECK_OK(find(win, 12000, 1000, cache, &span));
        CHECK_EQUAL(span.here, proa_peer_segment(proa_self, 1));
        CHECK_EQUAL(span.key, address_of(proa_peer_segment(proa_self, 1)));
        CHECK_OK(find(win, 13000, 1000, cache, &span));
        CHECK_EQUAL(span.key, 13000);
        CHECK(span.road == PROA_ROAD_STORE && !span.atomics);
    }
    window_free(win);
}

WORLD_TEST(across_segments, 1)

/*
 * A table that moves from segment to segment, as it does when it grows, while a neighbour looks.
 * The reader may find a mixture of old and new words, and must not follow it anywhere. So that the
 * owner comes in between at any instruction, it is played by a signal handler; it writes its words
 * as rma/regions.c does.
 */
static struct {
    struct proa_regions_ctl *ctl;
    uint32_t segment[2];
    uint64_t offset[2];
    volatile sig_atomic_t moves;
} mover;

static void move_table(int number)
{
    int to = mover.moves % 2;

    (void)number;
    __atomic_fetch_add(&mover.ctl->sequence, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&mover.ctl->count, 64, __ATOMIC_RELAXED);
    __atomic_store_n(&mover.ctl->segment, mover.segment[to], __ATOMIC_RELAXED);
    __atomic_store_n(&mover.ctl->offset, mover.offset[to], __ATOMIC_RELAXED);
    __atomic_fetch_add(&mover.ctl->sequence, 1, __ATOMIC_SEQ_CST);
    mover.moves = mover.moves + 1;
}

static void add_table(int which, struct proa_region *rows)
{
    int segment;

    CHECK(rows);
    for (uint64_t i = 0; i < 64; i++)
        rows[i] = (struct proa_region){
            .start = 1000 * (i + 1), .end = 1000 * (i + 1) + 500, .segment = -1};
    CHECK(proa_arena_find(rows, 64 * sizeof *rows, &segment, &mover.offset[which]));
    mover.segment[which] = (uint32_t)segment;
}

static timer_t start_moving(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec often = {{0, 20000}, {0, 20000}};
    timer_t timer;

    signal(SIGUSR1, move_table);
    CHECK_EQUAL(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    CHECK_EQUAL(timer_settime(timer, 0, &often, NULL), 0);
    return timer;
}

static void moving_table_body(struct world *world)
{
    struct proa_win *win = dynamic_window(world, 0);
    struct proa_span span;
    timer_t timer;

    mover.ctl = &win->ctl->regions;
    add_table(0, proa_arena_alloc(64 * sizeof(struct proa_region), 0));
    /* a second segment, and an offset in it that the first has not */
    CHECK(proa_arena_alloc(100 << 20, 0));
    CHECK(proa_arena_alloc(62 << 20, 0)); /* fills the first */
    add_table(1, proa_arena_alloc(2 << 20, 0));
    CHECK(mover.segment[1] != mover.segment[0] && mover.offset[1] > 64 << 20);
    move_table(0);
    timer = start_moving();
    for (uint64_t i = 0; mover.moves < world_rounds(20000); i++)
        CHECK_OK(find(win, 1000 * (i % 64 + 1), 500, 0, &span));
    timer_delete(timer);
    window_free(win);
}

WORLD_TEST(moving_table, 1)

/* Several threads of the owner, each with regions of its own. */
static void attach_in_thread(void *arg, int number)
{
    struct proa_win *win = arg;
    struct proa_span span;
    char *memory = malloc(4000);
    (void)number;

    CHECK(memory);
    for (long round = 0; round < world_rounds(1000); round++) {
        for (int i = 0; i < 40; i++)
            CHECK_OK(proa_regions_attach(win, memory + 100 * i, 60));
        for (int i = 0; i < 40; i++)
            CHECK_OK(find(win, address_of(memory + 100 * i), 60, 0, &span));
        for (int i = 0; i < 40; i++)
            CHECK_OK(proa_regions_detach(win, memory + 100 * i));
        CHECK_FAILS(find(win, address_of(memory), 1, 0, &span), PROA_ERR_RMA_RANGE);
    }
    free(memory);
}

static void attaching_threads_body(struct world *world)
{
    struct proa_win *win = dynamic_window(world, 1);

    world_threads(4, attach_in_thread, win);
    window_free(win);
}

WORLD_TEST(attaching_threads, 1)

/* Detaching takes effect: a region that was found, and remembered, is not found again. */
static void forgotten_body(struct world *world)
{
    struct proa_win *win = dynamic_window(world, 0);
    uint64_t *address = (uint64_t *)(void *)world->shared;
    int64_t *memory = malloc(80), value;

    CHECK(memory);
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int round = 0; round < 100; round++) {
        if (world->rank == 0) {
            memory[0] = round;
            CHECK_OK(proa_regions_attach(win, memory, 80));
            *address = address_of(memory);
        }
        world_barrier(world);
        if (world->rank == 1) {
            CHECK_OK(get_word(win, 0, (int64_t)*address, &value));
            CHECK_EQUAL(value, round);
            CHECK_OK(get_word(win, 0, (int64_t)*address + 72, &value));
            CHECK_FAILS(get_word(win, 0, (int64_t)*address + 73, &value), PROA_ERR_RMA_RANGE);
        }
        world_barrier(world);
        if (world->rank == 0)
            CHECK_OK(proa_regions_detach(win, memory));
        world_barrier(world);
        if (world->rank == 1)
            CHECK_FAILS(get_word(win, 0, (int64_t)*address, &value), PROA_ERR_RMA_RANGE);
        world_barrier(world);
    }
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
    free(memory);
}

WORLD_TEST(forgotten, 2, .kernel = 1)

/* ---- adopted memory ---- */

/* A region that goes over the border of two blocks (rma/pages.h), with a page in it that cannot be
 * written by its owner and so stays: three pieces, one detach. */
enum { WIDE_BYTES = 130 << 20 };

static char *wide_attach(struct world *world, struct proa_win *win)
{
    uint64_t *told = (uint64_t *)(void *)world->shared;
    char *memory =
        mmap(NULL, WIDE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    CHECK_EQUAL(mprotect(memory + world_pages(1), world_pages(1), PROT_READ), 0);
    CHECK_OK(proa_regions_attach(win, memory + 8, WIDE_BYTES - 8));
    told[0] = address_of(memory);
    CHECK_FAILS(proa_regions_detach(win, memory + world_pages(1)), PROA_ERR_BASE);
    CHECK_FAILS(proa_regions_detach(win, memory + world_pages(2)), PROA_ERR_BASE);
    CHECK_FAILS(proa_regions_attach(win, memory + world_pages(3), 8), PROA_ERR_RMA_ATTACH);
    return memory;
}

static void wide_use(struct proa_win *win, uint64_t start)
{
    uint64_t border = (start / proa_pages_block + 1) * proa_pages_block;
    int64_t sent[512], got[512] = {0};
    struct proa_span span;

    CHECK_OK(find(win, start + 8, 8, 1, &span));
    CHECK(span.adopted && span.atomics && span.here);
    CHECK_OK(find(win, border, 8, 1, &span));
    CHECK(span.adopted && span.first == border);
    CHECK_OK(find(win, start + world_pages(1), 8, 1, &span));
    CHECK(span.road == PROA_ROAD_CMA);
    CHECK_FAILS(find(win, start + world_pages(1) - 8, 16, 1, &span),
                PROA_ERR_RMA_RANGE); /* of two */
    for (int i = 0; i < 512; i++)
        sent[i] = i + 1;
    CHECK_OK(put_many(win, 0, (int64_t)border - 2048, sent, 512, PROA_I64));
    CHECK_OK(accumulate_many(win, 0, (int64_t)border - 8, sent, 2, PROA_I64, PROA_OP_SUM));
    CHECK_OK(get_many(win, 0, (int64_t)border - 2048, got, 512, PROA_I64));
    for (int i = 0; i < 512; i++)
        CHECK_EQUAL(got[i], i == 255 ? 257 : i == 256 ? 259 : i + 1);
}

static void adopted_body(struct world *world)
{
    const uint64_t *told = (const uint64_t *)(const void *)world->shared;
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1, .adopt = PROA_ADOPT_ALWAYS};
    struct proa_win *win = window_create(world, &args);
    struct proa_span span;
    char *memory = NULL;

    if (world->rank == 0)
        memory = wide_attach(world, win);
    world_barrier(world);
    if (world->rank == 1) {
        CHECK_OK(proa_win_lock_all(win, 0));
        wide_use(win, told[0]);
        CHECK_OK(proa_win_unlock_all(win));
    }
    world_barrier(world);
    if (memory)
        CHECK_OK(proa_regions_detach(win, memory + 8));
    world_barrier(world);
    CHECK_FAILS(find(win, told[0] + 8, 8, 1, &span), PROA_ERR_RMA_RANGE);
    CHECK_FAILS(find(win, told[0] + WIDE_BYTES - 8, 8, 1, &span), PROA_ERR_RMA_RANGE);
    if (memory) {
        uint64_t border = (told[0] / proa_pages_block + 1) * proa_pages_block;
        CHECK_EQUAL(*(int64_t *)(uintptr_t)border, 259);
        munmap(memory, WIDE_BYTES);
    }
    window_free(win);
}

WORLD_TEST(adopted, 2, .kernel = 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model),
        cmocka_unit_test(adopted),
        cmocka_unit_test(rules),
        cmocka_unit_test(two_windows),
        cmocka_unit_test(at_hand),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(forgotten),
        cmocka_unit_test(moving_table),
        cmocka_unit_test(neighbours_threads),
        cmocka_unit_test(attaching_threads),
        cmocka_unit_test(across_segments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
