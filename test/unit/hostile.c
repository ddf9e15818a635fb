/* SPDX-License-Identifier: BSD-3-Clause */
/* A message without sense from a process of the job ends that process, for its window, and nothing
 * else: rank 0 sends it to rank 1, which drops rank 0; both of the others go on. */
#include "move.h"
#include "net_fake.h"

#include "base/fail.h"
#include "remote/progress.h"
#include "remote/window.h"
#include "sync/notify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { EVIL, VICTIM, THIRD, RANKS, WORDS = 64, MESSAGE_WORDS = PROA_NET_MESSAGE_MOST / 8 };

/* A message as it goes over the network, to be spoilt. */
struct message {
    union {
        struct proa_wire_head head;
        uint64_t words[MESSAGE_WORDS];
    };
    size_t bytes;
};

/* Rank 0 has sent nothing in this window before: number 1 is next. */
static struct message batch(const struct proa_win *win, const struct proa_wire_op *op, size_t data)
{
    struct message m = {.words = {0}, .bytes = sizeof m.head};

    m.head = (struct proa_wire_head){
        PROA_WIRE_BATCH, 0, PROA_WIRE_VERSION, EVIL, win->remote_window->number, 1};
    if (op) {
        memcpy((char *)m.words + m.bytes, op, sizeof *op);
        m.bytes += sizeof *op + data;
    }
    return m;
}

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

static struct message no_such_operation(const struct proa_win *win)
{
    const struct proa_wire_op op = {
        .code = PROA_WIRE_COMBINE, .operation = 200, .basic = 200, .bytes = 8, .count = 1};

    return batch(win, &op, 8);
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

/* ---- the world ---- */

typedef struct message make(const struct proa_win *win);

static make *const nonsense[] = {too_short,   other_version,     unknown_kind,    other_rank,
                                 rank_beyond, number_ahead,      both_locks,      cut_off,
                                 huge,        no_such_operation, word_of_another, unasked_answer,
                                 lost_beyond, round_beyond};

static void on_nodes(struct world *world)
{
    char node[16];

    snprintf(node, sizeof node, "%d", world->rank);
    setenv("PROA_NODE_ID", node, 1);
    setenv("PROA_LOG", "0", 1); /* dropped messages are logged: here each of the time */
}

static void send_raw(const struct proa_win *win, const struct message *m)
{
    proa_progress_enter();
    CHECK_OK(proa_progress_send(win->targets[VICTIM].remote->peer, m->words, m->bytes));
    proa_progress_leave();
}

static void nonsense_body(struct world *world)
{
    make *const *one = world->arg;
    struct proa_win *win;
    int64_t value;

    net_fake_join(world);
    world_barrier(world);
    proa_progress_set_transport(&proa_net_fake);
    win = window_of_words(world, WORDS);
    if (world->rank == EVIL) {
        struct message m = (*one)(win);

        send_raw(win, &m);
    } else {
        /* both hear of it: the third one from the victim */
        CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
        CHECK(strstr(proa_failure(), "rank 0 is gone"));
        CHECK_EQUAL(net_fake_counts().dropped, world->rank == VICTIM);
        CHECK_EQUAL(window_words(win)[0], 0);
        CHECK_OK(proa_win_lock(win, VICTIM + THIRD - world->rank, 1, 0));
        CHECK_OK(put_word(win, VICTIM + THIRD - world->rank, 5, 42));
        CHECK_OK(get_word(win, VICTIM + THIRD - world->rank, 5, &value));
        CHECK_OK(proa_win_unlock(win, VICTIM + THIRD - world->rank));
        CHECK_EQUAL(value, 42);
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
    struct proa_win *win;

    net_fake_join(world);
    world_barrier(world);
    proa_progress_set_transport(&proa_net_fake);
    win = window_of_words(world, WORDS);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_its_sender),
        cmocka_unit_test(repeated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
