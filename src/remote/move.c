/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get and accumulate on targets of other nodes (remote/origin.h): the road over the network.
 * See road.h. No mark or stripe of this process guards these bytes: the target does. Inside the
 * progress engine, but for the road's functions.
 */
#include "remote/move.h"
#include "base/atomic.h"
#include "progress/progress.h"
#include "remote/batch.h"
#include "remote/notice.h"
#include "remote/operation_queue.h"
#include "remote/request.h"

#include <string.h>
#include <utlist.h>

enum {
    MOVE_LEAST = 8192, /* bytes of a put or get that the transport moves by itself */
    /* bytes of an operation for which a message and its answer have room */
    ROOM = PROA_BATCH_FETCH_MOST - (int)sizeof(struct proa_wire_op)
};

/* ---- by messages ---- */

/* Returns the operation of the next message: as many runs as fit, or a part of one. offset: result,
 * offset of its bytes at the origin. The queue entry counts bytes as done. */
static struct proa_wire_op next_part(const struct proa_queued *i, int64_t *offset)
{
    const struct proa_runs *runs = &i->runs;
    const uint64_t each = ROOM / runs->bytes, first = i->done / runs->bytes,
                   at = i->done % runs->bytes, left = runs->count - first;
    struct proa_wire_op op = i->op;

    *offset = (int64_t)first * runs->origin_stride + (int64_t)at;
    op.position = runs->position + (uint64_t)((int64_t)first * runs->stride) + at;
    op.stride = runs->stride;
    op.count = each == 0 ? 1 : left < each ? left : each;
    op.bytes = (uint32_t)(each || runs->bytes - at < ROOM ? runs->bytes - at : ROOM);
    return op;
}

/* Returns how many messages, as next_part makes them, are left for the operation. */
static uint64_t parts_of(const struct proa_queued *i)
{
    const struct proa_runs *runs = &i->runs;
    const uint64_t each = ROOM / runs->bytes, first = i->done / runs->bytes;

    if (each)
        return (runs->count - first + each - 1) / each;
    return (runs->count - first) * ((runs->bytes + ROOM - 1) / ROOM) - i->done % runs->bytes / ROOM;
}

/* The bytes after the last pair of an accumulate are not read: they may not be the user's. */
static void gather(char *to, const char *from, int64_t stride, const struct proa_wire_op *op)
{
    const uint64_t bytes = op->count * op->bytes,
                   behind = op->code == PROA_WIRE_COMBINE
                                ? proa_padding_of((enum proa_basic)op->basic)
                                : 0;

    if (stride == (int64_t)op->bytes)
        memcpy(to, from, bytes - behind);
    else
        for (uint64_t i = 0; i < op->count; i++)
            memcpy(to + i * op->bytes, proa_at(from, (int64_t)i * stride), op->bytes);
    memset(to + bytes - behind, 0, behind);
}

static int step_messages(struct proa_remote *r, struct proa_queued *i)
{
    int64_t offset, stride = i->runs.origin_stride;
    const struct proa_wire_op op = next_part(i, &offset);
    const uint64_t bytes = op.count * op.bytes, sent = i->from ? bytes : 0;
    int outcome;
    char *data = proa_batch_try_add(r, &op, sent + (i->compare ? op.bytes : 0), i->into ? bytes : 0,
                                    &outcome);

    if (!data)
        return outcome;
    if (i->from)
        gather(data, proa_at(i->from, offset), stride, &op);
    if (i->compare)
        memcpy(data + sent, i->compare, op.bytes);
    if (i->into)
        outcome = proa_batch_want(r, &(struct proa_wanted){.to = proa_at(i->into, offset),
                                                           .stride = stride,
                                                           .bytes = op.bytes,
                                                           .count = op.count,
                                                           .basic = op.code == PROA_WIRE_GET
                                                                        ? PROA_MIXED
                                                                        : (enum proa_basic)op.basic,
                                                           .request = i->request});
    if (outcome)
        return outcome;
    i->done += bytes;
    return i->done < i->runs.bytes * i->runs.count ? PROA_QUEUE_MORE : PROA_OK;
}

/* ---- by the transport ---- */

/* Bits of a move's token, added to the address of a request or a notice (remote/notice.h). Without
 * such a bit the token is the address of a struct proa_remote. */
enum { TOKEN_REQUEST = 1, TOKEN_NOTICE = 2 };

/* Returns the token of the operation's moves. */
static uint64_t token_of(const struct proa_remote *r, const struct proa_queued *i)
{
    if (i->notice)
        return (uint64_t)(uintptr_t)i->notice | TOKEN_NOTICE;
    return i->request ? (uint64_t)(uintptr_t)i->request | TOKEN_REQUEST : (uint64_t)(uintptr_t)r;
}

/* Issues one run. The queue entry counts runs as done. */
static int step_transport(struct proa_remote *r, struct proa_queued *i)
{
    const struct proa_runs *runs = &i->runs;
    const uint64_t memory = r->process->memory + runs->position;
    const struct proa_net_place place = {
        r->process->peer, memory + (uint64_t)((int64_t)i->done * runs->stride), &r->process->key};
    char *here = proa_at(runs->origin, (int64_t)i->done * runs->origin_stride);
    uint64_t token = token_of(r, i);
    int outcome = proa_batch_await_grant(r);

    if (outcome)
        return outcome;
    outcome = proa_progress_move(i->from != NULL, &place, here, runs->bytes, token);
    if (outcome)
        return proa_batch_outcome(r, outcome);
    proa_atomic_fetch_add(&r->flight.moves, 1, PROA_RELAXED);
    if (i->request)
        proa_request_part(i->request);
    if (i->notice)
        proa_notice_part(i->notice);
    proa_remote_enlist(r, PROA_REMOTE_USED);
    return ++i->done < runs->count ? PROA_QUEUE_MORE : PROA_OK;
}

/* A request reports its own put or get, and rings for it. Other threads wait for the last move of a
 * target: a ring at each move would take the processor from the transfer. */
void proa_move_done(uint64_t token, int outcome)
{
    static const char why[] = "the network could not move the bytes";
    void *of = (void *)(uintptr_t)(token & ~(uint64_t)(TOKEN_REQUEST | TOKEN_NOTICE));
    struct proa_request *request = NULL;
    struct proa_remote *r;
    int is_last;

    if (token & TOKEN_NOTICE) {
        struct proa_notice *notice = of;

        request = notice->request;
        r = notice->remote;
        /* before the move counts as done: a flush waits for that, then for the order */
        proa_notice_part_done(notice, outcome);
    } else if (token & TOKEN_REQUEST) {
        request = of;
        r = request->remote;
    } else {
        r = of;
    }
    is_last = proa_atomic_fetch_sub(&r->flight.moves, 1, PROA_RELAXED) == 1;
    if (request)
        proa_request_part_done(request, outcome, why);
    else if (outcome)
        proa_failure_keep(&r->flight.failed, outcome, why);
    if (is_last)
        proa_doorbell_ring(&proa_self->ctl->bell);
}

/* ---- the road ---- */

/* Sets up a part of a notified operation. If the part may outlast the call, it has a notice. */
static int note(struct proa_remote *r, struct proa_queued *i)
{
    if (!proa_notice_is_due(r->process->win))
        return PROA_OK;
    i->op.flags |= PROA_WIRE_NOTED;
    if (i->step != step_transport && !proa_request_current(r->process->win))
        return PROA_OK;
    i->notice = proa_notice_of(r);
    return i->notice ? PROA_OK : PROA_ERR_NO_MEM;
}

/* Returns how many parts of operations by messages are still in the queue. */
static uint64_t parts_queued(const struct proa_remote *r)
{
    const struct proa_queued *i;
    uint64_t parts = 0;

    DL_FOREACH(r->flight.issues, i)
        parts += i->step == step_messages ? parts_of(i) : 0;
    return parts;
}

static int issue(struct proa_win *win, int rank, struct proa_queued *i)
{
    struct proa_remote *r;
    int error;

    proa_progress_enter();
    r = proa_remote_make(win, rank);
    error = r ? note(r, i) : PROA_ERR_NO_MEM;
    if (!error) {
        proa_batch_want_grant(r);
        error = proa_queue_operation(r, i);
        if (proa_remote_is_traced(win) && i->step == step_messages)
            proa_trace_sent_as(r->parts + parts_queued(r));
    }
    proa_progress_leave();
    return error;
}

/* A put with its notification is one message if it fits. The transport's own put is a second
 * message, and its arrival has to be awaited. */
static uint64_t move_least(const struct proa_win *win)
{
    return proa_notice_is_due(win) ? ROOM + 1 : MOVE_LEAST;
}

/* Puts or gets runs. */
static int move(struct proa_carry *carry, const struct proa_span *span,
                const struct proa_runs *given)
{
    const struct proa_remote_process *process = proa_remote_process_of(carry->win, carry->rank);
    struct proa_queued i = {.step = step_messages,
                            .op.code = carry->put ? PROA_WIRE_PUT : PROA_WIRE_GET,
                            .runs = *given,
                            .from = carry->put ? given->origin : NULL,
                            .into = carry->put ? NULL : given->origin};
    struct proa_runs *runs = &i.runs;

    (void)span;
    if (runs->stride == (int64_t)runs->bytes && runs->origin_stride == runs->stride) {
        runs->bytes *= runs->count; /* contiguous on both sides */
        runs->count = 1;
    }
    if (runs->bytes == 0 || runs->count == 0)
        return PROA_OK;
    if (process->has_key && runs->bytes >= move_least(carry->win))
        i.step = step_transport;
    return issue(carry->win, carry->rank, &i);
}

/* Combines contiguous elements. */
static int combine_run(struct proa_combine *combine, uint64_t position)
{
    const struct proa_elements *run = &combine->run;
    struct proa_queued i = {.step = step_messages,
                            .op = {.code = PROA_WIRE_COMBINE,
                                   .flags = (uint8_t)((run->origin ? PROA_WIRE_ORIGIN : 0) |
                                                      (run->result ? PROA_WIRE_RESULT : 0) |
                                                      (run->compare ? PROA_WIRE_COMPARE : 0)),
                                   .operation = (uint8_t)run->operation,
                                   .basic = (uint8_t)run->basic,
                                   .total = combine->total},
                            .runs = {.position = position,
                                     .stride = (int64_t)run->bytes,
                                     .origin_stride = (int64_t)run->bytes,
                                     .bytes = run->bytes,
                                     .count = run->count},
                            .from = run->origin,
                            .into = run->result,
                            .compare = run->compare};

    return run->count ? issue(combine->win, combine->rank, &i) : PROA_OK;
}

static int apply(struct proa_combine *combine, const struct proa_span *span,
                 const struct proa_runs *all)
{
    struct proa_runs runs = *all;
    int error = PROA_OK;

    (void)span;
    for (; runs.count && !error; proa_runs_skip(&runs, 1)) {
        proa_runs_first(&runs, &combine->run);
        error = combine_run(combine, runs.position + (uint64_t)proa_runs_offset(&runs));
    }
    return error;
}

void proa_move_start(void)
{
    static const struct proa_road road = {.move = move, .apply = apply};

    proa_road_net = &road;
}
