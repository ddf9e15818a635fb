/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Targets of several spans (window/span.h), made here by hand: pieces of two processes' arenas and
 * of private memory, with borders in the middle of elements, under every operation and on every
 * road. And what spans of windows say: all processes guard a byte by the same key.
 */
#include "move.h"

#include "base/fail.h"
#include "rma/regions.h"
#include "shm/arena.h"
#include "rma/guard.h"
#include "rma/place.h"
#include "rma/road.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

/* ---- a window by hand ---- */

enum memory { HEAP_0, HEAP_1, ARENA_0, ARENA_1, MEMORIES };
enum { MEMORY_BYTES = 8192, SPANS = 10 };

/* The window of rank 0: where its pieces lie. Borders are at odd places; some spans are smaller
 * than an element. In the last piece an element goes over the border of two stripes. */
static const struct {
    enum memory memory;
    uint64_t at, bytes;
} pieces[SPANS] = {
    {HEAP_0, 16, 37},    {ARENA_0, 64, 91},        {ARENA_1, 8, 5},     {HEAP_0, 203, 3},
    {ARENA_1, 512, 100}, {ARENA_0, 4000, 61},      {HEAP_0, 1000, 111}, {HEAP_1, 300, 45},
    {HEAP_0, 2000, 9},   {ARENA_0, 4096 - 20, 83},
};

/* In world->shared. */
struct shared {
    uint64_t address[MEMORIES]; /* in the owner */
    uint32_t turn;
    char image[1024]; /* what the window should hold */
};

static uint64_t window_bytes(void)
{
    uint64_t bytes = 0;

    for (int i = 0; i < SPANS; i++)
        bytes += pieces[i].bytes;
    return bytes;
}

static struct shared *shared_of(const struct world *world)
{
    return (struct shared *)(void *)world->shared;
}

static char *arena_here(struct proa_peer *owner, uint64_t address)
{
    char *segment = proa_peer_segment(owner, 0);

    CHECK(segment);
    return segment + (address - owner->ctl->segments[0].address);
}

static struct proa_span span_of_piece(struct world *world, const struct proa_win *win, int i,
                                      uint64_t first)
{
    uint64_t address = shared_of(world)->address[pieces[i].memory] + pieces[i].at;
    int rank = pieces[i].memory == ARENA_1 || pieces[i].memory == HEAP_1;
    struct proa_peer *owner = win->targets[rank].peer;
    struct proa_span span = {
        .first = first, .end = first + pieces[i].bytes, .owner = owner, .key = address};

    if (pieces[i].memory >= ARENA_0) {
        span.here = arena_here(owner, address);
        span.road = PROA_ROAD_STORE;
        span.atomics = 1;
    } else {
        span.here = world->rank == rank ? (char *)(uintptr_t)address : NULL;
        span.road = world->rank == rank ? PROA_ROAD_STORE : PROA_ROAD_CMA;
    }
    return span;
}

/* A window whose target 0 is made of those pieces, all zero. */
static struct proa_win *window_by_hand(struct world *world)
{
    static char heap[MEMORY_BYTES] __attribute__((aligned(4096)));
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_CREATE, .base = heap, .bytes = window_bytes(), .disp_unit = 1};
    struct proa_win *win = window_create(world, &args);
    void *arena = proa_arena_alloc(MEMORY_BYTES, 4096);
    struct proa_span spans[SPANS];
    uint64_t first = 0;

    CHECK(arena);
    memset(arena, 0, MEMORY_BYTES);
    if (world->rank <= 1) {
        shared_of(world)->address[HEAP_0 + world->rank] = (uint64_t)(uintptr_t)heap;
        shared_of(world)->address[ARENA_0 + world->rank] = (uint64_t)(uintptr_t)arena;
    }
    world_barrier(world);
    for (int i = 0; i < SPANS; i++) {
        spans[i] = span_of_piece(world, win, i, first);
        first = spans[i].end;
    }
    CHECK_OK(proa_spans_set(&win->targets[0], spans, SPANS));
    CHECK(win->targets[0].fast == win->targets[0].only.here);
    world_barrier(world);
    return win;
}

static void read_window(const struct proa_win *win, char *bytes)
{
    for (uint32_t i = 0; i < win->targets[0].span_count; i++) {
        const struct proa_span *span = &win->targets[0].spans[i];
        if (span->here)
            memcpy(bytes + span->first, span->here, span->end - span->first);
        else
            CHECK_OK(proa_cma_read(span->owner, span->key, bytes + span->first,
                                   span->end - span->first));
    }
}

/* ---- against a model ---- */

enum { ELEMENTS_MOST = 128, ELEMENT_BYTES = 32, BLOCKS_MOST = 10 };

/* One random operation: `blocks` blocks of `length` elements, at offsets that have a loop or not,
 * upwards or not. */
struct step {
    enum proa_basic basic;
    enum proa_operation operation;
    size_t bytes; /* of an element */
    uint64_t blocks, length, at, offset[BLOCKS_MOST];
    struct proa_type type;
    _Alignas(16) char origin[ELEMENTS_MOST * ELEMENT_BYTES], result[ELEMENTS_MOST * ELEMENT_BYTES],
        expected[ELEMENTS_MOST * ELEMENT_BYTES];
};

static const enum proa_basic basics[] = {PROA_U8,  PROA_I16,        PROA_I32,       PROA_I64,
                                         PROA_C64, PROA_DOUBLE_INT, PROA_SHORT_INT, PROA_INT_INT};

static enum proa_operation random_operation(enum proa_basic basic, uint64_t *seed)
{
    static const enum proa_operation some[] = {PROA_OP_REPLACE, PROA_OP_NO_OP, PROA_OP_SUM,
                                               PROA_OP_BXOR, PROA_OP_MAXLOC};
    enum proa_operation operation;

    do
        operation = some[world_below(seed, sizeof some / sizeof *some)];
    while (!proa_kernel_find(operation, basic) ||
           (basic == PROA_C64 && operation == PROA_OP_SUM)); /* of any bits: NaNs */
    return operation;
}

/* Gives back how far they reach. */
static uint64_t blocks_place(struct step *step, uint64_t *seed)
{
    uint64_t row = step->length * step->bytes, regular = world_below(seed, 2), end = 0,
             gap = world_below(seed, 3) * world_below(seed, 40);

    for (uint64_t i = 0; i < step->blocks; i++) {
        step->offset[i] = end;
        end += row + (regular ? gap : world_below(seed, 30));
    }
    for (uint64_t i = step->blocks; i > 1 && world_below(seed, 8) == 0; i--) {
        uint64_t k = world_below(seed, i), other = step->offset[k];
        step->offset[k] = step->offset[i - 1];
        step->offset[i - 1] = other;
    }
    return end;
}

static void blocks_type(struct step *step)
{
    struct proa_part parts[BLOCKS_MOST];

    for (uint64_t i = 0; i < step->blocks; i++)
        parts[i] = (struct proa_part){.offset = (int64_t)step->offset[i],
                                      .count = step->length,
                                      .type = basic_type(step->basic)};
    CHECK_OK(proa_type_list(parts, step->blocks, &step->type));
}

static void step_choose(struct step *step, uint64_t *seed)
{
    uint64_t bytes = window_bytes(), span;

    memset(step->result, 0, sizeof step->result);
    memset(step->expected, 0, sizeof step->expected);
    step->basic = basics[world_below(seed, sizeof basics / sizeof *basics)];
    step->operation = random_operation(step->basic, seed);
    step->bytes = proa_basic_bytes(step->basic);
    do {
        step->blocks = 1 + world_below(seed, BLOCKS_MOST);
        step->length = 1 + world_below(seed, 12);
        span = blocks_place(step, seed);
    } while (span > bytes);
    step->at = world_below(seed, bytes - span + 1);
    for (size_t i = 0; i < sizeof step->origin; i++)
        step->origin[i] = (char)world_random(seed);
    blocks_type(step);
    proa_type_set_extent(&step->type, (int64_t)span);
}

static void kernel(enum proa_operation operation, enum proa_basic basic, char *target,
                   const char *origin)
{
    proa_kernel_find(operation, basic)(target, origin, 1);
}

/* The same on the image; expected: the old contents. */
static void step_model(struct step *step, char *image, enum proa_operation operation)
{
    for (uint64_t block = 0, i = 0; block < step->blocks; block++)
        for (uint64_t k = 0; k < step->length; k++, i++) {
            char *element = image + step->at + step->offset[block] + k * step->bytes;
            kernel(PROA_OP_REPLACE, step->basic, step->expected + i * step->bytes, element);
            kernel(operation, step->basic, element, step->origin + i * step->bytes);
        }
}

static void step_do(struct proa_win *win, struct step *step, char *image, uint64_t how)
{
    uint64_t count = step->blocks * step->length;
    struct proa_buffer origin = {step->origin, count, basic_type(step->basic)},
                       result = {step->result, count, basic_type(step->basic)};
    struct proa_there there = {0, (int64_t)step->at, 1, &step->type, PROA_CALL_Put};
    enum proa_operation operation = how == 0   ? PROA_OP_REPLACE
                                    : how == 1 ? PROA_OP_NO_OP
                                               : step->operation;

    step_model(step, image, operation);
    if (how == 0)
        CHECK_OK(proa_put(win, &origin, &there));
    else if (how == 1)
        CHECK_OK(proa_get(win, &result, &there));
    else if (how == 2 && operation != PROA_OP_NO_OP)
        CHECK_OK(proa_accumulate(win, &origin, &there, operation));
    else
        CHECK_OK(proa_get_accumulate(win, &origin, &result, &there, operation));
    if (how == 1 || how == 3)
        CHECK_EQUAL(memcmp(step->result, step->expected, count * step->bytes), 0);
}

/* compare_and_swap of one integer, half of the time of what is there. */
static void swap_do(struct proa_win *win, struct step *step, char *image, uint64_t *seed)
{
    char compare[8];
    struct proa_there there = {0, (int64_t)step->at, 1, basic_type(step->basic),
                               PROA_CALL_Accumulate};
    int hit = (int)world_below(seed, 2);

    memcpy(compare, hit ? image + step->at : step->origin + 8, step->bytes);
    hit = memcmp(compare, image + step->at, step->bytes) == 0;
    memcpy(step->expected, image + step->at, step->bytes);
    CHECK_OK(proa_compare_and_swap(win, step->origin, compare, step->result, &there));
    CHECK_EQUAL(memcmp(step->result, step->expected, step->bytes), 0);
    if (hit)
        memcpy(image + step->at, step->origin, step->bytes);
}

static void some_steps(struct world *world, struct proa_win *win, uint64_t *seed)
{
    static struct step step;
    char *image = shared_of(world)->image;

    for (int i = 0; i < 50; i++) {
        uint64_t how = world_below(seed, 5);

        step_choose(&step, seed);
        if (how < 4)
            step_do(win, &step, image, how);
        else if (step.basic <= PROA_I64 || step.basic == PROA_U8)
            swap_do(win, &step, image, seed);
        proa_type_release(&step.type);
    }
}

static void check_window(struct world *world, const struct proa_win *win)
{
    char found[1024] = {0};

    read_window(win, found);
    for (uint64_t i = 0; i < window_bytes(); i++)
        CHECK_EQUAL(found[i], shared_of(world)->image[i]);
}

/* arg: exclusive locks, under which nothing is guarded. */
static void model_body(struct world *world)
{
    struct proa_win *win = window_by_hand(world);
    uint64_t seed = 5 + (uint64_t)world->rank;

    for (long round = 0; round < world_rounds(200); round++) {
        if (round % 3 == world->rank) {
            CHECK_OK(proa_win_lock(win, 0, world->arg != NULL, 0));
            some_steps(world, win, &seed);
            CHECK_OK(proa_win_unlock(win, 0));
        }
        world_barrier(world);
        if (world->rank == 0)
            check_window(world, win);
        world_barrier(world);
    }
    window_free(win);
}

static void model_shared(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 3, .body = model_body, .kernel = 1});
}

static void model_exclusive(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 3, .body = model_body, .kernel = 1, .arg = "exclusive"});
}

/* ---- everybody at once ---- */

static void add_by_swap(struct proa_win *win, int64_t at)
{
    int64_t old = 0, found;

    while ((found = compare_swap(win, 0, at, old, old + 1)) != old)
        old = found;
}

/* Adds 1 to each of the elements first to first + count - 1, in one of the ways. */
static void add_ones(struct proa_win *win, int64_t first, uint64_t count, uint64_t how)
{
    int64_t ones[ELEMENTS_MOST], results[ELEMENTS_MOST];

    for (uint64_t i = 0; i < count; i++)
        ones[i] = 1;
    if (how == 0)
        CHECK_OK(accumulate_many(win, 0, 8 * first, ones, count, PROA_I64, PROA_OP_SUM));
    else if (how == 1)
        CHECK_OK(
            get_accumulate_many(win, 0, 8 * first, ones, results, count, PROA_I64, PROA_OP_SUM));
    for (uint64_t i = 0; i < count && how == 2; i++)
        fetch_op(win, 0, 8 * (first + (int64_t)i), 1, PROA_OP_SUM);
    for (uint64_t i = 0; i < count && how == 3; i++)
        add_by_swap(win, 8 * (first + (int64_t)i));
}

static void sums_body(struct world *world)
{
    struct proa_win *win = window_by_hand(world);
    uint64_t seed = (uint64_t)world->rank, elements = window_bytes() / 8;
    long rounds = world_rounds(3000);
    char found[1024];
    int64_t sum;

    CHECK_OK(proa_win_lock_all(win, 0));
    world_meet(world);
    for (long round = 0; round < rounds; round++) {
        /* all elements, in two operations or more */
        uint64_t cut = world_below(&seed, elements + 1);
        add_ones(win, 0, cut, world_below(&seed, 4));
        add_ones(win, (int64_t)cut, elements - cut, world_below(&seed, 4));
    }
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    if (world->rank == 0) {
        read_window(win, found);
        for (uint64_t i = 0; i < elements; i++) {
            memcpy(&sum, found + 8 * i, 8);
            CHECK_EQUAL(sum, world->size * rounds);
        }
    }
    window_free(win);
}

static void sums(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 3, .body = sums_body, .kernel = 1});
}

/* Elements that are not for processor atomics, though they are aligned. */
enum guarded { AT_A_BORDER, OWN_BY_HAND, OWN_PLAIN };

/* An element over the border of a span in rank 0's arena; or in private memory of rank 0, whose
 * neighbours come there by cma. */
static uint64_t guarded_place(const struct proa_win *win, enum guarded which,
                              const struct proa_span **span)
{
    *span = &win->targets[0].spans[which == AT_A_BORDER];
    return which == AT_A_BORDER ? (*span)->end - 3 : 0;
}

/* While rank 1 holds the stripe of its first byte, rank 0 does not get on. */
static void held_body(struct world *world)
{
    static char heap[100] __attribute__((aligned(64)));
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_CREATE, .base = heap, .bytes = sizeof heap, .disp_unit = 1};
    enum guarded which = *(const enum guarded *)world->arg;
    struct proa_win *win = which == OWN_PLAIN ? window_create(world, &args) : window_by_hand(world);
    uint32_t *turn = &shared_of(world)->turn;
    const struct proa_span *span;
    uint64_t place = guarded_place(win, which, &span), key = proa_span_key(span, place);
    struct proa_stripe *stripe = &span->owner->ctl->stripes[key / PROA_STRIPE_BYTES % PROA_STRIPES];

    CHECK_EQUAL(key % 8, 0);
    CHECK_OK(proa_win_lock_all(win, 0));
    /* the plain way, where there is one, and the general one */
    for (uint32_t step = 1; step <= 4; step += 2) {
        world_barrier(world);
        if (world->rank == 1) {
            __atomic_store_n(&stripe->held, 1, __ATOMIC_SEQ_CST);
            __atomic_store_n(turn, step, __ATOMIC_SEQ_CST);
            world_sleep_us(50000);
            CHECK_EQUAL(__atomic_load_n(turn, __ATOMIC_SEQ_CST), step);
            __atomic_store_n(&stripe->held, 0, __ATOMIC_SEQ_CST);
            proa_doorbell_ring(&span->owner->ctl->stripe_doorbell);
            world_await(turn, step + 1);
        } else {
            struct proa_there there = {0, (int64_t)place, 1, basic_type(PROA_I64),
                                       PROA_CALL_Accumulate};
            int64_t one = 1, result;
            world_await(turn, step);
            if (step > 1 || !proa_accumulate_plain(win, &one, &result, NULL, 1, there.type, 0,
                                                   there.displacement, PROA_OP_SUM))
                CHECK_OK(proa_fetch_and_op(win, &one, &result, &there, PROA_OP_SUM));
            CHECK_EQUAL(result, step / 2);
            __atomic_store_n(turn, step + 1, __ATOMIC_SEQ_CST);
        }
    }
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

static void held(void **state)
{
    static const enum guarded which[] = {AT_A_BORDER, OWN_BY_HAND, OWN_PLAIN};
    (void)state;

    for (size_t i = 0; i < sizeof which / sizeof *which; i++)
        world_run(
            &(struct world_plan){.size = 2, .body = held_body, .kernel = 1, .arg = &which[i]});
}

/* ---- windows as they are made ---- */

/* What rank `to` finds at a byte of its own, all others find too: owner, and its address there as
 * key. */
static void check_keys(struct world *world, struct proa_win *win, const char *base, int by_address)
{
    uint64_t mine[2] = {(uint64_t)(uintptr_t)base, proa_self->id}, all[WORLD_MOST][2];
    struct proa_place place;

    CHECK_EQUAL(world->group.allgather(world->group.context, mine, all, sizeof mine), 0);
    for (int rank = 0; rank < world->size; rank++)
        for (int64_t at = 0; at < 100; at += 33) {
            CHECK_OK(proa_place_find(win, rank, by_address ? (int64_t)all[rank][0] + at : at, 0, 1,
                                     &place));
            CHECK(!place.scattered);
            CHECK_EQUAL(place.span.owner->id, all[rank][1]);
            CHECK_EQUAL(proa_span_key(&place.span, place.at), all[rank][0] + (uint64_t)at);
        }
    world_barrier(world);
}

static void keys_body(struct world *world)
{
    static char heap[100];
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 100, .disp_unit = 1};
    char *arena = proa_arena_alloc(100, 0);
    struct proa_win *win = window_create(world, &args);

    check_keys(world, win, win->base, 0);
    window_free(win);
    args.flavor = PROA_FLAVOR_CREATE;
    for (int which = 0; which < 2; which++) {
        args.base = which ? heap : arena;
        win = window_create(world, &args);
        check_keys(world, win, args.base, 0);
        window_free(win);
    }
    win = window_create(world,
                        &(struct proa_create_args){.flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1});
    CHECK_OK(proa_regions_attach(win, heap, 100));
    CHECK_OK(proa_regions_attach(win, arena, 100));
    check_keys(world, win, heap, 1);
    check_keys(world, win, arena, 1);
    window_free(win);
}

static void keys(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 3, .body = keys_body, .kernel = 1});
}

/* Two attached regions side by side, one private and one in an arena: any operation goes over
 * both. */
static void attached_body(struct world *world)
{
    enum { BYTES = 4096, WORDS = BYTES / 8 };
    const uint64_t page = world_pages(1);
    struct proa_win *win = window_create(
        world, &(struct proa_create_args){.flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1});
    char *arena = proa_arena_alloc(100 << 20, page); /* a segment of its own */
    uint64_t *address = shared_of(world)->address;
    int64_t values[2 * WORDS], found[2 * WORDS];

    CHECK(arena);
    if (world->rank == 0) {
        CHECK_EQUAL(mmap(arena - page, page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
                    arena - page);
        CHECK_OK(proa_regions_attach(win, arena, BYTES));
        CHECK_OK(proa_regions_attach(win, arena - BYTES, BYTES));
        *address = (uint64_t)(uintptr_t)arena - BYTES;
    }
    for (int i = 0; i < 2 * WORDS; i++)
        values[i] = 1000 + i;
    CHECK_OK(proa_win_lock_all(win, 0));
    world_barrier(world);
    if (world->rank == 1) {
        CHECK_OK(put_many(win, 0, (int64_t)*address, values, 2 * WORDS, PROA_I64));
        CHECK_OK(get_accumulate_many(win, 0, (int64_t)*address, values, found, 2 * WORDS, PROA_I64,
                                     PROA_OP_SUM));
        CHECK_EQUAL(memcmp(found, values, sizeof found), 0);
        CHECK_FAILS(put_many(win, 0, (int64_t)*address + 8, values, 2 * WORDS, PROA_I64),
                    PROA_ERR_RMA_RANGE);
        CHECK_FAILS(get_many(win, 0, (int64_t)*address - 8, found, 2 * WORDS, PROA_I64),
                    PROA_ERR_RMA_RANGE);
    }
    world_barrier(world);
    CHECK_OK(get_many(win, 0, (int64_t)*address, found, 2 * WORDS, PROA_I64));
    for (int i = 0; i < 2 * WORDS; i++)
        CHECK_EQUAL(found[i], 2 * values[i]);
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

static void attached(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 2, .body = attached_body, .kernel = 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_shared), cmocka_unit_test(model_exclusive),
        cmocka_unit_test(sums),         cmocka_unit_test(held),
        cmocka_unit_test(keys),         cmocka_unit_test(attached),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
