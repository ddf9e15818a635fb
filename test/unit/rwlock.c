/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader-writer lock between processes (sync/rwlock.h): exclusion, order, fairness, tickets
 * that wrap. */
#include "world.h"

#include "sync/lock.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { LOG_MOST = 64 };

/* What the processes of a test share. */
struct place {
    struct proa_rwlock lock __attribute__((aligned(64)));
    struct proa_all_ctl all; /* no process is counted there */
    uint32_t readers_inside, writers_inside;
    uint32_t entries; /* how often anybody has got in */
    uint32_t stop, step;
    uint64_t one, two; /* written by writers only, always to the same value */
    uint32_t logged;
    /* those that got in, in order; written inside the lock or under an order known otherwise */
    char log[LOG_MOST];
};

static struct place *place_of(struct world *world)
{
    return (struct place *)(void *)world->shared;
}

/* ---- the lock alone, by the steps that wait for it (sync/lock.h): no process holds another lock,
 * and there are no lock_alls ---- */

static int no(const struct proa_lock_request *request)
{
    (void)request;
    return 0;
}

static int never(struct proa_lock_request *request)
{
    (void)request;
    return 0;
}

static void no_claim(struct proa_lock_request *request, enum proa_claim claim, int is_set)
{
    (void)request, (void)claim, (void)is_set;
}

static const struct proa_lock_requester requester = {no, never, no_claim};

static int look(void *arg)
{
    return proa_lock_look(arg);
}

static void take(struct place *place, enum proa_lock_kind kind)
{
    struct proa_lock_request request = {
        .requester = &requester, .all = &place->all, .lock = &place->lock};

    proa_lock_request_begin(&request, kind);
    while (request.stage != PROA_LOCK_GRANTED) {
        if (!proa_lock_look(&request))
            proa_wait(look, &request, proa_lock_bell(&request));
        proa_lock_go_on(&request);
    }
}

static void write_lock(struct place *place)
{
    take(place, PROA_LOCK_EXCLUSIVE);
}

static void read_lock(struct place *place)
{
    take(place, PROA_LOCK_SHARED);
}

/* Is a writer inside, or at the head of the queue? */
static int has_writer(const struct proa_rwlock *lock)
{
    return (__atomic_load_n(&lock->state, __ATOMIC_SEQ_CST) & (PROA_RW_HELD | PROA_RW_WANTED)) != 0;
}

/* Is anyone inside at all? */
static int is_held(const struct proa_rwlock *lock)
{
    return (__atomic_load_n(&lock->state, __ATOMIC_SEQ_CST) & ~(uint32_t)PROA_RW_WANTED) != 0;
}

static const uint32_t near_wrap = UINT32_MAX - 3;

/* Rank 0 chooses the tickets to start from. */
static void begin(struct world *world, uint32_t tickets)
{
    struct place *place = place_of(world);

    world_barrier(world);
    if (world->rank == 0) {
        memset(place, 0, sizeof *place);
        __atomic_store_n(&place->lock.tickets, tickets, __ATOMIC_SEQ_CST);
        __atomic_store_n(&place->lock.serving, tickets, __ATOMIC_SEQ_CST);
    }
    world_barrier(world);
}

static void check_free(struct world *world)
{
    struct place *place = place_of(world);

    world_barrier(world);
    CHECK_EQUAL(__atomic_load_n(&place->lock.state, __ATOMIC_SEQ_CST), 0);
    CHECK_EQUAL(__atomic_load_n(&place->lock.tickets, __ATOMIC_SEQ_CST),
                __atomic_load_n(&place->lock.serving, __ATOMIC_SEQ_CST));
    CHECK(!is_held(&place->lock));
    CHECK(!has_writer(&place->lock));
}

/* ---- inside ---- */

static void work(uint64_t *seed)
{
    uint64_t what = world_below(seed, 100);

    if (what < 5)
        sched_yield();
    else if (what < 6)
        world_sleep_us(20);
}

static void read_once(struct place *place, uint64_t *seed)
{
    read_lock(place);
    __atomic_fetch_add(&place->entries, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&place->readers_inside, 1, __ATOMIC_SEQ_CST);
    CHECK_EQUAL(__atomic_load_n(&place->writers_inside, __ATOMIC_SEQ_CST), 0);
    CHECK(is_held(&place->lock));
    CHECK_EQUAL(place->one, place->two);
    work(seed);
    CHECK_EQUAL(place->one, place->two);
    CHECK_EQUAL(__atomic_load_n(&place->writers_inside, __ATOMIC_SEQ_CST), 0);
    __atomic_fetch_sub(&place->readers_inside, 1, __ATOMIC_SEQ_CST);
    proa_rwlock_read_unlock(&place->lock);
}

static void write_once(struct place *place, uint64_t *seed)
{
    write_lock(place);
    __atomic_fetch_add(&place->entries, 1, __ATOMIC_SEQ_CST);
    CHECK_EQUAL(__atomic_fetch_add(&place->writers_inside, 1, __ATOMIC_SEQ_CST), 0);
    CHECK_EQUAL(__atomic_load_n(&place->readers_inside, __ATOMIC_SEQ_CST), 0);
    CHECK(has_writer(&place->lock));
    place->one++;
    work(seed);
    CHECK_EQUAL(__atomic_load_n(&place->readers_inside, __ATOMIC_SEQ_CST), 0);
    place->two++;
    CHECK_EQUAL(__atomic_fetch_sub(&place->writers_inside, 1, __ATOMIC_SEQ_CST), 1);
    proa_rwlock_write_unlock(&place->lock);
}

/* ---- exclusion ---- */

static void mix(struct world *world, uint64_t writes_of_100, uint32_t tickets)
{
    struct place *place = place_of(world);
    uint64_t seed = 7 * (uint64_t)world->rank + writes_of_100;
    long rounds = world_rounds(1600) / world->size, writes = 0;

    begin(world, tickets);
    for (long i = 0; i < rounds; i++) {
        if (world_below(&seed, 100) < writes_of_100) {
            write_once(place, &seed);
            writes++;
        } else {
            read_once(place, &seed);
        }
    }
    __atomic_fetch_add(&place->step, (uint32_t)writes, __ATOMIC_SEQ_CST);
    check_free(world);
    CHECK_EQUAL(place->one,
                __atomic_load_n(&place->step, __ATOMIC_SEQ_CST)); /* no write was lost */
    CHECK_EQUAL(place->two, __atomic_load_n(&place->step, __ATOMIC_SEQ_CST));
}

static void exclusion_body(struct world *world)
{
    static const uint64_t writes_of_100[] = {0, 2, 20, 50, 80, 100};

    for (size_t i = 0; i < sizeof writes_of_100 / sizeof writes_of_100[0]; i++)
        mix(world, writes_of_100[i], i % 2 ? near_wrap : 0);
}

static void exclusion(void **state)
{
    (void)state;
    for (int size = 2; size <= 8; size += 2)
        world_run(&(struct world_plan){.size = size, .body = exclusion_body});
}

/* One process: nothing to wait for, both ways to look at the lock. */
static void alone_body(struct world *world)
{
    struct place *place = place_of(world);
    uint64_t seed = 1;

    begin(world, near_wrap);
    for (int i = 0; i < 1000; i++) {
        read_once(place, &seed);
        write_once(place, &seed);
    }
    /* a free lock never queues anybody */
    CHECK_EQUAL(__atomic_load_n(&place->lock.tickets, __ATOMIC_SEQ_CST), near_wrap);
    check_free(world);
}

WORLD_TEST(alone, 1)

/* ---- order: first come, first in ---- */

static void await_state(struct place *place, uint32_t bits)
{
    while ((__atomic_load_n(&place->lock.state, __ATOMIC_SEQ_CST) & bits) != bits)
        world_sleep_us(100);
}

static void log_entry(struct place *place, char who)
{
    place->log[__atomic_fetch_add(&place->logged, 1, __ATOMIC_SEQ_CST)] = who;
}

/* Rank 0 reads; rank 1 wants to write; rank 2, which wants to read, comes after it and must not get
 * in before it. */
static void reader_behind_writer(struct world *world, uint32_t tickets)
{
    struct place *place = place_of(world);

    begin(world, tickets);
    if (world->rank == 0) {
        read_lock(place);
        __atomic_store_n(&place->step, 1, __ATOMIC_SEQ_CST);
        world_await(&place->step, 2);
        world_sleep_us(20000);
        CHECK_EQUAL(__atomic_load_n(&place->logged, __ATOMIC_SEQ_CST), 0);
        proa_rwlock_read_unlock(&place->lock);
    } else if (world->rank == 1) {
        world_await(&place->step, 1);
        write_lock(place);
        log_entry(place, 'w');
        proa_rwlock_write_unlock(&place->lock);
    } else {
        await_state(place, PROA_RW_WANTED);
        __atomic_store_n(&place->step, 2, __ATOMIC_SEQ_CST);
        read_lock(place);
        log_entry(place, 'r');
        proa_rwlock_read_unlock(&place->lock);
    }
    check_free(world);
    CHECK_EQUAL(memcmp(place->log, "wr", 2), 0);
}

/* Rank 0 writes; rank 1 wants to read; rank 2, which wants to write, comes after it. */
static void writer_behind_reader(struct world *world, uint32_t tickets)
{
    struct place *place = place_of(world);

    begin(world, tickets);
    if (world->rank == 0) {
        write_lock(place);
        __atomic_store_n(&place->step, 1, __ATOMIC_SEQ_CST);
        world_await(&place->lock.tickets, tickets + 2);
        world_sleep_us(20000);
        CHECK_EQUAL(__atomic_load_n(&place->logged, __ATOMIC_SEQ_CST), 0);
        proa_rwlock_write_unlock(&place->lock);
    } else if (world->rank == 1) {
        world_await(&place->step, 1);
        read_lock(place);
        log_entry(place, 'r');
        proa_rwlock_read_unlock(&place->lock);
    } else {
        world_await(&place->lock.tickets, tickets + 1);
        await_state(place, PROA_RW_HELD | PROA_RW_READER); /* rank 1 is at the head, and counted */
        write_lock(place);
        log_entry(place, 'w');
        proa_rwlock_write_unlock(&place->lock);
    }
    check_free(world);
    CHECK_EQUAL(memcmp(place->log, "rw", 2), 0);
}

/* Rank 0 writes; the others queue up one after the other, writers and readers by turns. Tickets run
 * across 2^32. */
static void queue_in_order(struct world *world, uint32_t tickets)
{
    struct place *place = place_of(world);

    begin(world, tickets);
    if (world->rank == 0) {
        write_lock(place);
        __atomic_store_n(&place->step, 1, __ATOMIC_SEQ_CST);
    }
    while (world->rank > 0 && (__atomic_load_n(&place->step, __ATOMIC_SEQ_CST) == 0 ||
                               __atomic_load_n(&place->lock.tickets, __ATOMIC_SEQ_CST) - tickets <
                                   (uint32_t)world->rank - 1))
        world_sleep_us(100);
    if (world->rank == 0) {
        while (__atomic_load_n(&place->lock.tickets, __ATOMIC_SEQ_CST) - tickets <
               (uint32_t)world->size - 1)
            world_sleep_us(100);
        proa_rwlock_write_unlock(&place->lock);
    } else if (world->rank % 2) {
        write_lock(place);
        log_entry(place, (char)('0' + world->rank));
        proa_rwlock_write_unlock(&place->lock);
    } else {
        read_lock(place);
        log_entry(place, (char)('0' + world->rank));
        proa_rwlock_read_unlock(&place->lock);
    }
    check_free(world);
    for (int i = 1; i < world->size; i++)
        CHECK_EQUAL(place->log[i - 1], '0' + i);
    CHECK_EQUAL(__atomic_load_n(&place->lock.serving, __ATOMIC_SEQ_CST),
                tickets + (uint32_t)world->size - 1);
}

static void order_body(struct world *world)
{
    reader_behind_writer(world, 0);
    reader_behind_writer(world, UINT32_MAX);
    writer_behind_reader(world, 0);
    writer_behind_reader(world, UINT32_MAX - 5);
}

WORLD_TEST(order, 3)

static void queue_body(struct world *world)
{
    for (int i = 0; i < 5; i++) {
        queue_in_order(world, 0);
        queue_in_order(world, near_wrap);
    }
}

WORLD_TEST(queue, 8)

/* ---- fairness: one kind all the time, and one of the other kind among them ---- */

static int compare_counts(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, two = *(const uint32_t *)b;

    return one < two ? -1 : one > two;
}

/* How many others get in while one waits: while the head of the queue does not run, newcomers may
 * pass it, so this is a matter of how long the system takes to let it run (milliseconds, some
 * thousand others), and the median counts. */
static void check_median(uint32_t *others, int count)
{
    qsort(others, (size_t)count, sizeof *others, compare_counts);
    CHECK(others[count / 2] < 50000);
}

static void busy_us(long us)
{
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000000 + (now.tv_nsec - start.tv_nsec) / 1000 < us);
}

static void crowd(struct place *place, int writer)
{
    while (!__atomic_load_n(&place->stop, __ATOMIC_SEQ_CST)) {
        if (writer)
            write_lock(place);
        else
            read_lock(place);
        __atomic_fetch_add(&place->entries, 1, __ATOMIC_SEQ_CST);
        busy_us(5);
        if (writer)
            proa_rwlock_write_unlock(&place->lock);
        else
            proa_rwlock_read_unlock(&place->lock);
    }
}

static void among_others(struct world *world, int writer)
{
    enum { TRIALS = 60 };
    struct place *place = place_of(world);
    uint32_t others[TRIALS];

    begin(world, near_wrap);
    if (world->rank != 0) {
        crowd(place, !writer);
    } else {
        for (int i = 0; i < TRIALS; i++) {
            world_await(&place->entries, 1);
            uint32_t before = __atomic_load_n(&place->entries, __ATOMIC_SEQ_CST);
            if (writer)
                write_lock(place);
            else
                read_lock(place);
            others[i] = __atomic_load_n(&place->entries, __ATOMIC_SEQ_CST) - before;
            if (writer)
                proa_rwlock_write_unlock(&place->lock);
            else
                proa_rwlock_read_unlock(&place->lock);
            world_sleep_us(500);
        }
        __atomic_store_n(&place->stop, 1, __ATOMIC_SEQ_CST);
        check_median(others, TRIALS);
    }
    check_free(world);
}

static void fairness_body(struct world *world)
{
    among_others(world, 1);
    among_others(world, 0);
}

static void fairness(void **state)
{
    (void)state;
    for (int size = 3; size <= 5; size++)
        world_run(&(struct world_plan){.size = size, .body = fairness_body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone), cmocka_unit_test(exclusion), cmocka_unit_test(order),
        cmocka_unit_test(queue), cmocka_unit_test(fairness),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
