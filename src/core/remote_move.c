/* SPDX-License-Identifier: BSD-3-Clause */
/* What is put to targets on other nodes, got from there and accumulated: see remote.h. Inside the
 * agent, but for the functions that remote.h names. */
#include "core/agent.h"
#include "core/batch.h"
#include "core/remote.h"

#include <string.h>

/* Bytes of a put or get from which on the transport moves them by itself. */
enum { MOVE_LEAST = 8192 };

/* ---- put and get ---- */

static void gather(char *to, const struct proa_runs *runs)
{
    for (uint64_t i = 0; i < runs->count; i++)
        memcpy(to + i * runs->bytes, proa_at(runs->origin, (int64_t)i * runs->origin_stride),
               runs->bytes);
}

/* Runs that fit into one message. */
static int move_some(struct proa_remote *r, int put, const struct proa_runs *runs)
{
    struct proa_wire_op op = {.code = put ? PROA_WIRE_PUT : PROA_WIRE_GET,
                              .bytes = (uint32_t)runs->bytes,
                              .position = runs->position,
                              .stride = runs->stride,
                              .count = runs->count};
    uint64_t bytes = runs->bytes * runs->count;
    int error;
    char *data = proa_batch_add(r, &op, put ? bytes : 0, put ? 0 : bytes, &error);

    if (!data)
        return error;
    if (!put)
        return proa_batch_want(r, &(struct proa_wanted){.to = runs->origin,
                                                        .stride = runs->origin_stride,
                                                        .bytes = runs->bytes,
                                                        .count = runs->count,
                                                        .basic = PROA_MIXED});
    gather(data, runs);
    return PROA_OK;
}

static uint64_t room_of(int put)
{
    return put ? PROA_NET_MESSAGE_MOST - sizeof(struct proa_wire_head) - sizeof(struct proa_wire_op)
               : (uint64_t)PROA_BATCH_FETCH_MOST;
}

/* One run, in pieces. */
static int move_bytes(struct proa_remote *r, int put, const struct proa_runs *runs)
{
    const uint64_t room = room_of(put) / PROA_WIRE_UNIT * PROA_WIRE_UNIT;
    int error = PROA_OK;

    for (uint64_t done = 0; done < runs->bytes && !error; done += room) {
        struct proa_runs piece = {.position = runs->position + done,
                                  .origin = runs->origin + done,
                                  .bytes = runs->bytes - done < room ? runs->bytes - done : room,
                                  .count = 1};

        error = move_some(r, put, &piece);
    }
    return error;
}

/* Runs from number `first` on, and so many. */
static struct proa_runs part_of(const struct proa_runs *runs, uint64_t first, uint64_t count)
{
    struct proa_runs part = *runs;

    part.position += (uint64_t)((int64_t)first * runs->stride);
    part.origin = proa_at(runs->origin, (int64_t)first * runs->origin_stride);
    part.count = runs->count - first < count ? runs->count - first : count;
    return part;
}

static int move_by_messages(struct proa_remote *r, int put, const struct proa_runs *runs)
{
    uint64_t each = room_of(put) / runs->bytes;
    int error = PROA_OK;

    for (uint64_t i = 0; i < runs->count && !error; i += each ? each : 1) {
        struct proa_runs part = part_of(runs, i, each ? each : 1);

        error = each ? move_some(r, put, &part) : move_bytes(r, put, &part);
    }
    return error;
}

/* The target has to have said that we may, by its lock: a message can wait for that there, the
 * transport's moves cannot. */
static int be_granted(struct proa_remote *r)
{
    int error = PROA_OK;

    while (!error && r->lock == PROA_REMOTE_WANTED)
        error = proa_batch_send(r, 0);
    while (!error && !proa_batch_has_lock(r))
        proa_batch_await(r, proa_batch_has_lock);
    return error ? error : r->lost ? proa_batch_report(r) : PROA_OK;
}

static int move_by_transport(struct proa_remote *r, int put, const struct proa_runs *runs)
{
    int outcome = be_granted(r);

    for (uint64_t i = 0; i < runs->count && !outcome; i++) {
        char *here = proa_at(runs->origin, (int64_t)i * runs->origin_stride);
        uint64_t there = r->memory + runs->position + (uint64_t)((int64_t)i * runs->stride);
        const struct proa_net_place place = {r->peer, there, &r->key};

        __atomic_fetch_add(&r->moves, 1, __ATOMIC_RELAXED);
        proa_batch_list(r);
        do
            outcome = put ? proa_agent_put(&place, here, runs->bytes, (uint64_t)(uintptr_t)r)
                          : proa_agent_get(&place, here, runs->bytes, (uint64_t)(uintptr_t)r);
        while (outcome == PROA_NET_AGAIN && (proa_agent_progress(), 1));
        if (outcome)
            __atomic_fetch_sub(&r->moves, 1, __ATOMIC_RELAXED);
    }
    return outcome;
}

int proa_remote_move(struct proa_win *win, int rank, int put, const struct proa_runs *given)
{
    struct proa_remote *r = proa_remote_of(win, rank);
    struct proa_runs runs = *given;
    int error;

    if (runs.stride == (int64_t)runs.bytes && runs.origin_stride == runs.stride) {
        runs.bytes *= runs.count; /* in a row on both sides */
        runs.count = 1;
    }
    if (runs.bytes == 0)
        return PROA_OK;
    proa_agent_enter();
    proa_batch_want_lock(r);
    error = r->has_key && runs.bytes >= MOVE_LEAST ? move_by_transport(r, put, &runs)
                                                   : move_by_messages(r, put, &runs);
    proa_agent_leave();
    return error;
}

/* ---- accumulates ---- */

static int combine_some(struct proa_remote *r, const struct proa_combine *c, uint64_t position)
{
    const struct proa_elements *run = &c->run;
    uint64_t bytes = run->count * run->bytes;
    struct proa_wire_op op = {.code = PROA_WIRE_COMBINE,
                              .flags = (uint8_t)((run->origin ? PROA_WIRE_ORIGIN : 0) |
                                                 (run->result ? PROA_WIRE_RESULT : 0) |
                                                 (run->compare ? PROA_WIRE_COMPARE : 0)),
                              .operation = (uint8_t)run->operation,
                              .basic = (uint8_t)run->basic,
                              .bytes = (uint32_t)run->bytes,
                              .position = position,
                              .count = run->count,
                              .total = c->total};
    uint64_t data = (run->origin ? bytes : 0) + (run->compare ? run->bytes : 0);
    int error;
    char *at = proa_batch_add(r, &op, data, run->result ? bytes : 0, &error);

    if (!at)
        return error;
    if (run->origin) {
        memset(at + bytes - proa_padding_of(run->basic), 0, proa_padding_of(run->basic));
        memcpy(at, run->origin, bytes - proa_padding_of(run->basic));
    }
    if (run->compare)
        memcpy(at + (run->origin ? bytes : 0), run->compare, run->bytes);
    return run->result ? proa_batch_want(r, &(struct proa_wanted){.to = run->result,
                                                                  .stride = (int64_t)run->bytes,
                                                                  .bytes = run->bytes,
                                                                  .count = run->count,
                                                                  .basic = run->basic})
                       : PROA_OK;
}

int proa_remote_combine(struct proa_combine *combine, uint64_t position)
{
    struct proa_remote *r = proa_remote_of(combine->win, combine->rank);
    struct proa_combine c = *combine;
    const uint64_t count = c.run.count,
                   each = (PROA_BATCH_FETCH_MOST - sizeof(struct proa_wire_op)) / c.run.bytes;
    int error = PROA_OK;

    proa_agent_enter();
    proa_batch_want_lock(r);
    for (uint64_t done = 0; done < count && !error;
         done += c.run.count, proa_elements_advance(&c.run, c.run.count)) {
        c.run.count = count - done < each ? count - done : each;
        error = combine_some(r, &c, position + done * c.run.bytes);
    }
    proa_agent_leave();
    return error;
}
