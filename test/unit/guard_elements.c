/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates on elements of any size at any address, by plain types and by derived ones
 * (rma/guard.c). Every sum must be exact. */
#include "move.h"

#include "base/fail.h"
#include "rma/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- elements of any size at any address, singly and in bulk ---- */

/* Adds 1 to `count` elements of a type, from displacement (in bytes) on. */
static void add_ones(struct proa_win *win, int64_t displacement, uint64_t count,
                     enum proa_basic basic)
{
    static proa_float128 quads[300];
    static long double longs[300];
    static double doubles[300], complexes[600];
    static int32_t ints[300];
    const void *values = basic == PROA_F128  ? (void *)quads
                         : basic == PROA_FLD ? (void *)longs
                         : basic == PROA_F64 ? (void *)doubles
                         : basic == PROA_C64 ? (void *)complexes
                                             : (void *)ints;

    for (int i = 0; i < 300; i++) {
        quads[i] = 1;
        longs[i] = 1;
        doubles[i] = complexes[2 * i] = 1;
        ints[i] = 1;
    }
    CHECK_OK(accumulate_many(win, 0, displacement, values, count, basic, PROA_OP_SUM));
}

static double value_at(const char *at, enum proa_basic basic)
{
    long double l = 0;
    proa_float128 q;
    double d;
    int32_t i;

    switch (basic) {
    case PROA_F128:
        memcpy(&q, at, sizeof q);
        return (double)q;
    case PROA_FLD:
        memcpy(&l, at, sizeof l);
        return (double)l;
    case PROA_I32:
        memcpy(&i, at, sizeof i);
        return i;
    default:
        memcpy(&d, at, sizeof d);
        return d;
    }
}

/* shift: of the first element from the start of the window. */
static void any_element(struct world *world, struct proa_win *win, char *memory, size_t shift,
                        enum proa_basic basic)
{
    enum { COUNT = 300, ROUNDS = 40 };
    size_t bytes = proa_basic_bytes(basic);
    long rounds = world_rounds(ROUNDS);

    world_barrier(world);
    if (world->rank == 0) {
        memset(memory, 0, shift + COUNT * bytes);
        __atomic_store_n(&proa_self->ctl->stripes_only, PROA_ATOMICS, __ATOMIC_SEQ_CST);
    }
    world_meet(world);
    for (long i = 0; i < rounds; i++) {
        add_ones(win, (int64_t)shift, i % 4 == 3 ? COUNT : 1, basic);
        add_ones(win, (int64_t)(shift + 255 * bytes), 1, basic); /* where a stripe may end */
    }
    world_barrier(world);
    if (world->rank == 0) {
        CHECK_EQUAL(value_at(memory + shift, basic), rounds * world->size);
        CHECK_EQUAL(value_at(memory + shift + 255 * bytes, basic),
                    (rounds + rounds / 4) * world->size);
        CHECK_EQUAL(value_at(memory + shift + 100 * bytes, basic), rounds / 4 * world->size);
    }
}

enum { ANY_BYTES = 16 + 300 * 16 };

static void any_elements(struct world *world, struct proa_win *win, char *memory)
{
    static const enum proa_basic basics[] = {PROA_I32, PROA_F64, PROA_C64, PROA_FLD, PROA_F128};

    CHECK_OK(proa_win_lock_all(win, 0));
    for (size_t i = 0; i < sizeof basics / sizeof basics[0]; i++)
        for (size_t shift = 0; shift < 16; shift += shift ? 7 : 1)
            any_element(world, win, memory, shift, basics[i]);
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

static void any_in_arena_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = ANY_BYTES, .disp_unit = 1};
    struct proa_win *win = window_create(world, &args);

    any_elements(world, win, win->base);
}

WORLD_TEST(any_in_arena, 3)

/* Private memory: the owner works on it directly, the others by cma. */
static void any_private_body(struct world *world)
{
    static char memory[ANY_BYTES + 3];

    for (int shift = 0; shift <= 3; shift += 3) {
        struct proa_create_args args = {.flavor = PROA_FLAVOR_CREATE,
                                        .base = memory + shift,
                                        .bytes = ANY_BYTES,
                                        .disp_unit = 1};
        any_elements(world, window_create(world, &args), memory + shift);
    }
}

WORLD_TEST(any_private, 3, .kernel = 1)

/* ---- the same element by a plain type and by a derived one ---- */

/* A 64-bit integer that lies `offset` bytes behind the displacement. */
static void type_at_offset(struct proa_type *type, int64_t offset)
{
    struct proa_part part = {.offset = offset, .count = 1, .type = basic_type(PROA_I64)};

    CHECK_OK(proa_type_list(&part, 1, type));
    proa_type_set_extent(type, 8);
}

/* Rank 0 owns the element and reaches it through a displacement that is offset bytes less, rank 1
 * straight. */
static void by_derived(struct world *world, struct proa_win *win, int64_t place, int64_t offset)
{
    char *memory = win->base;
    struct proa_type type;
    int64_t one = 1, sum;
    long rounds = world_rounds(100000);

    type_at_offset(&type, offset);
    if (world->rank == 0) {
        memset(memory, 0, win->targets[0].bytes);
        __atomic_store_n(&proa_self->ctl->stripes_only, PROA_ATOMICS, __ATOMIC_SEQ_CST);
    }
    world_meet(world);
    for (long i = 0; i < rounds; i++) {
        struct proa_buffer origin = {&one, 1, basic_type(PROA_I64)};
        struct proa_there there = {0, place - offset, 1, &type, PROA_CALL_Accumulate};
        if (world->rank == 1)
            there = (struct proa_there){0, place, 1, basic_type(PROA_I64), PROA_CALL_Accumulate};
        CHECK_OK(proa_accumulate(win, &origin, &there, PROA_OP_SUM));
    }
    world_barrier(world);
    memcpy(&sum, memory + place, sizeof sum);
    if (world->rank == 0)
        CHECK_EQUAL(sum, rounds * world->size);
    proa_type_release(&type);
    world_barrier(world);
}

/* While rank 1 holds the stripe of the element, and the owner's memory is in the hands of processor
 * atomics, rank 0 works on it in one of two ways. An aligned element may be worked on at once, by
 * an atomic; or else, before anybody waits for its stripe, the owner must have gone over to
 * stripes. An odd one is a matter of stripes on every way. */
static void by_one_guard(struct world *world, struct proa_win *win, int64_t place, int64_t offset)
{
    struct proa_proc_ctl *owner = win->targets[0].peer->ctl;
    struct proa_stripe *stripe = &owner->stripes[(win->targets[0].only.key + (uint64_t)place) /
                                                 PROA_STRIPE_BYTES % PROA_STRIPES];
    uint32_t *done = (uint32_t *)(void *)world->shared;
    int64_t one = 1;
    struct proa_buffer origin = {&one, 1, basic_type(PROA_I64)};
    struct proa_there there;
    struct proa_type type;

    type_at_offset(&type, offset);
    there = (struct proa_there){0, place - offset, 1, offset ? &type : basic_type(PROA_I64),
                                PROA_CALL_Accumulate};
    world_barrier(world);
    if (world->rank == 1) {
        __atomic_store_n(done, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&owner->stripes_only, PROA_ATOMICS, __ATOMIC_SEQ_CST);
        __atomic_store_n(&stripe->held, 1, __ATOMIC_SEQ_CST);
    }
    world_barrier(world);
    if (world->rank == 0) {
        CHECK_OK(proa_accumulate(win, &origin, &there, PROA_OP_SUM));
        __atomic_store_n(done, 1, __ATOMIC_SEQ_CST);
    } else {
        for (int i = 0;
             i < 100 && !__atomic_load_n(done, __ATOMIC_SEQ_CST) &&
             __atomic_load_n(&owner->stripes_only, __ATOMIC_SEQ_CST) != PROA_STRIPES_ONLY;
             i++)
            world_sleep_us(1000);
        if (place % 8 == 0)
            CHECK(__atomic_load_n(done, __ATOMIC_SEQ_CST) ||
                  __atomic_load_n(&owner->stripes_only, __ATOMIC_SEQ_CST) == PROA_STRIPES_ONLY);
        else
            CHECK(!__atomic_load_n(done, __ATOMIC_SEQ_CST));
        __atomic_store_n(&stripe->held, 0, __ATOMIC_SEQ_CST);
        proa_doorbell_ring(&owner->stripe_doorbell);
    }
    world_barrier(world);
    CHECK(__atomic_load_n(done, __ATOMIC_SEQ_CST));
    proa_type_release(&type);
}

/* place; offset, 0: a plain type. */
struct derived_case {
    int64_t place, offset;
};

static void derived_body(struct world *world)
{
    const struct derived_case *which = world->arg;
    struct proa_create_args args = {.flavor = PROA_FLAVOR_ALLOCATE, .bytes = 4096, .disp_unit = 1};
    struct proa_win *win = window_create(world, &args);

    memset(win->base, 0, args.bytes);
    CHECK_OK(proa_win_lock_all(win, 0));
    by_one_guard(world, win, which->place, which->offset);
    by_one_guard(world, win, which->place, 0);
    by_derived(world, win, which->place, which->offset);
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

static void derived_aligned(void **state)
{
    (void)state;
    world_run(&(struct world_plan){
        .size = 2, .body = derived_body, .arg = &(struct derived_case){64, 8}});
}

static void derived_from_odd_displacement(void **state)
{
    (void)state;
    world_run(&(struct world_plan){
        .size = 2, .body = derived_body, .arg = &(struct derived_case){64, 4}});
}

static void derived_odd_element(void **state)
{
    (void)state;
    world_run(&(struct world_plan){
        .size = 2, .body = derived_body, .arg = &(struct derived_case){69, 5}});
}

static void derived_all_odd(void **state)
{
    (void)state;
    world_run(&(struct world_plan){
        .size = 2, .body = derived_body, .arg = &(struct derived_case){71, 2}});
}

/* In front of the displacement, and across two cache lines. */
static void derived_in_front(void **state)
{
    (void)state;
    world_run(&(struct world_plan){
        .size = 2, .body = derived_body, .arg = &(struct derived_case){60, -4}});
}

/* ---- aligned elements and others in one type ---- */

/* An aligned integer and one that is not, each in a stripe of its own, in this order or the other;
 * in the middle of each operation both are worked on by single ones. */
enum { ALIGNED_AT = 64, ODD_AT = 2 * PROA_STRIPE_BYTES + 68 };

static void type_of_both(struct proa_type *type, int odd_first)
{
    struct proa_part parts[2] = {{.offset = odd_first ? ODD_AT : ALIGNED_AT, .count = 1},
                                 {.offset = odd_first ? ALIGNED_AT : ODD_AT, .count = 1}};

    parts[0].type = parts[1].type = basic_type(PROA_I64);
    CHECK_OK(proa_type_list(parts, 2, type));
}

static int add_to_both(struct proa_win *win, const struct proa_type *type)
{
    int64_t ones[2] = {1, 1};
    struct proa_buffer origin = {ones, 2, basic_type(PROA_I64)};
    struct proa_there there = {0, 0, 1, type, PROA_CALL_Accumulate};

    return proa_accumulate(win, &origin, &there, PROA_OP_SUM);
}

static struct proa_stripe *stripe_at(const struct proa_win *win, uint64_t position)
{
    const struct proa_span *span = &win->targets[0].only;

    return &span->owner->ctl->stripes[proa_guard_stripe_of(proa_span_key(span, position))];
}

static uint64_t *word_at(struct world *world, size_t i)
{
    return (uint64_t *)(void *)world->shared + i;
}

/* While rank 1 holds the stripe at `held`, rank 0 adds to both. The aligned one never waits for a
 * stripe, whichever is first; the other one does. */
static void one_stripe_held(struct world *world, struct proa_win *win, int odd_first, uint64_t held)
{
    enum { MOST_MS = 20000, STILL_MS = 50 };
    struct proa_stripe *stripe = stripe_at(win, held);
    struct proa_type type;
    int done = held == ALIGNED_AT;

    type_of_both(&type, odd_first);
    world_barrier(world);
    if (world->rank == 1) {
        __atomic_store_n(word_at(world, 0), 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&stripe->held, 1, __ATOMIC_SEQ_CST);
    }
    world_barrier(world);
    if (world->rank == 0) {
        CHECK_OK(add_to_both(win, &type));
        __atomic_store_n(word_at(world, 0), 1, __ATOMIC_SEQ_CST);
    } else {
        for (int i = 0; i < (done ? MOST_MS : STILL_MS) &&
                        !__atomic_load_n(word_at(world, 0), __ATOMIC_SEQ_CST);
             i++)
            world_sleep_us(1000);
        CHECK_EQUAL(__atomic_load_n(word_at(world, 0), __ATOMIC_SEQ_CST), done);
        __atomic_store_n(&stripe->held, 0, __ATOMIC_SEQ_CST);
        proa_doorbell_ring(&win->targets[0].only.owner->ctl->stripe_doorbell);
    }
    world_barrier(world);
    proa_type_release(&type);
}

static void mixed_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 3 * PROA_STRIPE_BYTES, .disp_unit = 1};
    struct proa_win *win = window_create(world, &args);
    int64_t one = 1, sum;
    long rounds = world_rounds(50000);

    memset(win->base, 0, args.bytes);
    world_barrier(world);
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int odd_first = 0; odd_first < 2; odd_first++) {
        struct proa_type both;

        one_stripe_held(world, win, odd_first, ALIGNED_AT);
        one_stripe_held(world, win, odd_first, ODD_AT);
        type_of_both(&both, odd_first);
        world_meet(world);
        for (long i = 0; i < rounds; i++)
            if (world->rank == 0) {
                CHECK_OK(add_to_both(win, &both));
            } else {
                CHECK_OK(accumulate_many(win, 0, ALIGNED_AT, &one, 1, PROA_I64, PROA_OP_SUM));
                CHECK_OK(accumulate_many(win, 0, ODD_AT, &one, 1, PROA_I64, PROA_OP_SUM));
            }
        proa_type_release(&both);
    }
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    for (int i = 0; i < 2 && world->rank == 0; i++) {
        memcpy(&sum, (char *)win->base + (i ? ODD_AT : ALIGNED_AT), sizeof sum);
        CHECK_EQUAL(sum, 2 * (2 + 2 * rounds));
    }
    if (world->rank == 0) /* both ways to the end */
        CHECK_EQUAL(__atomic_load_n(&proa_self->ctl->stripes_only, __ATOMIC_SEQ_CST), PROA_ATOMICS);
    window_free(win);
}

WORLD_TEST(mixed, 2)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_in_arena),        cmocka_unit_test(any_private),
        cmocka_unit_test(derived_aligned),     cmocka_unit_test(derived_from_odd_displacement),
        cmocka_unit_test(derived_odd_element), cmocka_unit_test(derived_all_odd),
        cmocka_unit_test(derived_in_front),    cmocka_unit_test(mixed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
