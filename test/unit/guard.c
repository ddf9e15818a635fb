/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates that meet (rma/guard.c): single elements by processor atomics and bulk ones under
 * stripes, the switch from one to the other in the middle of everything, memory reached by cma,
 * elements anywhere, several threads. Every sum must be exact.
 */
#include "move.h"

#include "base/fail.h"
#include "rma/combine.h"
#include "rma/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WORDS = 700 }; /* more than a stripe */

static int64_t ones[WORDS];

static void ones_fill(void)
{
    for (int i = 0; i < WORDS; i++)
        ones[i] = 1;
}

/* By compare_and_swap, as a program would write it. */
static void increment_by_swap(struct proa_win *win, int rank, int64_t displacement)
{
    int64_t old = 0, found;

    while ((found = compare_swap(win, rank, displacement, old, old + 1)) != old)
        old = found;
}

static void increment(struct proa_win *win, int rank, int64_t displacement, uint64_t how)
{
    switch (how % 4) {
    case 0:
        fetch_op(win, rank, displacement, 1, PROA_OP_SUM);
        break;
    case 1:
        increment_by_swap(win, rank, displacement);
        break;
    case 2:
        CHECK_OK(accumulate_many(win, rank, displacement, ones, 1, PROA_I64, PROA_OP_SUM));
        break;
    default:
        /* the next one too, and back */
        CHECK_OK(accumulate_many(win, rank, displacement, ones, 2, PROA_I64, PROA_OP_SUM));
        CHECK_OK(accumulate_many(win, rank, displacement + 1, (int64_t[]){-1}, 1, PROA_I64,
                                 PROA_OP_SUM));
    }
}

/* ---- the switch ---- */

/* All add to the same words of one owner; one of them, in the middle, in bulk. */
static void switch_round(struct world *world, struct proa_win *win, int owner, int bulk_rank,
                         uint64_t *seed)
{
    enum { SINGLES = 24 };
    int64_t *words = window_words(win);
    uint64_t middle = world_below(seed, SINGLES);

    if (world->rank == owner)
        memset(words, 0, WORDS * sizeof *words);
    world_meet(world);
    for (uint64_t i = 0; i < SINGLES; i++) {
        if (world->rank == bulk_rank && i == middle)
            CHECK_OK(accumulate_many(win, owner, 0, ones, WORDS, PROA_I64, PROA_OP_SUM));
        increment(win, owner, (int64_t)(i % 3), i);
    }
    world_barrier(world);
    if (world->rank == owner) {
        for (int i = 0; i < WORDS; i++)
            CHECK_EQUAL(words[i], i < 3 ? 1 + world->size * SINGLES / 3 : 1);
        CHECK_EQUAL(__atomic_load_n(&proa_self->ctl->stripes_only, __ATOMIC_SEQ_CST),
                    PROA_STRIPES_ONLY);
    }
}

static void fresh_owners_body(struct world *world)
{
    struct proa_win *win;
    uint64_t seed = (uint64_t)(uintptr_t)world->arg + (uint64_t)world->rank;

    ones_fill();
    win = window_of_words(world, WORDS);
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int owner = 0; owner < world->size; owner++)
        switch_round(world, win, owner, (owner + (int)(uintptr_t)world->arg) % world->size, &seed);
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

/* Each process is a fresh owner once. */
static void fresh_owners(void **state)
{
    (void)state;
    for (uintptr_t i = 0; i < (uintptr_t)world_rounds(40); i++)
        world_run(&(struct world_plan){
            .size = 2 + (int)(i % 3), .body = fresh_owners_body, .arg = (const void *)i});
}

/* The same owners again and again: between rounds, while no process is there, the switch is undone
 * by hand. */
static void many_switches_body(struct world *world)
{
    struct proa_win *win;
    uint64_t seed = (uint64_t)world->rank;

    ones_fill();
    win = window_of_words(world, WORDS);
    CHECK_OK(proa_win_lock_all(win, 0));
    for (long round = 0; round < world_rounds(1500); round++) {
        int owner = (int)(round % world->size);
        if (world->rank == owner)
            __atomic_store_n(&proa_self->ctl->stripes_only, PROA_ATOMICS, __ATOMIC_SEQ_CST);
        switch_round(world, win, owner, (int)(round / world->size % world->size), &seed);
    }
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

static void many_switches(void **state)
{
    (void)state;
    for (int size = 2; size <= 4; size++)
        world_run(&(struct world_plan){.size = size, .body = many_switches_body});
}

/* The switch step by step, with processes that are held in the middle of it. */
enum { ENTERED, LEFT, BULK_DONE, SINGLE_DONE, STEPS };

static uint32_t *steps_of(struct world *world)
{
    return (uint32_t *)(void *)world->shared;
}

/* Rank 1 is caught in a processor atomic: its mark stands. Rank 2 needs stripes and has to wait for
 * it; rank 3, which comes while the switch is going on, has to wait as well. */
static void caught_in_an_atomic(struct world *world, struct proa_win *win)
{
    struct proa_peer *owner = win->targets[0].only.owner;
    uint32_t *steps = steps_of(world);

    if (world->rank == 1) {
        CHECK(owner->slot);
        __atomic_store_n(&owner->slot->busy, 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&steps[ENTERED], 1, __ATOMIC_SEQ_CST);
        world_await(&owner->ctl->stripes_only, PROA_SWITCHING);
        world_sleep_us(50000);
        CHECK_EQUAL(__atomic_load_n(&owner->ctl->stripes_only, __ATOMIC_SEQ_CST), PROA_SWITCHING);
        CHECK_EQUAL(__atomic_load_n(&steps[BULK_DONE], __ATOMIC_SEQ_CST), 0);
        CHECK_EQUAL(__atomic_load_n(&steps[SINGLE_DONE], __ATOMIC_SEQ_CST), 0);
        __atomic_store_n(&steps[LEFT], 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&owner->slot->busy, 0, __ATOMIC_SEQ_CST);
    } else if (world->rank == 2) {
        world_await(&steps[ENTERED], 1);
        CHECK_OK(accumulate_many(win, 0, 0, ones, WORDS, PROA_I64, PROA_OP_SUM));
        __atomic_store_n(&steps[BULK_DONE], 1, __ATOMIC_SEQ_CST);
        CHECK(__atomic_load_n(&steps[LEFT], __ATOMIC_SEQ_CST));
    } else if (world->rank == 3) {
        world_await(&owner->ctl->stripes_only, PROA_SWITCHING);
        fetch_op(win, 0, 0, 1, PROA_OP_SUM);
        __atomic_store_n(&steps[SINGLE_DONE], 1, __ATOMIC_SEQ_CST);
        CHECK(__atomic_load_n(&steps[LEFT], __ATOMIC_SEQ_CST));
    }
}

enum { BULK = 4 }; /* besides the ways of increment */

static void add(struct proa_win *win, uint64_t how)
{
    if (how == BULK)
        CHECK_OK(accumulate_many(win, 0, 0, ones, WORDS, PROA_I64, PROA_OP_SUM));
    else
        increment(win, 0, 0, how);
}

/* After the switch rank 1 holds a lock: single elements, too, wait for it, in every form; stripes
 * that it is not over, or of which it is not the one (other), do not matter. */
static void held_lock(struct world *world, struct proa_win *win, struct proa_stripe *lock,
                      int other, uint64_t how)
{
    struct proa_peer *owner = win->targets[0].only.owner;
    uint32_t *steps = steps_of(world);

    CHECK_EQUAL(__atomic_load_n(&owner->ctl->stripes_only, __ATOMIC_SEQ_CST), PROA_STRIPES_ONLY);
    if (world->rank == 1) {
        memset(world->shared, 0, STEPS * sizeof *steps);
        __atomic_store_n(&lock->held, 1, __ATOMIC_SEQ_CST);
    }
    world_barrier(world);
    if (world->rank == 2) {
        if (other)
            increment(win, 0, WORDS - 3, how);
        __atomic_store_n(&steps[ENTERED], 1, __ATOMIC_SEQ_CST);
        add(win, how);
        __atomic_store_n(&steps[SINGLE_DONE], 1, __ATOMIC_SEQ_CST);
        CHECK(__atomic_load_n(&steps[LEFT], __ATOMIC_SEQ_CST));
    } else if (world->rank == 1) {
        world_await(&steps[ENTERED], 1);
        world_sleep_us(10000);
        CHECK_EQUAL(__atomic_load_n(&steps[SINGLE_DONE], __ATOMIC_SEQ_CST), 0);
        __atomic_store_n(&steps[LEFT], 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&lock->held, 0, __ATOMIC_SEQ_CST);
        proa_doorbell_ring(&owner->ctl->stripe_doorbell);
    }
    world_barrier(world);
}

/* One stripe, its wide lock, and for what goes over both, the second of them. Returns how often the
 * first word was added to. */
static int held_locks(struct world *world, struct proa_win *win)
{
    struct proa_proc_ctl *owner = win->targets[0].only.owner->ctl;
    uint64_t key = win->targets[0].only.key, stripe = proa_guard_stripe_of(key),
             last = proa_guard_stripe_of(key + (WORDS - 1) * sizeof *ones);

    for (uint64_t how = 0; how < BULK; how++) {
        held_lock(world, win, &owner->stripes[stripe], 1, how);
        held_lock(world, win, &owner->wide[stripe / PROA_WIDE], 0, how);
    }
    held_lock(world, win, &owner->stripes[last], 0, BULK);
    return 2 * BULK + 1;
}

/* arg: by a lock on the one target, not on all. */
static void step_by_step_body(struct world *world)
{
    struct proa_win *win;
    int added;

    ones_fill();
    win = window_of_words(world, WORDS);
    CHECK_OK(world->arg ? proa_win_lock(win, 0, 0, 0) : proa_win_lock_all(win, 0));
    caught_in_an_atomic(world, win);
    world_barrier(world);
    if (world->rank == 0)
        CHECK_EQUAL(window_words(win)[0], 2);
    added = held_locks(world, win);
    if (world->rank == 0)
        CHECK_EQUAL(window_words(win)[0], 2 + added);
    CHECK_OK(world->arg ? proa_win_unlock(win, 0) : proa_win_unlock_all(win));
    window_free(win);
}

static void step_by_step(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 4, .body = step_by_step_body});
    world_run(&(struct world_plan){.size = 4, .body = step_by_step_body, .arg = "lock"});
}

/* Owners that have no slot left for anybody but themselves: stripes from the beginning. */
static void no_slots_body(struct world *world)
{
    struct proa_win *win;
    uint64_t seed = (uint64_t)world->rank;

    ones_fill();
    __atomic_store_n(&proa_self->ctl->slots_given, PROA_SLOTS + 5, __ATOMIC_SEQ_CST);
    world_barrier(world);
    win = window_of_words(world, WORDS);
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int owner = 0; owner < world->size; owner++)
        switch_round(world, win, owner, 0, &seed);
    CHECK_OK(proa_win_unlock_all(win));
    window_free(win);
}

WORLD_TEST(no_slots, 4)

/* ---- as many elements as processor atomics are for, and still right beside an operation of more
 * ---- */

static void border_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8 * WORDS, .disp_unit = 8};
    struct proa_win *win = window_create(world, &args);
    long rounds = world_rounds(300);

    ones_fill();
    memset(win->base, 0, 8 * WORDS);
    world_barrier(world);
    CHECK_OK(proa_win_lock_all(win, 0));
    for (long i = 0; i < rounds; i++) {
        CHECK_OK(accumulate_many(win, 0, 0, ones, PROA_ATOMICS_MOST, PROA_I64, PROA_OP_SUM));
        increment(win, 0, 0, (uint64_t)i);
    }
    world_barrier(world);
    if (world->rank == 0)
        CHECK_EQUAL(__atomic_load_n(&proa_self->ctl->stripes_only, __ATOMIC_SEQ_CST), PROA_ATOMICS);
    world_barrier(world);
    for (long i = 0; i < rounds; i++) {
        CHECK_OK(accumulate_many(win, 0, 0, ones, i % 2 ? WORDS : PROA_ATOMICS_MOST, PROA_I64,
                                 PROA_OP_SUM));
        increment(win, 0, 0, (uint64_t)i);
    }
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    if (world->rank == 0) {
        CHECK_EQUAL(window_words(win)[0], 4 * rounds * world->size);
        CHECK_EQUAL(window_words(win)[1], 2 * rounds * world->size);
        CHECK_EQUAL(window_words(win)[WORDS - 1], rounds / 2 * world->size);
        CHECK_EQUAL(__atomic_load_n(&proa_self->ctl->stripes_only, __ATOMIC_SEQ_CST),
                    PROA_STRIPES_ONLY);
    }
    window_free(win);
}

WORLD_TEST(border, 4)

/* ---- alone with the target: no guard at all, and no process disturbed ---- */

static void exclusive_body(struct world *world)
{
    struct proa_win *win;
    long rounds = world_rounds(600);

    ones_fill();
    win = window_of_words(world, WORDS);
    for (long i = 0; i < rounds; i++) {
        int exclusive = (int)((i + world->rank) % 2);
        CHECK_OK(proa_win_lock(win, 0, exclusive, 0));
        increment(win, 0, 0, (uint64_t)i);
        if (i % 10 == 0)
            CHECK_OK(accumulate_many(win, 0, 0, ones, WORDS, PROA_I64, PROA_OP_SUM));
        CHECK_OK(proa_win_unlock(win, 0));
    }
    world_barrier(world);
    if (world->rank == 0)
        CHECK_EQUAL(window_words(win)[0], world->size * (rounds + (rounds + 9) / 10));
    window_free(win);
}

WORLD_TEST(exclusive, 4)

/* ---- several threads of each process ---- */

struct crew {
    struct proa_win *win;
    long rounds;
};

static void thread_adds(void *arg, int number)
{
    const struct crew *crew = arg;

    for (long i = 0; i < crew->rounds; i++) {
        increment(crew->win, 0, number % 2, (uint64_t)i);
        if (i % 16 == 0)
            CHECK_OK(accumulate_many(crew->win, 0, 0, ones, WORDS, PROA_I64, PROA_OP_SUM));
    }
}

static void threads_body(struct world *world)
{
    enum { THREADS = 4 };
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 8 * WORDS, .disp_unit = 8, .threads = 1};
    struct crew crew = {window_create(world, &args), world_rounds(800)};
    int64_t *words = crew.win->base;

    ones_fill();
    memset(words, 0, 8 * WORDS);
    world_barrier(world);
    CHECK_OK(proa_win_lock_all(crew.win, 0));
    world_threads(THREADS, thread_adds, &crew);
    CHECK_OK(proa_win_unlock_all(crew.win));
    world_barrier(world);
    if (world->rank == 0) {
        int64_t bulk = (crew.rounds + 15) / 16 * THREADS * world->size;
        CHECK_EQUAL(words[0], bulk + crew.rounds * THREADS / 2 * world->size);
        CHECK_EQUAL(words[1], bulk + crew.rounds * THREADS / 2 * world->size);
        CHECK_EQUAL(words[2], bulk);
    }
    window_free(crew.win);
}

static void threads(void **state)
{
    (void)state;
    for (int size = 1; size <= 3; size++)
        world_run(&(struct world_plan){.size = size, .body = threads_body});
}

/* ---- alone with the target among processes, but not among the threads of its own ---- */

struct pair_of_threads {
    struct proa_win *win;
    long rounds;
    int plain; /* by the fast path */
    uint32_t ready, done;
};

static void add_one(const struct pair_of_threads *two)
{
    const struct proa_type *type = basic_type(PROA_I64);
    struct proa_buffer origin = {ones, 1, type};
    struct proa_there there = {0, 0, 1, type, PROA_CALL_Accumulate};

    if (!two->plain ||
        !proa_accumulate_plain(two->win, ones, NULL, NULL, 1, type, 0, 0, PROA_OP_SUM))
        CHECK_OK(proa_accumulate(two->win, &origin, &there, PROA_OP_SUM));
}

static void both_add(void *arg, int number)
{
    struct pair_of_threads *two = arg;

    (void)number;
    __atomic_fetch_add(&two->ready, 1, __ATOMIC_SEQ_CST);
    world_await(&two->ready, 2);
    for (long i = 0; i < two->rounds; i++)
        add_one(two);
}

/* Thread 1 has to wait for the stripe, which thread 0 holds. */
static void one_holds_the_stripe(void *arg, int number)
{
    struct pair_of_threads *two = arg;
    struct proa_target *target = &two->win->targets[0];
    struct proa_stripe *stripe =
        &target->only.owner->ctl->stripes[target->only.key / PROA_STRIPE_BYTES % PROA_STRIPES];

    if (number == 1) {
        world_await(&two->ready, 1);
        add_one(two);
        __atomic_store_n(&two->done, 1, __ATOMIC_SEQ_CST);
        return;
    }
    __atomic_store_n(&stripe->held, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&two->ready, 1, __ATOMIC_SEQ_CST);
    world_sleep_us(20000);
    CHECK(!__atomic_load_n(&two->done, __ATOMIC_SEQ_CST));
    __atomic_store_n(&stripe->held, 0, __ATOMIC_SEQ_CST);
    proa_doorbell_ring(&target->only.owner->ctl->stripe_doorbell);
}

static void threads_of_one(struct proa_win *win)
{
    long rounds = world_rounds(100000);

    for (int plain = 0; plain < 2; plain++) {
        world_threads(2, one_holds_the_stripe,
                      &(struct pair_of_threads){.win = win, .plain = plain});
        world_threads(2, both_add,
                      &(struct pair_of_threads){.win = win, .plain = plain, .rounds = rounds});
    }
}

/* arg: by a start that is the only one which rank 0 has posted to; else by an exclusive lock. */
static void alone_with_threads_body(struct world *world)
{
    struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = 64, .disp_unit = 8, .threads = 1};
    struct proa_win *win = window_create(world, &args);
    int target = 0, origin = 1;

    ones_fill();
    memset(win->base, 0, 64);
    world_barrier(world);
    if (world->rank == target && world->arg)
        CHECK_OK(proa_win_post(win, &origin, 1, 0));
    if (world->rank == origin) {
        CHECK_OK(world->arg ? proa_win_start(win, &target, 1, 0)
                            : proa_win_lock(win, target, 1, 0));
        threads_of_one(win);
        CHECK_EQUAL(win->targets[target].epoch & (PROA_EPOCH_SOLE | PROA_EPOCH_EXCLUSIVE),
                    world->arg ? PROA_EPOCH_SOLE : PROA_EPOCH_EXCLUSIVE);
        CHECK_OK(world->arg ? proa_win_complete(win) : proa_win_unlock(win, target));
    } else if (world->arg)
        CHECK_OK(proa_win_wait(win));
    world_barrier(world);
    if (world->rank == target)
        CHECK_EQUAL(window_words(win)[0], 2 * (1 + 2 * world_rounds(100000)));
    window_free(win);
}

static void alone_with_threads(void **state)
{
    (void)state;
    world_run(&(struct world_plan){.size = 2, .body = alone_with_threads_body});
    world_run(&(struct world_plan){.size = 2, .body = alone_with_threads_body, .arg = "start"});
}

/* ---- more bytes than there are stripes ---- */

static void around_the_stripes_body(struct world *world)
{
    uint64_t count = (uint64_t)PROA_STRIPES * PROA_STRIPE_BYTES / 8 * 5 / 4;
    struct proa_win *win = window_of_words(world, count);
    int64_t *values = malloc(8 * count);

    CHECK(values);
    for (uint64_t i = 0; i < count; i++)
        values[i] = (int64_t)i;
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int i = 0; i < 3; i++)
        CHECK_OK(accumulate_many(win, 0, 0, values, count, PROA_I64, PROA_OP_SUM));
    CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    for (uint64_t i = 0; i < count && world->rank == 0; i++)
        CHECK_EQUAL(window_words(win)[i], 3 * world->size * (int64_t)i);
    window_free(win);
    free(values);
}

WORLD_TEST(around_the_stripes, 3)

/* The part of a long operation that is guarded at a time: less for a while after a process has
 * waited. */
static uint64_t long_piece(struct proa_peer *owner)
{
    struct proa_guarded guarded = {0};
    uint64_t bytes = proa_guard_stripes(&guarded, owner, 0, 4ull * PROA_GUARD_ALONE);

    proa_guard_leave(&guarded);
    return bytes;
}

static void long_pieces_body(struct world *world)
{
    struct proa_win *win = window_of_words(world, WORDS);
    struct proa_peer *owner = win->targets[0].only.owner;
    long pieces = 0;

    if (world->rank == 1)
        CHECK_EQUAL(long_piece(owner), PROA_GUARD_ALONE);
    world_barrier(world);
    if (world->rank == 0)
        proa_guard_stripe_take(owner->ctl, 1);
    world_barrier(world);
    if (world->rank == 0) {
        world_sleep_us(10000);
        proa_guard_stripe_give(owner->ctl, 1);
    } else {
        CHECK_EQUAL(long_piece(owner), PROA_GUARD_ALONE); /* and waits */
        CHECK_EQUAL(proa_guard_most(owner->ctl), PROA_GUARD_AT_ONCE);
        while (long_piece(owner) == PROA_GUARD_AT_ONCE)
            pieces++;
        CHECK(pieces > 100 && pieces < 100000);
        CHECK_EQUAL(long_piece(owner), PROA_GUARD_ALONE);
    }
    world_barrier(world);
    window_free(win);
}

WORLD_TEST(long_pieces, 2)

/* Of rows no more are taken than the caller has room for, though more may be held. */
static void rows_fit_body(struct world *world)
{
    const struct proa_runs runs = {.stride = 64, .count = 10000, .bytes = 8};
    struct proa_combine combine = {.run.bytes = 8};
    (void)world;

    combine.guarded.guard = PROA_GUARD_STRIPES;
    /* a key in the middle of a wide lock */
    CHECK_EQUAL(proa_combine_guard(&combine, proa_self, PROA_STRIPE_BYTES, &runs),
                PROA_GUARD_AT_ONCE / 64);
    CHECK(combine.guarded.stripes > PROA_GUARD_AT_ONCE / PROA_STRIPE_BYTES);
    proa_guard_leave(&combine.guarded);
}

WORLD_TEST(rows_fit, 1)

/* Rows in any order are guarded from the lowest to the highest, or not at all. */
static void rows_downwards_body(struct world *world)
{
    enum { APART = 3 * PROA_STRIPE_BYTES, FAR = 2 * PROA_GUARD_AT_ONCE };
    struct proa_run two[] = {{.offset = APART, .bytes = 8}, {.offset = 0, .bytes = 8}};
    struct proa_list list = {.low = 0, .high = APART + 8};
    const struct proa_runs runs = {.count = 2, .bytes = 8, .run = two, .list = &list};
    struct proa_combine combine = {.run.bytes = 8};
    (void)world;

    combine.guarded.guard = PROA_GUARD_STRIPES;
    CHECK_EQUAL(proa_combine_guard(&combine, proa_self, 0, &runs), 2);
    CHECK(combine.guarded.stripes >= 4);
    proa_guard_leave(&combine.guarded);
    CHECK_EQUAL(proa_runs_within(&runs, APART), 0);
    CHECK_EQUAL(proa_runs_within(&runs, APART + 8), 2);
    two[0].offset = FAR;
    list.high = FAR + 8;
    CHECK_EQUAL(proa_combine_guard(&combine, proa_self, 0, &runs), 0);
    proa_guard_leave(&combine.guarded);
}

WORLD_TEST(rows_downwards, 1)

/* Wide locks: all over a range, and those of a set alone. */
static void wide_body(struct world *world)
{
    const struct proa_wide_range two = proa_guard_wide_over(0, 5 * PROA_STRIPE_BYTES);
    const struct proa_wide_range one = proa_guard_wide_over(PROA_STRIPE_BYTES, 8);
    struct proa_proc_ctl *owner = proa_self->ctl;
    struct proa_stripe_set set = {{0}};
    (void)world;

    CHECK(one.first == 0 && one.end == 1);
    CHECK(two.first == 0 && two.end == 2);
    proa_guard_set_add(&set, 0);
    proa_guard_set_add(&set, 9 * PROA_WIDE * PROA_STRIPE_BYTES);
    proa_guard_set_take(owner, &set);
    for (int i = 0; i < PROA_WIDE_LOCKS; i++)
        CHECK_EQUAL(owner->wide[i].held, i == 0 || i == 9);
    proa_guard_set_give(owner, &set);
    CHECK(!owner->wide[0].held && !owner->wide[9].held);
}

WORLD_TEST(wide, 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_owners),
        cmocka_unit_test(many_switches),
        cmocka_unit_test(step_by_step),
        cmocka_unit_test(no_slots),
        cmocka_unit_test(border),
        cmocka_unit_test(exclusive),
        cmocka_unit_test(threads),
        cmocka_unit_test(alone_with_threads),
        cmocka_unit_test(around_the_stripes),
        cmocka_unit_test(long_pieces),
        cmocka_unit_test(rows_fit),
        cmocka_unit_test(rows_downwards),
        cmocka_unit_test(wide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
