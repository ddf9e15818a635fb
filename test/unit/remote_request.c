/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations with requests on targets of other nodes (remote/request.c, remote/operation_queue.c),
 * over the pretended network. That their calls return while the target answers nothing, and that
 * they come to be done while only the agent is in Proa, is shown by the order of events.
 */
#include "nodes.h"

#include "base/fail.h"
#include "remote/request.h"
#include "rma/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { LONG = 20000 };

/* ---- a request, as bind makes one ---- */

/* Operations since proa_request_begin leave parts undone. */
static void let_go(struct proa_request *q)
{
    CHECK(!proa_request_is_issued(q));
    proa_request_let_go(q);
}

/* No thread of this process is in Proa meanwhile, but for its agent. */
static struct proa_request *done_by_the_agent(void)
{
    while (!proa_request_any_done())
        world_sleep_us(50);
    return proa_request_take_done();
}

static int is_done(void *arg)
{
    (void)arg;
    return proa_request_any_done();
}

static struct proa_request *next_done(void)
{
    proa_request_hurry();
    proa_wait(is_done, NULL, &proa_self->ctl->bell);
    return proa_request_take_done();
}

/* ---- overlap ---- */

/* The first word after the transport's rings that processes tell each other steps by. */
static uint32_t *step_of(struct world *world)
{
    return (uint32_t *)(void *)world->shared;
}

static void step_to(struct world *world, uint32_t step)
{
    __atomic_store_n(step_of(world), step, __ATOMIC_RELEASE);
}

struct test_operation {
    const char *name;
    void (*issue)(struct proa_win *win, int64_t *values, int64_t *results);
    int64_t before, after; /* each word at the target */
    int fetches;
    int count;
};

static void rget_word(struct proa_win *win, int64_t *values, int64_t *results)
{
    (void)values;
    CHECK_OK(get_word(win, 1, 0, results));
}

static void rget_long(struct proa_win *win, int64_t *values, int64_t *results)
{
    (void)values;
    CHECK_OK(get_many(win, 1, 0, results, LONG, PROA_I64));
}

static void rput_long(struct proa_win *win, int64_t *values, int64_t *results)
{
    (void)results;
    CHECK_OK(put_many(win, 1, 0, values, LONG, PROA_I64));
}

static void raccumulate_long(struct proa_win *win, int64_t *values, int64_t *results)
{
    (void)results;
    CHECK_OK(accumulate_many(win, 1, 0, values, LONG, PROA_I64, PROA_OP_SUM));
}

static void rget_accumulate_word(struct proa_win *win, int64_t *values, int64_t *results)
{
    CHECK_OK(get_accumulate_many(win, 1, 0, values, results, 1, PROA_I64, PROA_OP_SUM));
}

static void rget_accumulate_long(struct proa_win *win, int64_t *values, int64_t *results)
{
    CHECK_OK(get_accumulate_many(win, 1, 0, values, results, LONG, PROA_I64, PROA_OP_SUM));
}

static const struct test_operation test_operations[] = {
    {"rget of a word", rget_word, 7, 7, 1, 1},
    {"rget", rget_long, 7, 7, 1, LONG},
    {"rput", rput_long, 7, 3, 0, LONG},
    {"raccumulate", raccumulate_long, 7, 10, 0, LONG},
    {"rget_accumulate of a word", rget_accumulate_word, 7, 10, 1, 1},
    {"rget_accumulate", rget_accumulate_long, 7, 10, 1, LONG},
};

static void overlap_origin(struct world *world, struct proa_win *win,
                           const struct test_operation *o, uint32_t step)
{
    struct proa_request request;
    int64_t *values = calloc(LONG, sizeof *values), *results = calloc(LONG, sizeof *results);

    for (int i = 0; i < LONG; i++)
        values[i] = 3;
    world_await(step_of(world), step + 1); /* it answers nothing any more */
    CHECK_OK(proa_win_lock(win, 1, 1, 0));
    proa_request_begin(&request, win);
    o->issue(win, values, results);
    let_go(&request);
    CHECK(!proa_request_any_done());
    step_to(world, step + 2); /* now it may */
    CHECK(done_by_the_agent() == &request);
    CHECK_OK(request.code);
    for (int i = 0; i < o->count; i++) {
        CHECK_EQUAL(results[i], o->fetches ? o->before : 0);
        values[i] = 99; /* ours again */
    }
    CHECK_OK(proa_win_unlock(win, 1));
    free(values);
    free(results);
}

static void overlap_target(struct world *world, struct proa_win *win,
                           const struct test_operation *o, uint32_t step)
{
    for (int i = 0; i < LONG; i++)
        window_words(win)[i] = o->before;
    net_fake_hold(1);
    step_to(world, step + 1);
    world_await(step_of(world), step + 2);
    net_fake_hold(0);
    CHECK_OK(proa_barrier(win));
    for (int i = 0; i < o->count; i++)
        CHECK_EQUAL(window_words(win)[i], o->after);
}

static void overlap_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    for (uint32_t i = 0; i < sizeof test_operations / sizeof test_operations[0]; i++) {
        if (world->rank == 0) {
            overlap_origin(world, win, &test_operations[i], 2 * i);
            CHECK_OK(proa_barrier(win));
        } else {
            overlap_target(world, win, &test_operations[i], 2 * i);
        }
        CHECK_OK(proa_barrier(win));
    }
    end(world, win);
}
ON_NODES(overlap, 2)

/* The lock is another's: an operation that has to wait for it is kept, and the call returns. */
static void locked_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    struct proa_request request;
    int64_t *values = calloc(LONG, sizeof *values);

    if (world->rank == 1) {
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        step_to(world, 1);
        world_await(step_of(world), 2);
        for (int i = 0; i < LONG; i++)
            CHECK_EQUAL(window_words(win)[i], 0);
        CHECK_OK(proa_win_unlock(win, 1));
    } else {
        for (int i = 0; i < LONG; i++)
            values[i] = i + 1;
        world_await(step_of(world), 1);
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        proa_request_begin(&request, win);
        rput_long(win, values, NULL);
        let_go(&request);
        world_sleep_us(3000);
        CHECK(!proa_request_any_done());
        step_to(world, 2);
        CHECK(done_by_the_agent() == &request);
        CHECK_OK(request.code);
        CHECK_OK(proa_win_unlock(win, 1));
    }
    CHECK_OK(proa_barrier(win));
    for (int i = 0; i < LONG && world->rank == 1; i++)
        CHECK_EQUAL(window_words(win)[i], i + 1);
    free(values);
    end(world, win);
}
ON_NODES(locked, 2)

/* Data that fits into a message is copied: such a put, or accumulate, is done at once. */
static void copied_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    struct proa_request request;
    int64_t value = 5;

    if (world->rank == 0) {
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        proa_request_begin(&request, win);
        CHECK_OK(put_many(win, 1, 0, &value, 1, PROA_I64));
        CHECK(proa_request_is_issued(&request));
        value = 6;
        CHECK_OK(proa_win_unlock(win, 1));
    }
    CHECK_OK(proa_barrier(win));
    if (world->rank == 1)
        CHECK_EQUAL(window_words(win)[0], 5);
    end(world, win);
}
ON_NODES(copied, 2)

/* ---- order, and what completes ---- */

/* A plain accumulate comes behind one with a request that is still kept (MPI-4.1, 13.7.3), and so
 * does a flush, which completes both. */
static void in_order_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);
    struct proa_request request;
    int64_t *first = calloc(LONG, sizeof *first), last = 2;

    if (world->rank == 0) {
        for (int i = 0; i < LONG; i++)
            first[i] = 1;
        world_await(step_of(world), 1);
        CHECK_OK(proa_win_lock(win, 1, 0, 0));
        proa_request_begin(&request, win);
        CHECK_OK(accumulate_many(win, 1, 0, first, LONG, PROA_I64, PROA_OP_REPLACE));
        let_go(&request);
        step_to(world, 2);
        CHECK_OK(accumulate_many(win, 1, LONG - 1, &last, 1, PROA_I64, PROA_OP_REPLACE));
        CHECK_OK(flushed(proa_win_flush(win, 1)));
        CHECK(proa_request_take_done() == &request);
        CHECK_OK(proa_win_unlock(win, 1));
    } else {
        net_fake_hold(1);
        step_to(world, 1);
        world_await(step_of(world), 2);
        world_sleep_us(2000);
        net_fake_hold(0);
    }
    CHECK_OK(proa_barrier(win));
    if (world->rank == 1) {
        CHECK_EQUAL(window_words(win)[0], 1);
        CHECK_EQUAL(window_words(win)[LONG - 2], 1);
        CHECK_EQUAL(window_words(win)[LONG - 1], 2);
    }
    free(first);
    end(world, win);
}
ON_NODES(in_order, 2)

/* Unlock and flush complete a kept operation as well, and an operation with a request of its own
 * comes behind it. */
static void kept_in_order(struct world *world, struct proa_win *win, int unlocks, uint32_t step)
{
    struct proa_request first, second;
    int64_t *values = calloc(LONG, sizeof *values), last = 2;

    if (world->rank == 0) {
        for (int i = 0; i < LONG; i++)
            values[i] = 1;
        world_await(step_of(world), step + 1);
        CHECK_OK(proa_win_lock(win, 1, 0, 0));
        proa_request_begin(&first, win);
        CHECK_OK(accumulate_many(win, 1, 0, values, LONG, PROA_I64, PROA_OP_REPLACE));
        let_go(&first);
        proa_request_begin(&second, win);
        CHECK_OK(accumulate_many(win, 1, LONG - 1, &last, 1, PROA_I64, PROA_OP_REPLACE));
        let_go(&second);
        step_to(world, step + 2);
        CHECK_OK(unlocks ? proa_win_unlock(win, 1) : flushed(proa_win_flush(win, 1)));
        CHECK(proa_request_take_done() == &first);
        CHECK(proa_request_take_done() == &second);
        step_to(world, step + 3);
        if (!unlocks)
            CHECK_OK(proa_win_unlock(win, 1));
    } else {
        memset(window_words(win), 0, LONG * sizeof(int64_t));
        net_fake_hold(1);
        step_to(world, step + 1);
        world_await(step_of(world), step + 2);
        net_fake_hold(0);
        world_await(step_of(world), step + 3);
        CHECK_EQUAL(window_words(win)[LONG - 2], 1);
        CHECK_EQUAL(window_words(win)[LONG - 1], 2);
    }
    CHECK_OK(proa_barrier(win));
    free(values);
}

static void both_kept_body(struct world *world)
{
    struct proa_win *win = begin(world, NULL);

    kept_in_order(world, win, 0, 0);
    kept_in_order(world, win, 1, 3);
    end(world, win);
}
ON_NODES(both_kept, 2)

/* A put that is kept until its lock is granted, and that the transport moves then. Flush and unlock
 * return when it is done, and so does the target's turn behind it begin. */
static void granted_origin(struct world *world, struct proa_win *win, int64_t *values, int round)
{
    struct proa_request request;

    for (int i = 0; i < LONG; i++)
        values[i] = round;
    world_await(step_of(world), (uint32_t)(2 * round - 1));
    CHECK_OK(proa_win_lock(win, 1, 1, 0));
    proa_request_begin(&request, win);
    rput_long(win, values, NULL);
    let_go(&request);
    step_to(world, (uint32_t)(2 * round));
    if (round % 2)
        CHECK_OK(flushed(proa_win_flush(win, 1)));
    else
        CHECK_OK(proa_win_unlock(win, 1));
    CHECK(proa_request_take_done() == &request);
    if (round % 2)
        CHECK_OK(proa_win_unlock(win, 1));
}

static void granted_target(struct world *world, struct proa_win *win, int round)
{
    uint32_t tickets;

    CHECK_OK(proa_win_lock(win, 1, 1, 0));
    tickets = __atomic_load_n(&win->ctl->lock.tickets, __ATOMIC_SEQ_CST);
    step_to(world, (uint32_t)(2 * round - 1));
    world_await(step_of(world), (uint32_t)(2 * round));
    world_await(&win->ctl->lock.tickets, tickets + 1);
    CHECK_OK(proa_win_unlock(win, 1));
    CHECK_OK(proa_win_lock(win, 1, 1, 0));
    for (int i = 0; i < LONG; i++)
        CHECK_EQUAL(window_words(win)[i], round);
    CHECK_OK(proa_win_unlock(win, 1));
}

static void granted_body(struct world *world)
{
    enum { ROUNDS = 4 };
    struct proa_win *win = begin(world, NULL);
    int64_t *values = calloc(LONG, sizeof *values);

    for (int round = 1; round <= ROUNDS; round++) {
        if (world->rank == 0)
            granted_origin(world, win, values, round);
        else
            granted_target(world, win, round);
        CHECK_OK(proa_barrier(win));
    }
    free(values);
    end(world, win);
}
ON_NODES(granted, 2)

/* Many at once, of all sizes, from everybody to everybody of the other node. */
static void many_body(struct world *world)
{
    enum { EACH = 60, MOST = 3000, ROUNDS = 6 };
    struct proa_win *win = begin(world, NULL);
    static struct proa_request requests[EACH];
    static int64_t values[MOST], got[EACH][MOST];
    uint64_t seed = 5 + (uint64_t)world->rank;

    for (int i = 0; i < MOST; i++)
        values[i] = 1;
    CHECK_OK(proa_win_lock_all(win, 0));
    for (int round = 0; round < ROUNDS; round++) {
        int open = 0;

        for (int i = 0; i < EACH; i++) {
            int target = (int)(2 * world_below(&seed, 2)) + !node_of(world->rank);
            uint64_t count = 1 + world_below(&seed, i % 3 ? 20 : MOST);

            proa_request_begin(&requests[i], win);
            if (i % 2)
                CHECK_OK(get_accumulate_many(win, target, 0, values, got[i], count, PROA_I64,
                                             PROA_OP_SUM));
            else
                CHECK_OK(accumulate_many(win, target, 0, values, count, PROA_I64, PROA_OP_SUM));
            __atomic_fetch_add((int64_t *)(void *)world->shared + 1 + target, 1, __ATOMIC_SEQ_CST);
            if (!proa_request_is_issued(&requests[i])) {
                proa_request_let_go(&requests[i]);
                open++;
            }
        }
        for (; open > 0; open--)
            CHECK_OK(next_done()->code);
    }
    CHECK(!proa_request_any_done());
    CHECK_OK(proa_win_unlock_all(win));
    CHECK_OK(proa_barrier(win));
    CHECK_EQUAL(window_words(win)[0], ((int64_t *)(void *)world->shared)[1 + world->rank]);
    end(world, win);
}
ON_NODES(many, 4)

/* The first goes off at once; requests before its answer go together, with it or when a thread
 * waits. */
static void gathered_body(struct world *world)
{
    enum { COUNT = 20 };
    struct proa_win *win = begin(world, NULL);
    struct proa_request requests[COUNT];
    int64_t got[COUNT];
    long before;

    if (world->rank == 1) {
        for (int i = 0; i < COUNT; i++)
            window_words(win)[i] = 100 + i;
        CHECK_OK(proa_barrier(win));
        net_fake_hold(1);
        step_to(world, 1);
        world_await(step_of(world), 2);
        net_fake_hold(0);
    } else {
        CHECK_OK(proa_win_lock(win, 1, 0, 0)); /* granted before the other one is held */
        CHECK_OK(get_word(win, 1, 0, &got[0]));
        CHECK_OK(flushed(proa_win_flush(win, 1)));
        CHECK_OK(proa_barrier(win));
        world_await(step_of(world), 1);
        before = net_fake_counts().sent;
        for (int i = 0; i < COUNT; i++) {
            proa_request_begin(&requests[i], win);
            CHECK_OK(get_word(win, 1, i, &got[i]));
            let_go(&requests[i]);
        }
        proa_progress_enter();
        CHECK(net_fake_counts().sent - before <= 1);
        proa_progress_leave();
        step_to(world, 2);
        for (int i = 0; i < COUNT; i++)
            CHECK(done_by_the_agent() == &requests[i]);
        for (int i = 0; i < COUNT; i++)
            CHECK_EQUAL(got[i], 100 + i);
        CHECK_EQUAL(net_fake_counts().sent - before, 2);
        CHECK_OK(proa_win_unlock(win, 1));
    }
    world_barrier(world);
    end(world, win);
}
WORLD_TEST(gathered, 2, .before = on_nodes)

/* ---- what goes wrong ---- */

static void check_gone(const struct proa_request *q)
{
    CHECK_EQUAL(q->code, PROA_ERR_OTHER);
    CHECK(strstr(q->why, "rank 1 is gone"));
    CHECK_EQUAL(q->rank, 1);
}

/* Each operation that is kept, on its way or wanted of a process that is gone ends with an error
 * that names it, and so does each that is begun later; and its late answer changes nothing. */
static void lost_body(struct world *world)
{
    enum { KEPT = 5 };
    struct proa_win *win = begin(world, NULL);
    struct proa_request requests[KEPT];
    int64_t *values = calloc(LONG, sizeof *values), got = 0;

    CHECK_OK(proa_barrier(win));
    if (world->rank == 1) {
        net_fake_hold(1);
        step_to(world, 1);
    } else {
        world_await(step_of(world), 1);
        CHECK_OK(proa_win_lock(win, 1, 0, 0));
        proa_request_begin(&requests[0], win);
        CHECK_OK(get_word(win, 1, 0, &got));
        let_go(&requests[0]);
        proa_request_begin(&requests[1], win);
        rput_long(win, values, NULL);
        let_go(&requests[1]);
        proa_request_begin(&requests[2], win);
        raccumulate_long(win, values, NULL);
        let_go(&requests[2]);
        proa_request_begin(&requests[3], win);
        rget_word(win, NULL, &got);
        let_go(&requests[3]);
        proa_request_begin(&requests[4], win);
        rget_long(win, NULL, values);
        let_go(&requests[4]);
        CHECK(!proa_request_any_done());
        proa_progress_enter();
        net_fake_lose(NULL, 1);
        proa_progress_leave();
        for (int i = 0; i < KEPT; i++)
            check_gone(next_done());
        proa_request_begin(&requests[0], win);
        CHECK_FAILS(get_many(win, 1, 0, values, LONG, PROA_I64), PROA_ERR_OTHER);
        CHECK(proa_request_is_issued(&requests[0]));
        proa_request_begin(&requests[0], win);
        CHECK_FAILS(get_word(win, 1, 0, &got), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "rank 1 is gone"));
        CHECK(proa_request_is_issued(&requests[0]));
        CHECK_FAILS(proa_win_unlock(win, 1), PROA_ERR_OTHER);
    }
    world_barrier(world);
    free(values);
}
WORLD_TEST(lost, 2, .before = on_nodes, .limit_s = 5)

/* What the network could not move the request tells, and not what completes others. */
static void failing_body(struct world *world)
{
    static const struct net_fake_rules fails = {.fail_of_100 = 100}, works = {.seed = 1};
    struct proa_win *win = begin(world, NULL);
    struct proa_request request;
    int64_t *values = calloc(LONG, sizeof *values);

    if (world->rank == 0) {
        CHECK_OK(proa_win_lock(win, 1, 1, 0));
        CHECK_OK(put_word(win, 1, 0, 1));
        CHECK_OK(flushed(proa_win_flush(win, 1)));
        net_fake_set_rules(&fails);
        proa_request_begin(&request, win);
        rput_long(win, values, NULL);
        let_go(&request);
        CHECK(next_done() == &request);
        CHECK_EQUAL(request.code, PROA_ERR_OTHER);
        CHECK(strstr(request.why, "network"));
        net_fake_set_rules(&works);
        CHECK_OK(proa_win_unlock(win, 1));
    }
    free(values);
    end(world, win);
}
WORLD_TEST(failing, 2, .before = on_nodes, .limit_s = 20)

/* ---- what fails at the target ---- */

/* The place of the i-th word there; past the words no memory is attached. */
static int64_t place_of(const int64_t *words, int i)
{
    return (int64_t)(uintptr_t)&words[i];
}

enum { ATTACHED = 8, OUTSIDE = 1 << 20 };

/* A put without a request, if `puts`, and two gets with one, all in one batch: the target is held
 * while the first one's answer is outstanding. fails: the word that is outside, of the put and the
 * gets. */
static void report(struct world *world, struct proa_win *win, const int64_t *words, uint32_t step,
                   const int fails[3])
{
    struct proa_request first, requests[2];
    int64_t values[3];

    world_await(step_of(world), step + 1);
    proa_request_begin(&first, win);
    CHECK_OK(get_word(win, 1, place_of(words, 0), &values[2]));
    let_go(&first);
    CHECK_OK(put_word(win, 1, place_of(words, fails[0] ? OUTSIDE : 0), 5));
    for (int i = 0; i < 2; i++) {
        proa_request_begin(&requests[i], win);
        CHECK_OK(get_word(win, 1, place_of(words, fails[1 + i] ? OUTSIDE : 1), &values[i]));
        let_go(&requests[i]);
    }
    step_to(world, step + 2);
    CHECK(next_done() == &first);
    CHECK_OK(first.code);
    for (int i = 0; i < 2; i++) {
        CHECK(next_done() == &requests[i]);
        CHECK_EQUAL(requests[i].code, fails[1 + i] ? PROA_ERR_RMA_RANGE : PROA_OK);
        CHECK_EQUAL(values[i], fails[1 + i] ? values[i] : 7);
    }
    if (fails[0])
        CHECK_FAILS(proa_win_flush(win, 1), PROA_ERR_RMA_RANGE);
    CHECK_OK(flushed(proa_win_flush(win, 1)));
}

/* The request of the operation that failed reports it, and no other one; a flush reports what has
 * no request. */
static void reported_once_body(struct world *world)
{
    struct proa_win *win =
        begin(world, &(struct proa_create_args){.flavor = PROA_FLAVOR_DYNAMIC, .disp_unit = 1});
    int64_t words[ATTACHED] = {0, 7}, *all[2], *mine = words;

    CHECK_OK(proa_regions_attach(win, words, sizeof words));
    CHECK_OK(world->group.allgather(world->group.context, &mine, all, sizeof mine));
    if (world->rank == 0)
        CHECK_OK(proa_win_lock_all(win, 0));
    for (uint32_t i = 0; i < 8; i++) {
        const int fails[] = {i & 1, i >> 1 & 1, i >> 2};

        if (world->rank == 0) {
            report(world, win, all[1], 3 * i, fails);
            step_to(world, 3 * i + 3);
            continue;
        }
        net_fake_hold(1);
        step_to(world, 3 * i + 1);
        world_await(step_of(world), 3 * i + 2);
        net_fake_hold(0);
        world_await(step_of(world), 3 * i + 3);
    }
    if (world->rank == 0)
        CHECK_OK(proa_win_unlock_all(win));
    world_barrier(world);
    CHECK_OK(proa_regions_detach(win, words));
    end(world, win);
}
ON_NODES(reported_once, 2)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlap),  cmocka_unit_test(locked),        cmocka_unit_test(copied),
        cmocka_unit_test(in_order), cmocka_unit_test(both_kept),     cmocka_unit_test(granted),
        cmocka_unit_test(many),     cmocka_unit_test(gathered),      cmocka_unit_test(lost),
        cmocka_unit_test(failing),  cmocka_unit_test(reported_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
