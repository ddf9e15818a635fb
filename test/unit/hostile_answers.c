/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers without sense end their sender too (remote/batch.c): those that come again, and those
 * whose data are not what was requested. Rank 0 sends them to rank 1. */
#include "hostile.h"

#include "remote/request.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct message answer(const struct proa_win *win, uint64_t number, size_t data)
{
    struct message m = batch(win, NULL, 0);

    m.head.kind = PROA_WIRE_ANSWER;
    m.head.number = number;
    m.bytes += sizeof(struct proa_wire_outcome) + data;
    return m;
}

/* The victim has had its answers. The last comes once more, or the one before. */
static void answered_body(struct world *world)
{
    struct proa_win *win = open_window(world);
    uint32_t *step = (uint32_t *)(void *)world->shared;
    const uint64_t *number = world->arg;
    int64_t value;

    if (world->rank == EVIL) {
        struct message m = answer(win, *number, 0);

        world_await(step, 1);
        send_raw(win, &m);
    } else {
        if (world->rank == VICTIM) {
            CHECK_OK(proa_win_lock(win, EVIL, 0, 0));
            CHECK_OK(get_word(win, EVIL, 0, &value));
            CHECK_OK(flushed(proa_win_flush(win, EVIL)));
            CHECK_OK(proa_win_unlock(win, EVIL));
            __atomic_store_n(step, 1, __ATOMIC_RELEASE);
        }
        check_dropped(world, win);
    }
    world_barrier(world);
}

static void answers_once(void **state)
{
    static const uint64_t numbers[] = {2, 1};

    (void)state;
    for (int i = 0; i < 2; i++)
        world_run(&(struct world_plan){.size = RANKS,
                                       .body = answered_body,
                                       .before = on_nodes,
                                       .arg = &numbers[i],
                                       .limit_s = 20});
}

/* The evil one answers a get of two words itself: it serves nothing. */
static void get_two(struct world *world, struct proa_win *win, const struct message *m,
                    struct proa_request *request, int64_t *values)
{
    uint32_t *step = (uint32_t *)(void *)world->shared;

    if (world->rank == EVIL) {
        net_fake_hold(1);
        __atomic_store_n(step, 1, __ATOMIC_RELEASE);
        world_await(step, 2);
        send_raw(win, m);
    } else if (world->rank == VICTIM) {
        world_await(step, 1);
        CHECK_OK(proa_win_lock(win, EVIL, 0, 0));
        proa_request_begin(request, win);
        CHECK_OK(get_many(win, EVIL, 0, values, 2, PROA_I64));
        CHECK(!proa_request_is_issued(request)); /* but sent */
        proa_request_let_go(request);
        __atomic_store_n(step, 2, __ATOMIC_RELEASE);
    }
}

/* Answers that make no sense, where two words are wanted. None of them may stay wanted, to be
 * filled in by a later answer. */
struct malformed {
    struct proa_wire_outcome outcome;
    size_t bytes; /* behind the head */
    uint8_t flags;
};

enum { OUTCOME = sizeof(struct proa_wire_outcome), DATA = 16 };

static const struct malformed malformed[] = {
    {{0, 0}, OUTCOME, 0},
    {{0, 0}, OUTCOME + DATA - 8, 0},
    {{0, 0}, OUTCOME + DATA + 8, 0},
    {{0, 0}, OUTCOME / 2, 0},
    {{1, 0}, OUTCOME + DATA, 0},
    {{PROA_ERR_OTHER, 200}, OUTCOME + 200 + DATA, 0},
    {{PROA_ERR_OTHER, 24}, OUTCOME + DATA, 0},
    {{0, 0}, OUTCOME + DATA, PROA_WIRE_REFUSED}, /* no lock was tried for */
};

static void malformed_body(struct world *world)
{
    const struct malformed *one = world->arg;
    struct proa_win *win = open_window(world);
    struct proa_request request;
    struct message m = answer(win, 1, 0);
    int64_t values[2] = {-1, -1};

    memcpy((char *)m.words + sizeof m.head, &one->outcome, sizeof one->outcome);
    m.head.flags = one->flags;
    m.bytes = sizeof m.head + one->bytes;
    get_two(world, win, &m, &request, values);
    if (world->rank == VICTIM) {
        CHECK_FAILS(proa_win_flush(win, EVIL), PROA_ERR_OTHER);
        CHECK_FAILS(proa_win_unlock(win, EVIL), PROA_ERR_OTHER);
        CHECK(proa_request_take_done() == &request);
        CHECK_EQUAL(values[1], one->bytes < OUTCOME + DATA ? -1 : values[1]);
    }
    if (world->rank != EVIL)
        check_dropped(world, win);
    world_barrier(world);
}

static void malformed_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof malformed / sizeof malformed[0]; i++)
        world_run(&(struct world_plan){.size = RANKS,
                                       .body = malformed_body,
                                       .before = on_nodes,
                                       .arg = &malformed[i],
                                       .limit_s = 20});
}

/* A target without memory for a batch answers like this (remote/target.c): no nonsense. */
static void refused_body(struct world *world)
{
    const struct proa_wire_outcome outcome = {PROA_ERR_NO_MEM, 0};
    struct proa_win *win = open_window(world);
    struct proa_request request;
    struct message m = answer(win, 1, 0);
    int64_t values[2];

    memcpy((char *)m.words + sizeof m.head, &outcome, sizeof outcome);
    get_two(world, win, &m, &request, values);
    if (world->rank == VICTIM) {
        CHECK_FAILS(proa_win_flush(win, EVIL), PROA_ERR_NO_MEM);
        CHECK(proa_request_take_done() == &request);
        CHECK_EQUAL(request.code, PROA_ERR_NO_MEM);
        CHECK_EQUAL(net_fake_counts().dropped, 0);
    }
    world_barrier(world);
}
WORLD_TEST(refused, RANKS, .before = on_nodes, .limit_s = 20)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_once),
        cmocka_unit_test(malformed_answers),
        cmocka_unit_test(refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
