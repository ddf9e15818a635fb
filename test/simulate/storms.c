/* SPDX-License-Identifier: BSD-3-Clause */
/* See scenarios.h: rank 0 runs the core, and all others are scripts that come to it at once. */
#include "scenarios.h"
#include "base/fail.h"
#include "create/create.h"
#include "remote/group_lock.h"
#include "remote/window.h"
#include "remote/wire.h"

#include <stdlib.h>
#include <string.h>

enum { APART_NS = 10, POLL_NS = 10000, PUT_BYTES = 14 << 10 };

static uint64_t window;
static int done;            /* scripts that have ended */
static int *asked, *served; /* place by rank: of its request, and of its grant */
static int served_count;

static struct proa_win *begin(struct simulate_rank *rank)
{
    const struct proa_create_args args = {
        .flavor = PROA_FLAVOR_ALLOCATE, .bytes = PUT_BYTES, .disp_unit = 8};
    struct proa_group group = simulate_begin(rank);
    struct proa_win *win = NULL;

    SIMULATE_OK(proa_win_create(&args, &group, &win));
    window = win->remote_window->number;
    simulate_mark(rank);
    return win;
}

/* Rank 0 computes until all scripts have ended. */
static void await_scripts(struct simulate_rank *rank)
{
    while (done < simulate_plan()->ranks - 1)
        simulate_compute(rank, POLL_NS);
}

/* A batch to rank 0, with a put of so many bytes; it leaves at that time. */
static void send_batch(int from, unsigned flags, size_t bytes, long at)
{
    static unsigned char
        body[sizeof(struct proa_wire_head) + sizeof(struct proa_wire_op) + PUT_BYTES];
    const struct proa_wire_head head = {.kind = PROA_WIRE_BATCH,
                                        .flags = (uint8_t)flags,
                                        .version = PROA_WIRE_VERSION,
                                        .rank = (uint32_t)from,
                                        .window = window,
                                        .number = simulate_mirror_number(from, 0)};
    const struct proa_wire_op op = {
        .code = PROA_WIRE_PUT, .bytes = (uint32_t)bytes, .stride = (int64_t)bytes, .count = 1};

    memcpy(body, &head, sizeof head);
    memcpy(body + sizeof head, &op, sizeof op);
    simulate_arrive(0, simulate_come(from, 0, sizeof head + sizeof op + bytes, at),
                    simulate_message_new((uint32_t)from, body, sizeof head + sizeof op + bytes));
}

static void send_room(int from, unsigned flags, enum proa_room room, long at)
{
    const struct proa_wire_head head = {.kind = PROA_WIRE_ROOM,
                                        .flags = (uint8_t)flags,
                                        .version = PROA_WIRE_VERSION,
                                        .rank = (uint32_t)from,
                                        .window = window,
                                        .number = room};

    simulate_arrive(0, simulate_come(from, 0, sizeof head, at),
                    simulate_message_new((uint32_t)from, &head, sizeof head));
}

/* ---- one lock ---- */

/* Each takes the lock with its first batch, and gives it back with its second. */
void simulate_hears_lock(int rank, const struct proa_wire_head *head, long at)
{
    if (head->kind != PROA_WIRE_ANSWER)
        simulate_failed("rank %d gets a message of kind %d", rank, head->kind);
    if (head->number == 2) {
        done++;
        return;
    }
    served[rank] = served_count++;
    send_batch(rank, PROA_WIRE_UNLOCK | PROA_WIRE_ANSWERED, 8, at + simulate_model.overhead);
}

static void ask_all(struct simulate_rank *rank, size_t bytes)
{
    const int ranks = simulate_plan()->ranks;

    asked = calloc((size_t)ranks, sizeof *asked);
    served = calloc((size_t)ranks, sizeof *served);
    SIMULATE_CHECK(asked && served);
    for (int i = 1; i < ranks; i++) {
        asked[i] = i - 1;
        send_batch(i, PROA_WIRE_LOCK_EXCLUSIVE | PROA_WIRE_ANSWERED, bytes,
                   simulate_now(rank) + i * APART_NS);
    }
}

static long most_overtaken(void)
{
    long most = 0;

    for (int i = 1; i < simulate_plan()->ranks; i++)
        most = served[i] - asked[i] > most ? served[i] - asked[i] : most;
    return most;
}

void simulate_hot_lock(struct simulate_rank *rank)
{
    begin(rank);
    simulate_looks = 0;
    ask_all(rank, 8);
    await_scripts(rank);
    simulate_result()->values[0] = most_overtaken();
    simulate_result()->values[1] = simulate_looks;
    simulate_mark(rank);
}

void simulate_crowd(struct simulate_rank *rank)
{
    long before;

    begin(rank);
    before = simulate_memory_most(rank);
    ask_all(rank, PUT_BYTES);
    await_scripts(rank);
    simulate_result()->values[0] = simulate_memory_most(rank) - before;
    simulate_mark(rank);
}

/* ---- the rooms ---- */

static int entered;

/* All have entered the room of lock_all; then the last wants to lock exclusively. */
void simulate_hears_room(int rank, const struct proa_wire_head *head, long at)
{
    const int ranks = simulate_plan()->ranks;

    at += simulate_model.overhead;
    if (head->flags & PROA_WIRE_ROOM_RECALL) {
        send_room(rank, PROA_WIRE_ROOM_BACK, (enum proa_room)head->number, at);
        done++;
    } else if (head->number == PROA_GROUP_LOCK_EXCLUSIVE) {
        done++;
    } else if (++entered == ranks - 1) {
        send_room(ranks - 1, PROA_WIRE_ROOM_ASK, PROA_GROUP_LOCK_EXCLUSIVE, at);
    }
}

void simulate_recall(struct simulate_rank *rank)
{
    long before;

    begin(rank);
    before = simulate_sent(rank);
    for (int i = 1; i < simulate_plan()->ranks; i++)
        send_room(i, PROA_WIRE_ROOM_ASK, PROA_GROUP_LOCK_ALL, simulate_now(rank) + i * APART_NS);
    await_scripts(rank);
    simulate_result()->values[0] = simulate_sent(rank) - before;
    simulate_mark(rank);
}

/* ---- puts ---- */

void simulate_hears_put(int rank, const struct proa_wire_head *head, long at)
{
    (void)rank, (void)head, (void)at;
    done++;
}

void simulate_storm(struct simulate_rank *rank)
{
    const int k = ((const struct simulate_numbers *)simulate_plan()->arg)->k;
    long before;

    begin(rank);
    before = simulate_memory_most(rank);
    for (int batch = 1; batch <= k; batch++)
        for (int i = 1; i < simulate_plan()->ranks; i++)
            send_batch(i, batch == k ? PROA_WIRE_ANSWERED : 0, PUT_BYTES,
                       simulate_now(rank) + i * APART_NS);
    await_scripts(rank);
    simulate_result()->values[0] = simulate_memory_most(rank) - before;
    simulate_mark(rank);
}
