/* SPDX-License-Identifier: BSD-3-Clause */
/* A message without sense from a process of the job ends that process, for its window, and nothing
 * else: rank 0 sends it to rank 1, which drops rank 0; both of the others go on. */
#include "hostile.h"

#include "remote/group_lock.h"
#include "remote/target.h"
#include "sync/notify.h"
#include "sync/peer_failure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- kinds of nonsense ---- */

static const struct proa_wire_op good_put = {.code = PROA_WIRE_PUT, .bytes = 8, .count = 1};

static struct message too_short(const struct proa_win *win)
{
    struct message m = batch(win, NULL, 0);

    m.bytes = sizeof m.head - 8;
    return m;
}

static struct message other_version(const struct proa_win *win)
{
    struct message m = batch(win, &good_put, 8);

    m.head.version++;
    return m;
}

static struct message unknown_kind(const struct proa_win *win)
{
    struct message m = batch(win, &good_put, 8);

    m.head.kind = 77;
    return m;
}

static struct message other_rank(const struct proa_win *win)
{
    struct message m = batch(win, &good_put, 8);

    m.head.rank = THIRD;
    return m;
}

static struct message rank_beyond(const struct proa_win *win)
{
    struct message m = batch(win, &good_put, 8);

    m.head.rank = RANKS;
    return m;
}

static struct message number_ahead(const struct proa_win *win)
{
    struct message m = batch(win, &good_put, 8);

    m.head.number = 2;
    return m;
}

static struct message both_locks(const struct proa_win *win)
{
    struct message m = batch(win, &good_put, 8);

    m.head.flags = PROA_WIRE_LOCK_SHARED | PROA_WIRE_LOCK_EXCLUSIVE;
    return m;
}

static struct message cut_off(const struct proa_win *win)
{
    const struct proa_wire_op op = {.code = PROA_WIRE_PUT, .bytes = 8, .count = 4};

    return batch(win, &op, 24);
}

static struct message huge(const struct proa_win *win)
{
    const struct proa_wire_op op = {
        .code = PROA_WIRE_GET, .bytes = 1 << 16, .count = UINT64_MAX / 2, .stride = -8};

    return batch(win, &op, 0);
}

/* The last bytes of a message are its padding too. */
static struct message not_padded(const struct proa_win *win)
{
    const struct proa_wire_op op = {.code = PROA_WIRE_PUT, .bytes = 3, .count = 1};
    struct message m = batch(win, &op, 3);

    memset((char *)m.words + m.bytes - 3, 1, 3); /* a put that is done shows in the window */
    return m;
}

/* Any number of them would fit. */
static struct message runs_of_nothing(const struct proa_win *win)
{
    const struct proa_wire_op op = {.code = PROA_WIRE_PUT, .count = UINT64_MAX};

    return batch(win, &op, 0);
}

/* Each of them fits into an answer; all of them do not. */
static struct message gets_beyond(const struct proa_win *win)
{
    const struct proa_wire_op op = {.code = PROA_WIRE_GET, .bytes = WORDS * 8, .count = 16};
    struct message m = batch(win, &op, 0);

    add(&m, &op, 0);
    return m;
}

static struct message results_beyond(const struct proa_win *win)
{
    const struct proa_wire_op op = {.code = PROA_WIRE_COMBINE,
                                    .flags = PROA_WIRE_RESULT,
                                    .operation = PROA_OP_NO_OP,
                                    .basic = PROA_I64,
                                    .bytes = 8,
                                    .count = WORDS,
                                    .total = WORDS};
    struct message m = batch(win, NULL, 0);

    for (size_t room = PROA_NET_MESSAGE_MOST; room >= WORDS * 8; room -= WORDS * 8)
        add(&m, &op, 0);
    return m;
}

static struct message no_such_operation(const struct proa_win *win)
{
    const struct proa_wire_op op = {
        .code = PROA_WIRE_COMBINE, .operation = 200, .basic = 200, .bytes = 8, .count = 1};

    return batch(win, &op, 8);
}

static struct message combine(const struct proa_win *win, uint8_t flags, uint32_t bytes,
                              uint64_t count)
{
    const struct proa_wire_op op = {.code = PROA_WIRE_COMBINE,
                                    .flags = flags,
                                    .operation = PROA_OP_SUM,
                                    .basic = PROA_I64,
                                    .bytes = bytes,
                                    .count = count,
                                    .total = count};

    return batch(win, &op, 32);
}

static struct message no_elements(const struct proa_win *win)
{
    return combine(win, PROA_WIRE_ORIGIN, 8, 0);
}

/* Nothing else is wrong with it: without elements it needs no data. */
static struct message no_origin(const struct proa_win *win)
{
    struct message m = combine(win, 0, 8, 4);

    m.bytes = sizeof m.head + sizeof(struct proa_wire_op);
    return m;
}

static struct message other_elements(const struct proa_win *win)
{
    return combine(win, PROA_WIRE_ORIGIN, 4, 8);
}

static struct message compares_many(const struct proa_win *win)
{
    return combine(win, PROA_WIRE_ORIGIN | PROA_WIRE_COMPARE, 8, 3);
}

static struct message compares_none(const struct proa_win *win)
{
    struct message m = combine(win, PROA_WIRE_COMPARE | PROA_WIRE_RESULT, 8, 1);
    struct proa_wire_op op;

    memcpy(&op, (char *)m.words + sizeof m.head, sizeof op);
    op.operation = PROA_OP_NO_OP;
    m.bytes = sizeof m.head;
    add(&m, &op, 8);
    return m;
}

static struct message word_of_another(const struct proa_win *win)
{
    const struct proa_wire_op op = {.code = PROA_WIRE_NOTIFY, .position = PROA_WORDS, .count = 1};

    return batch(win, &op, 0);
}

/* Behind the words of its rounds is nothing of the window. */
static struct message round_beyond(const struct proa_win *win)
{
    const struct proa_wire_op op = {.code = PROA_WIRE_NOTIFY,
                                    .position = PROA_WORD_ROUND + (uint64_t)proa_rounds(RANKS),
                                    .count = 1};

    return batch(win, &op, 0);
}

static struct message word_backwards(const struct proa_win *win)
{
    struct proa_wire_op op = {
        .code = PROA_WIRE_NOTIFY, .position = PROA_WORD_COMPLETED, .count = 5};
    struct message m = batch(win, &op, 0);

    op.count = 4;
    add(&m, &op, 0);
    return m;
}

/* In the second round it is not rank 0 that notifies rank 1. */
static struct message round_of_another(const struct proa_win *win)
{
    const struct proa_wire_op op = {
        .code = PROA_WIRE_NOTIFY, .position = PROA_WORD_ROUND + 1, .count = 1};

    return batch(win, &op, 0);
}

static struct message node_round_of_another(const struct proa_win *win)
{
    const struct proa_wire_op op = {
        .code = PROA_WIRE_NOTIFY, .position = PROA_WORD_NODE_ROUND + 1, .count = 1};

    return batch(win, &op, 0);
}

static struct message unasked_answer(const struct proa_win *win)
{
    struct message m = batch(win, NULL, 0);

    m.head.kind = PROA_WIRE_ANSWER;
    m.bytes += sizeof(struct proa_wire_outcome);
    return m;
}

static struct message lost_beyond(const struct proa_win *win)
{
    struct message m = batch(win, NULL, 0);

    m.head.kind = PROA_WIRE_LOST;
    m.head.number = RANKS;
    return m;
}

static struct message room(const struct proa_win *win, int flags, uint64_t number)
{
    struct message m = batch(win, NULL, 0);

    m.head.kind = PROA_WIRE_ROOM;
    m.head.flags = (uint8_t)flags;
    m.head.number = number;
    return m;
}

static struct message room_unknown(const struct proa_win *win)
{
    return room(win, PROA_WIRE_ROOM_RECALL, PROA_GROUP_LOCK_ALL + 1);
}

static struct message room_not_kept(const struct proa_win *win)
{
    return room(win, PROA_WIRE_ROOM_ASK, PROA_GROUP_LOCK_ALL);
}

static struct message room_rank_beyond(const struct proa_win *win)
{
    struct message m = room(win, PROA_WIRE_ROOM_RECALL, PROA_GROUP_LOCK_ALL);

    m.head.rank = RANKS;
    return m;
}

static struct message room_other_rank(const struct proa_win *win)
{
    struct message m = room(win, PROA_WIRE_ROOM_RECALL, PROA_GROUP_LOCK_ALL);

    m.head.rank = VICTIM;
    return m;
}

/* ---- the world ---- */

typedef struct message make(const struct proa_win *win);

static make *const nonsense[] = {
    too_short,
    other_version,
    unknown_kind,
    other_rank,
    rank_beyond,
    number_ahead,
    both_locks,
    cut_off,
    huge,
    not_padded,
    runs_of_nothing,
    no_elements,
    no_origin,
    other_elements,
    compares_many,
    compares_none,
    gets_beyond,
    results_beyond,
    no_such_operation,
    word_of_another,
    word_backwards,
    round_beyond,
    round_of_another,
    unasked_answer,
    node_round_of_another,
    lost_beyond,
    room_unknown,
    room_not_kept,
    room_rank_beyond,
    room_other_rank,
};

static void nonsense_body(struct world *world)
{
    make *const *one = world->arg;
    struct proa_win *win = open_window(world);

    if (world->rank == EVIL) {
        struct message m = (*one)(win);

        send_raw(win, &m);
    } else {
        check_dropped(world, win);
        CHECK_EQUAL(window_words(win)[0], 0);
    }
    world_barrier(world);
}

static void ends_its_sender(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++)
        world_run(&(struct world_plan){.size = RANKS,
                                       .body = nonsense_body,
                                       .before = on_nodes,
                                       .arg = &nonsense[i],
                                       .limit_s = 20});
}

/* A batch that comes twice is done once. */
static void repeated_body(struct world *world)
{
    struct proa_win *win = open_window(world);

    if (world->rank == EVIL) {
        const struct proa_wire_op op = {.code = PROA_WIRE_COMBINE,
                                        .flags = PROA_WIRE_ORIGIN,
                                        .operation = PROA_OP_SUM,
                                        .basic = PROA_I64,
                                        .bytes = 8,
                                        .count = 1,
                                        .total = 1};
        struct message m = batch(win, &op, 8);

        m.words[(m.bytes - 8) / 8] = 1;
        send_raw(win, &m);
        send_raw(win, &m);
    } else {
        CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
        CHECK_EQUAL(net_fake_counts().dropped, world->rank == VICTIM);
        CHECK_EQUAL(window_words(win)[0], world->rank == VICTIM);
    }
    world_barrier(world);
}
WORLD_TEST(repeated, RANKS, .before = on_nodes, .limit_s = 20)

/* The victim has its own lock, so the first batch is kept: a further one has no place. */
static void impatient_body(struct world *world)
{
    struct proa_win *win = open_window(world);
    uint32_t *step = (uint32_t *)(void *)world->shared;

    if (world->rank == EVIL) {
        struct message m = batch(win, &good_put, 8);

        world_await(step, 1);
        m.head.flags = PROA_WIRE_LOCK_EXCLUSIVE;
        send_raw(win, &m);
        m.head.flags = 0;
        m.head.number++;
        send_raw(win, &m);
    } else {
        if (world->rank == VICTIM) {
            CHECK_OK(proa_win_lock(win, VICTIM, 1, 0));
            __atomic_store_n(step, 1, __ATOMIC_RELEASE);
            await_drop();
            CHECK_OK(proa_win_unlock(win, VICTIM));
        }
        check_dropped(world, win);
    }
    world_barrier(world);
}
WORLD_TEST(impatient, RANKS, .before = on_nodes, .limit_s = 20)

/* The victim gives a lock that it would not get back. */
static void two_locks_body(struct world *world)
{
    struct proa_win *win = open_window(world);

    if (world->rank == EVIL) {
        struct message m = batch(win, &good_put, 8);

        m.head.flags = PROA_WIRE_LOCK_SHARED;
        send_raw(win, &m);
        m.head.number++;
        send_raw(win, &m);
    } else {
        check_dropped(world, win);
    }
    world_barrier(world);
}
WORLD_TEST(two_locks, RANKS, .before = on_nodes, .limit_s = 20)

/* A message that comes after its sender was lost here is not done: its lock would stay. */
static void late_body(struct world *world)
{
    struct proa_win *win = open_window(world);

    if (world->rank == VICTIM) {
        struct message m = batch(win, &good_put, 8);

        m.head.flags = PROA_WIRE_LOCK_EXCLUSIVE;
        m.words[(m.bytes - 8) / 8] = 1;
        proa_progress_enter();
        proa_failed_lose(win, EVIL);
        proa_remote_target_batch(proa_remote_make(win, EVIL), &m.head,
                                 (char *)m.words + sizeof m.head, m.bytes - sizeof m.head);
        proa_progress_leave();
        CHECK_EQUAL(window_words(win)[0], 0);
        CHECK_OK(proa_win_lock(win, VICTIM, 1, 0));
        CHECK_OK(proa_win_unlock(win, VICTIM));
    }
    if (world->rank != EVIL)
        check_dropped(world, win);
    world_barrier(world);
}
WORLD_TEST(late, RANKS, .before = on_nodes, .limit_s = 20)

/* ---- the keeper of the rooms (remote/group_lock.h), which is rank 0 ---- */

enum { KEEPER, ASKER };

static struct message ask_for_all(const struct proa_win *win)
{
    struct message m = room(win, PROA_WIRE_ROOM_ASK, PROA_GROUP_LOCK_ALL);

    m.head.rank = ASKER;
    return m;
}

static long received(void)
{
    long count;

    proa_progress_enter();
    count = net_fake_counts().received;
    proa_progress_leave();
    return count;
}

/* No permit of the one that is gone is left: both rooms open. */
static void check_rooms(struct proa_win *win)
{
    CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
    CHECK_OK(proa_win_lock_all(win, 0));
    (void)proa_win_unlock_all(win); /* reports the fence's message to it once more */
    CHECK_OK(proa_win_lock(win, win->rank, 1, 0));
    CHECK_OK(proa_win_unlock(win, win->rank));
}

/* A process that waits for a room requests it once more. */
static void asks_twice_body(struct world *world)
{
    struct proa_win *win = open_window(world);
    uint32_t *step = (uint32_t *)(void *)world->shared;

    if (world->rank == ASKER) {
        struct message m = ask_for_all(win);

        world_await(step, 1);
        send_to(win, KEEPER, &m);
        send_to(win, KEEPER, &m);
    } else {
        if (world->rank == KEEPER) {
            CHECK_OK(proa_win_lock(win, KEEPER, 1, 0));
            __atomic_store_n(step, 1, __ATOMIC_RELEASE);
            await_drop();
            CHECK_OK(proa_win_unlock(win, KEEPER));
        }
        check_rooms(win);
    }
    world_barrier(world);
}
WORLD_TEST(asks_twice, RANKS, .before = on_nodes, .limit_s = 20)

/* In the name of another rank. */
static void asks_for_another_body(struct world *world)
{
    struct proa_win *win = open_window(world);

    if (world->rank == ASKER) {
        struct message m = ask_for_all(win);

        m.head.rank = THIRD;
        send_to(win, KEEPER, &m);
    } else {
        if (world->rank == KEEPER)
            await_drop();
        check_rooms(win);
    }
    world_barrier(world);
}
WORLD_TEST(asks_for_another, RANKS, .before = on_nodes, .limit_s = 20)

/* It is lost while it waits for the room that is not open. */
static void lost_in_queue_body(struct world *world)
{
    struct proa_win *win = open_window(world);
    uint32_t *step = (uint32_t *)(void *)world->shared;

    if (world->rank == ASKER) {
        struct message m = ask_for_all(win);

        world_await(step, 1);
        send_to(win, KEEPER, &m);
    } else if (world->rank == KEEPER) {
        long before = received();

        CHECK_OK(proa_win_lock(win, KEEPER, 1, 0));
        __atomic_store_n(step, 1, __ATOMIC_RELEASE);
        while (received() == before)
            world_sleep_us(50);
        proa_progress_enter();
        net_fake_lose(NULL, ASKER);
        proa_progress_leave();
        CHECK_OK(proa_win_unlock(win, KEEPER));
    }
    if (world->rank != ASKER)
        check_rooms(win);
    world_barrier(world);
}
WORLD_TEST(lost_in_queue, RANKS, .before = on_nodes, .limit_s = 20)

/* Another process has lost the one that asks, and has told the keeper. */
static void asks_lost_body(struct world *world)
{
    struct proa_win *win = open_window(world);

    if (world->rank == THIRD) {
        proa_progress_enter();
        net_fake_lose(NULL, ASKER);
        proa_progress_leave();
    }
    if (world->rank != ASKER)
        CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
    world_barrier(world);
    if (world->rank == ASKER) {
        struct message m = ask_for_all(win);

        send_to(win, KEEPER, &m);
    } else {
        if (world->rank == KEEPER)
            await_drop();
        check_rooms(win);
    }
    world_barrier(world);
}
WORLD_TEST(asks_lost, RANKS, .before = on_nodes, .limit_s = 20)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_its_sender),
        cmocka_unit_test(repeated),
        cmocka_unit_test(impatient),
        cmocka_unit_test(asks_twice),
        cmocka_unit_test(asks_lost),
        cmocka_unit_test(two_locks),
        cmocka_unit_test(late),
        cmocka_unit_test(asks_for_another),
        cmocka_unit_test(lost_in_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
