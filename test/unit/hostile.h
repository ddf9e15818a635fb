/* SPDX-License-Identifier: BSD-3-Clause */
/* A process of the job, rank 0, sends what it likes to rank 1, on a node of its own. That process
 * drops it, and both of the others go on. */
#ifndef PROA_TEST_HOSTILE_H
#define PROA_TEST_HOSTILE_H

#include "move.h"
#include "net_fake.h"

#include "base/fail.h"
#include "progress/progress.h"
#include "remote/window.h"
#include "remote/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVIL, VICTIM, THIRD, RANKS, WORDS = 64, MESSAGE_WORDS = PROA_NET_MESSAGE_MOST / 8 };

/* A message as it goes over the network, to be spoilt. */
struct message {
    union {
        struct proa_wire_head head;
        uint64_t words[MESSAGE_WORDS];
    };
    size_t bytes;
};

static inline void add(struct message *m, const struct proa_wire_op *op, size_t data)
{
    memcpy((char *)m->words + m->bytes, op, sizeof *op);
    m->bytes += sizeof *op + data;
}

/* Rank 0 has sent nothing in this window before: number 1 is next. */
static inline struct message batch(const struct proa_win *win, const struct proa_wire_op *op,
                                   size_t data)
{
    struct message m = {.words = {0}, .bytes = sizeof m.head};

    m.head = (struct proa_wire_head){
        PROA_WIRE_BATCH, 0, PROA_WIRE_VERSION, EVIL, win->remote_window->number, 1};
    if (op)
        add(&m, op, data);
    return m;
}

static inline void on_nodes(struct world *world)
{
    char node[16];

    snprintf(node, sizeof node, "%d", world->rank);
    setenv("PROA_NODE_ID", node, 1);
    setenv("PROA_LOG", "0", 1); /* dropped messages are logged: here each of the time */
}

static inline struct proa_win *open_window(struct world *world)
{
    net_fake_join(world);
    world_barrier(world);
    proa_remote_start(&proa_net_fake);
    return window_of_words(world, WORDS);
}

static inline void send_to(struct proa_win *win, int rank, const struct message *m)
{
    proa_progress_enter();
    CHECK_OK(proa_progress_send(proa_remote_know(win, rank)->peer, m->words, m->bytes));
    proa_progress_leave();
}

static inline void send_raw(struct proa_win *win, const struct message *m)
{
    send_to(win, VICTIM, m);
}

static inline int is_dropped(void)
{
    int dropped;

    proa_progress_enter();
    dropped = net_fake_counts().dropped > 0;
    proa_progress_leave();
    return dropped;
}

static inline void await_drop(void)
{
    while (!is_dropped())
        world_sleep_us(50);
}

/* Both hear that the evil one is gone, the third one from the victim, and both go on. */
static inline void check_dropped(struct world *world, struct proa_win *win)
{
    int other = VICTIM + THIRD - world->rank;
    int64_t value;

    CHECK_FAILS(proa_win_fence(win, 0), PROA_ERR_OTHER);
    CHECK(strstr(proa_failure(), "rank 0 is gone"));
    CHECK_EQUAL(net_fake_counts().dropped, world->rank == VICTIM);
    CHECK_OK(proa_win_lock(win, other, 1, 0));
    CHECK_OK(put_word(win, other, 5, 42));
    CHECK_OK(get_word(win, other, 5, &value));
    CHECK_OK(proa_win_unlock(win, other));
    CHECK_EQUAL(value, 42);
}

#endif
