/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get and accumulate on targets of other nodes (remote/origin.h): the road over the network.
 * See road.h. No mark or stripe of this process guards these bytes: the target does. Inside the
 * agent, but for the road's functions.
 */
#include "remote/agent.h"
#include "remote/batch.h"
#include "remote/issue.h"
#include "remote/origin.h"
#include "remote/request.h"

#include <string.h>

/* Least bytes of a put or get that the transport moves by itself. */
enum { MOVE_LEAST = 8192 };

/* ---- put and get ---- */

static void gather(char *to, const struct proa_runs *runs)
{
    for (uint64_t i = 0; i < runs->count; i++)
        memcpy(to + i * runs->bytes, proa_at(runs->origin, (int64_t)i * runs->origin_stride),
               runs->bytes);
}

/* Adds runs that fit into one message. */
static int move_some(struct proa_remote *r, struct proa_issue *i, const struct proa_runs *runs)
{
    int put = i->what.move.put, outcome;
    struct proa_wire_op op = {.code = put ? PROA_WIRE_PUT : PROA_WIRE_GET,
                              .bytes = (uint32_t)runs->bytes,
                              .position = runs->position,
                              .stride = runs->stride,
                              .count = runs->count};
    uint64_t bytes = runs->bytes * runs->count;
    char *data = proa_batch_try_add(r, &op, put ? bytes : 0, put ? 0 : bytes, &outcome);

    if (!data)
        return outcome;
    if (!put)
        return proa_batch_want(r, &(struct proa_wanted){.to = runs->origin,
                                                        .stride = runs->origin_stride,
                                                        .bytes = runs->bytes,
                                                        .count = runs->count,
                                                        .basic = PROA_MIXED,
                                                        .request = i->request});
    gather(data, runs);
    return PROA_OK;
}

static uint64_t room_of(int put)
{
    return put ? PROA_NET_MESSAGE_MOST - sizeof(struct proa_wire_head) - sizeof(struct proa_wire_op)
               : (uint64_t)PROA_BATCH_FETCH_MOST;
}

/* `count` runs from number `first` on, or those that are left. */
static struct proa_runs part_of(const struct proa_runs *runs, uint64_t first, uint64_t count)
{
    struct proa_runs part = *runs;

    part.position += (uint64_t)((int64_t)first * runs->stride);
    part.origin = proa_at(runs->origin, (int64_t)first * runs->origin_stride);
    part.count = runs->count - first < count ? runs->count - first : count;
    return part;
}

/* The next message's runs: as many as it takes, or a piece of one. done: bytes. */
static struct proa_runs next_part(const struct proa_issue *i)
{
    const struct proa_runs *runs = &i->what.move.runs;
    const uint64_t room = room_of(i->what.move.put), each = room / runs->bytes,
                   piece = room / PROA_WIRE_UNIT * PROA_WIRE_UNIT, at = i->done % runs->bytes;
    struct proa_runs part = part_of(runs, i->done / runs->bytes, each ? each : 1);

    if (each)
        return part;
    part.position += at;
    part.origin += at;
    part.bytes = runs->bytes - at < piece ? runs->bytes - at : piece;
    return part;
}

static int step_messages(struct proa_remote *r, struct proa_issue *i)
{
    struct proa_runs part = next_part(i);
    int outcome = move_some(r, i, &part);

    if (outcome)
        return outcome;
    i->done += part.bytes * part.count;
    return i->done < i->what.move.runs.bytes * i->what.move.runs.count ? PROA_ISSUE_MORE : PROA_OK;
}

/* Issues one run. done: runs. */
static int step_transport(struct proa_remote *r, struct proa_issue *i)
{
    struct proa_runs run = part_of(&i->what.move.runs, i->done, 1);
    const struct proa_net_place place = {r->away->peer, r->away->memory + run.position,
                                         &r->away->key};
    uint64_t token = i->request ? (uint64_t)(uintptr_t)i->request | PROA_BATCH_TOKEN_REQUEST
                                : (uint64_t)(uintptr_t)r;
    int outcome = proa_batch_await_grant(r);

    if (outcome)
        return outcome;
    outcome = proa_agent_move(i->what.move.put, &place, run.origin, run.bytes, token);
    if (outcome)
        return proa_batch_outcome(r, outcome);
    __atomic_fetch_add(&r->flight.moves, 1, __ATOMIC_RELAXED);
    if (i->request)
        proa_request_part(i->request);
    proa_remote_enlist(r, PROA_REMOTE_USED);
    return ++i->done < i->what.move.runs.count ? PROA_ISSUE_MORE : PROA_OK;
}

static int issue(struct proa_away *away, struct proa_issue *i)
{
    struct proa_remote *r;
    int error;

    proa_agent_enter();
    r = proa_remote_make(away);
    if (r)
        proa_batch_want_grant(r);
    error = r ? proa_issue(r, i) : PROA_ERR_NO_MEM;
    proa_agent_leave();
    return error;
}

/* Runs of a put or a get. */
static int move(struct proa_carry *carry, const struct proa_span *span,
                const struct proa_runs *given)
{
    struct proa_away *away = proa_away_of(carry->win, carry->rank);
    struct proa_issue i = {.step = step_messages, .what.move = {*given, carry->put}};
    struct proa_runs *runs = &i.what.move.runs;

    (void)span;
    if (runs->stride == (int64_t)runs->bytes && runs->origin_stride == runs->stride) {
        runs->bytes *= runs->count; /* in a row on both sides */
        runs->count = 1;
    }
    if (runs->bytes == 0 || runs->count == 0)
        return PROA_OK;
    if (away->has_key && runs->bytes >= MOVE_LEAST)
        i.step = step_transport;
    return issue(away, &i);
}

/* ---- accumulates ---- */

static int combine_some(struct proa_remote *r, const struct proa_issue *i,
                        const struct proa_elements *run, uint64_t position)
{
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
                              .total = i->what.combine.total};
    uint64_t data = (run->origin ? bytes : 0) + (run->compare ? run->bytes : 0);
    int outcome;
    char *at = proa_batch_try_add(r, &op, data, run->result ? bytes : 0, &outcome);

    if (!at)
        return outcome;
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
                                                                  .basic = run->basic,
                                                                  .request = i->request})
                       : PROA_OK;
}

/* done: elements. */
static int step_combine(struct proa_remote *r, struct proa_issue *i)
{
    struct proa_elements run = i->what.combine.run;
    const uint64_t left = run.count - i->done,
                   each = (PROA_BATCH_FETCH_MOST - sizeof(struct proa_wire_op)) / run.bytes;
    int outcome;

    proa_elements_advance(&run, i->done);
    run.count = left < each ? left : each;
    outcome = combine_some(r, i, &run, i->what.combine.position + i->done * run.bytes);
    if (outcome)
        return outcome;
    i->done += run.count;
    return i->done < i->what.combine.run.count ? PROA_ISSUE_MORE : PROA_OK;
}

/* Elements in a row. */
static int combine(struct proa_combine *combine, const struct proa_span *span, uint64_t position)
{
    struct proa_away *away = proa_away_of(combine->win, combine->rank);
    struct proa_issue i = {.step = step_combine,
                           .what.combine = {combine->run, position, combine->total}};

    (void)span;
    return combine->run.count ? issue(away, &i) : PROA_OK;
}

const struct proa_road proa_road_net = {.atomics = 0, .move = move, .combine = combine};
