/* SPDX-License-Identifier: BSD-3-Clause */
/* See remote.h. Everything here is inside the agent (core/agent.h), but what says otherwise. */
#include "core/remote.h"
#include "base/fail.h"
#include "base/table.h"
#include "core/agent.h"
#include "core/held.h"
#include "core/serve.h"
#include "core/tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    /* bytes of a put or get from which on the transport moves them by itself */
    MOVE_LEAST = 8192,
    /* batches to one target without an answer: what a target that computes has to keep */
    UNANSWERED_MOST = 32,
    /* what an answer has room for, behind the head and the outcome */
    FETCH_MOST = PROA_NET_MESSAGE_MOST - (int)sizeof(struct proa_wire_head) -
                 (int)sizeof(struct proa_wire_outcome) - 192
};

/* Of the lock that this process has at a target, as origin. */
enum { LOCK_NONE, LOCK_WANTED, LOCK_ASKED };

/* Where something fetched goes; in the order in which it was asked for. */
struct wanted {
    struct wanted *prev, *next;
    char *to;
    int64_t stride;
    uint64_t bytes, count;
    enum proa_basic basic; /* of elements; PROA_MIXED: of a get */
};

static struct proa_remote *remote_of(const struct proa_win *win, int rank)
{
    return win->targets[rank].remote;
}

/* ---- errors ---- */

/* The first is kept until something is settled. */
static void remember(struct proa_remote *r, int code, const char *text)
{
    if (r->error)
        return;
    r->error = code;
    snprintf(r->why, sizeof r->why, "%s", text);
}

/* What went wrong, told once. */
static int report(struct proa_remote *r)
{
    int error = r->error;

    if (r->lost)
        return proa_fail(PROA_ERR_OTHER, "the process of rank %d is gone", r->rank);
    r->error = PROA_OK;
    return error ? proa_fail(error, "%s (at target rank %d)", r->why, r->rank) : PROA_OK;
}

/* ---- waiting ---- */

/* Leaves, waits and comes back: whatever was known before may have changed. */
static void await(struct proa_remote *r, proa_ready *ready)
{
    proa_agent_leave();
    proa_wait(ready, r, &proa_self->ctl->bell);
    proa_agent_enter();
}

static int is_lost(const struct proa_remote *r)
{
    return __atomic_load_n(&r->lost, __ATOMIC_RELAXED);
}

static uint64_t answered(const struct proa_remote *r)
{
    /* partner: proa_remote_answered */
    return __atomic_load_n(&r->answered, __ATOMIC_ACQUIRE);
}

static int has_no_moves(void *arg)
{
    const struct proa_remote *r = arg;

    /* partner: proa_remote_moved */
    return is_lost(r) || __atomic_load_n(&r->moves, __ATOMIC_ACQUIRE) == 0;
}

static int is_answered(void *arg)
{
    const struct proa_remote *r = arg;

    return is_lost(r) || answered(r) >= __atomic_load_n(&r->asked, __ATOMIC_RELAXED);
}

/* A lock that was asked for has been granted. */
static int has_lock(void *arg)
{
    const struct proa_remote *r = arg;

    return is_lost(r) || answered(r) >= r->lock_number;
}

/* A target keeps one batch of whoever waits for its lock, and not many of anybody. */
static int may_send(void *arg)
{
    const struct proa_remote *r = arg;

    return has_lock(arg) &&
           (is_lost(r) ||
            __atomic_load_n(&r->sent, __ATOMIC_RELAXED) - answered(r) < UNANSWERED_MOST);
}

/* ---- batches ---- */

static void list(struct proa_remote *r)
{
    if (!r->listed)
        DL_APPEND(r->win->remotes, r);
    r->listed = 1;
}

static uint8_t lock_flags(const struct proa_remote *r)
{
    if (r->lock != LOCK_WANTED)
        return 0;
    return (uint8_t)((r->exclusive ? PROA_WIRE_LOCK_EXCLUSIVE : PROA_WIRE_LOCK_SHARED) |
                     PROA_WIRE_ANSWERED);
}

static void count_batch(struct proa_remote *r, unsigned flags)
{
    __atomic_store_n(&r->sent, r->sent + 1, __ATOMIC_RELAXED);
    if (r->works)
        r->worked = r->sent;
    r->works = 0;
    if (flags & PROA_WIRE_ANSWERED)
        __atomic_store_n(&r->asked, r->sent, __ATOMIC_RELAXED);
    if (r->lock == LOCK_WANTED) {
        r->lock = LOCK_ASKED;
        r->lock_number = r->sent;
    }
    if (flags & PROA_WIRE_UNLOCK)
        r->lock = LOCK_NONE;
}

static int batch_room(struct proa_remote *r)
{
    if (!r->batch)
        r->batch = malloc(PROA_NET_MESSAGE_MOST);
    if (!r->batch)
        return proa_fail(PROA_ERR_NO_MEM, "no memory for a message to another node");
    if (r->used == 0)
        r->used = sizeof(struct proa_wire_head);
    return PROA_OK;
}

static int transmit(struct proa_remote *r, const void *body, size_t bytes)
{
    int outcome;

    while ((outcome = proa_agent_send(r->peer, body, bytes)) == PROA_NET_AGAIN)
        if (!proa_agent_progress() && proa_wait_is_crowded())
            proa_wait_yield();
    return outcome;
}

/* Sends what has been gathered, which may be nothing; or waits for what has to come first, and has
 * sent nothing then: callers look again. */
static int batch_send(struct proa_remote *r, unsigned flags)
{
    struct proa_wire_head head = {PROA_WIRE_BATCH,        0,
                                  PROA_WIRE_VERSION,      (uint32_t)r->win->rank,
                                  r->win->spread->number, r->sent + 1};
    int error = r->lost ? report(r) : batch_room(r);
    size_t bytes = r->used;

    if (error)
        return error;
    if (!may_send(r)) {
        await(r, may_send);
        return PROA_OK;
    }
    flags |= lock_flags(r);
    if (r->fetching || head.number % (UNANSWERED_MOST / 2) == 0)
        flags |= PROA_WIRE_ANSWERED;
    if (r->holds)
        flags |= PROA_WIRE_HOLDS;
    head.flags = (uint8_t)flags;
    memcpy(r->batch, &head, sizeof head);
    count_batch(r, flags);
    r->used = r->fetching = 0;
    return transmit(r, r->batch, bytes);
}

/* A lock_all asks for each target's lock when that is used. */
static void want_lock(struct proa_remote *r)
{
    uint8_t epoch = proa_epoch_all(r->win);

    /* core/lock.h: whoever holds a lock, of this lock_all too, and waits for another */
    if (r->lock == LOCK_NONE &&
        (epoch & (PROA_EPOCH_LOCK | PROA_EPOCH_NOCHECK)) == PROA_EPOCH_LOCK) {
        r->lock = LOCK_WANTED;
        r->exclusive = 0;
        r->holds = 1;
    }
}

/* An operation's head, with room for what follows it, in *data; and for what comes back. NULL, and
 * an error. */
static char *add(struct proa_remote *r, const struct proa_wire_op *op, uint64_t data,
                 uint64_t fetched, int *error)
{
    size_t bytes = sizeof *op + proa_wire_padded(data);
    char *at;

    fetched = proa_wire_padded(fetched);
    for (*error = batch_room(r); !*error && (r->used + bytes > PROA_NET_MESSAGE_MOST ||
                                             r->fetching + fetched > (size_t)FETCH_MOST);) {
        *error = batch_send(r, 0);
        if (!*error)
            *error = batch_room(r);
    }
    if (*error)
        return NULL;
    at = r->batch + r->used;
    memcpy(at, op, sizeof *op);
    memset(at + sizeof *op + data, 0, bytes - sizeof *op - data); /* what pads */
    r->used += bytes;
    r->works |= op->code != PROA_WIRE_TELL;
    r->fetching += fetched;
    list(r);
    return at + sizeof *op;
}

static int want(struct proa_remote *r, const struct wanted *wanted)
{
    struct wanted *w = malloc(sizeof *w);

    if (!w)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to remember what is fetched");
    *w = *wanted;
    DL_APPEND(r->wanted, w);
    return PROA_OK;
}

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
    char *data = add(r, &op, put ? bytes : 0, put ? 0 : bytes, &error);

    if (!data)
        return error;
    if (!put)
        return want(r, &(struct wanted){.to = runs->origin,
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
               : (uint64_t)FETCH_MOST;
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

    while (!error && r->lock == LOCK_WANTED)
        error = batch_send(r, 0);
    while (!error && !has_lock(r))
        await(r, has_lock);
    return error ? error : r->lost ? report(r) : PROA_OK;
}

static int move_by_transport(struct proa_remote *r, int put, const struct proa_runs *runs)
{
    int outcome = be_granted(r);

    for (uint64_t i = 0; i < runs->count && !outcome; i++) {
        char *here = proa_at(runs->origin, (int64_t)i * runs->origin_stride);
        uint64_t there = r->memory + runs->position + (uint64_t)((int64_t)i * runs->stride);
        const struct proa_net_place place = {r->peer, there, &r->key};

        __atomic_fetch_add(&r->moves, 1, __ATOMIC_RELAXED);
        list(r);
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
    struct proa_remote *r = remote_of(win, rank);
    struct proa_runs runs = *given;
    int error;

    if (runs.stride == (int64_t)runs.bytes && runs.origin_stride == runs.stride) {
        runs.bytes *= runs.count; /* in a row on both sides */
        runs.count = 1;
    }
    if (runs.bytes == 0)
        return PROA_OK;
    proa_agent_enter();
    want_lock(r);
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
    char *at = add(r, &op, data, run->result ? bytes : 0, &error);

    if (!at)
        return error;
    if (run->origin) {
        memset(at + bytes - proa_padding_of(run->basic), 0, proa_padding_of(run->basic));
        memcpy(at, run->origin, bytes - proa_padding_of(run->basic));
    }
    if (run->compare)
        memcpy(at + (run->origin ? bytes : 0), run->compare, run->bytes);
    return run->result ? want(r, &(struct wanted){.to = run->result,
                                                  .stride = (int64_t)run->bytes,
                                                  .bytes = run->bytes,
                                                  .count = run->count,
                                                  .basic = run->basic})
                       : PROA_OK;
}

int proa_remote_combine(struct proa_combine *combine, uint64_t position)
{
    struct proa_remote *r = remote_of(combine->win, combine->rank);
    struct proa_combine c = *combine;
    const uint64_t count = c.run.count,
                   each = (FETCH_MOST - sizeof(struct proa_wire_op)) / c.run.bytes;
    int error = PROA_OK;

    proa_agent_enter();
    want_lock(r);
    for (uint64_t done = 0; done < count && !error;
         done += c.run.count, proa_elements_advance(&c.run, c.run.count)) {
        c.run.count = count - done < each ? count - done : each;
        error = combine_some(r, &c, position + done * c.run.bytes);
    }
    proa_agent_leave();
    return error;
}

/* ---- telling ---- */

/* With all that has been gathered before. What is lost with a lost peer nobody waits for. */
void proa_remote_tell(const struct proa_target *target, size_t word, uint64_t value)
{
    struct proa_remote *r = target->remote;
    struct proa_wire_op op = {.code = PROA_WIRE_TELL, .position = word, .count = value};
    int error;

    proa_agent_enter();
    add(r, &op, 0, 0, &error);
    while (!error && r->used)
        error = batch_send(r, 0);
    proa_agent_leave();
}

/* ---- settling ---- */

/* Is there anything that an answer has not been asked for? */
static int is_unasked(const struct proa_remote *r, int local)
{
    if (r->lost)
        return 0;
    return local ? r->used && r->fetching : r->used || r->asked < r->worked;
}

/* Nothing is under way, and no lock is held or asked for: it need not be looked at any more. */
static void unlist(struct proa_remote *r)
{
    if (!r->listed || r->used || r->moves || r->wanted || r->lock != LOCK_NONE ||
        (r->answered < r->worked && !r->lost))
        return;
    DL_DELETE(r->win->remotes, r);
    r->listed = 0;
}

static int ask_one(struct proa_remote *r, int local)
{
    int error = PROA_OK;

    while (!error && is_unasked(r, local))
        error = batch_send(r, PROA_WIRE_ANSWERED);
    return error;
}

static int wait_one(struct proa_remote *r, int local)
{
    int error;

    while (!has_no_moves(r))
        await(r, has_no_moves);
    while (local ? r->wanted && !r->lost : !is_answered(r))
        await(r, is_answered);
    error = report(r);
    unlist(r);
    return error;
}

/* First all are asked, then all are waited for. Others may come to the list meanwhile, and go. */
static int settle_all(struct proa_win *win, int local)
{
    struct proa_remote *r, *next;
    int error = PROA_OK, again;

    do {
        again = 0;
        DL_FOREACH_SAFE(win->remotes, r, next)
        if (!again && !error && is_unasked(r, local)) {
            error = ask_one(r, local);
            again = 1;
        }
    } while (again && !error);
    for (int rank = 0; rank < win->size && win->remotes; rank++) {
        int one;

        r = remote_of(win, rank);
        if (!r || !r->listed)
            continue;
        one = wait_one(r, local);
        error = error ? error : one;
    }
    return error;
}

int proa_remote_settle(struct proa_win *win, int rank, enum proa_settled how)
{
    int local = how == PROA_SETTLED_LOCAL, error = PROA_OK;
    struct proa_remote *r = rank >= 0 ? remote_of(win, rank) : NULL;

    if (rank >= 0 && !r)
        return PROA_OK;
    proa_agent_enter();
    if (how == PROA_SETTLED_IN_ORDER && win->flavor != PROA_FLAVOR_DYNAMIC) {
        while (!has_no_moves(r))
            await(r, has_no_moves);
    } else if (rank < 0) {
        error = settle_all(win, local);
    } else {
        error = ask_one(r, local);
        if (!error)
            error = wait_one(r, local);
    }
    proa_agent_leave();
    return error;
}

int proa_remote_completed(struct proa_win *win, int rank)
{
    struct proa_remote *r = remote_of(win, rank);
    int error;

    if (!r)
        return PROA_OK;
    proa_agent_enter();
    error = wait_one(r, 1);
    r->worked = 0;
    unlist(r);
    proa_agent_leave();
    return error;
}

/* ---- locks ---- */

void proa_remote_lock(struct proa_win *win, int rank, int exclusive, int nocheck)
{
    struct proa_remote *r = remote_of(win, rank);

    int holds = proa_held_any();

    proa_agent_enter();
    r->holds = (uint8_t)holds;
    r->lock = nocheck ? LOCK_NONE : LOCK_WANTED;
    r->exclusive = (uint8_t)exclusive;
    proa_agent_leave();
}

/* With the lock still to be asked for, all of it is one message. */
static int unlock_ask(struct proa_remote *r)
{
    int error = PROA_OK;

    while (!has_no_moves(r))
        await(r, has_no_moves);
    while (!error && !r->lost && r->lock != LOCK_NONE)
        error = batch_send(r, PROA_WIRE_UNLOCK | PROA_WIRE_ANSWERED);
    return error;
}

int proa_remote_unlock(struct proa_win *win, int rank, int nocheck)
{
    struct proa_remote *r = remote_of(win, rank);
    int error;

    if (nocheck)
        return proa_remote_settle(win, rank, PROA_SETTLED_TOLD);
    proa_agent_enter();
    error = unlock_ask(r);
    r->lock = LOCK_NONE;
    if (!error)
        error = wait_one(r, 0);
    proa_agent_leave();
    return error;
}

int proa_remote_unlock_all(struct proa_win *win)
{
    struct proa_remote *r;
    int error = PROA_OK;

    proa_agent_enter();
    for (int rank = 0; rank < win->size && win->remotes; rank++) {
        int one;

        r = remote_of(win, rank);
        if (!r || !r->listed)
            continue;
        one = unlock_ask(r);
        r->lock = LOCK_NONE;
        error = error ? error : one;
    }
    if (!error)
        error = settle_all(win, 0);
    proa_agent_leave();
    return error;
}

/* ---- events ---- */

/* What is inside a pair and is not its own stays as it is, as on the node (core/combine.c). */
static void fetched_to(const struct wanted *w, const char *data)
{
    if (w->basic != PROA_MIXED && proa_is_padded(w->basic)) {
        proa_kernel_find(PROA_OP_REPLACE, w->basic)(w->to, data, w->count);
        return;
    }
    for (uint64_t i = 0; i < w->count; i++)
        memcpy(proa_at(w->to, (int64_t)i * w->stride), data + i * w->bytes, w->bytes);
}

/* What was fetched, in the order in which it was asked for. */
static void take_fetched(struct proa_remote *r, const char *data, size_t bytes)
{
    struct wanted *w;

    while (bytes && (w = r->wanted)) {
        uint64_t length = proa_wire_padded(w->bytes * w->count);

        if (length > bytes)
            return;
        fetched_to(w, data);
        data += length;
        bytes -= length;
        DL_DELETE(r->wanted, w);
        free(w);
    }
}

void proa_remote_answered(uint32_t peer, const struct proa_wire_head *head, const char *body,
                          size_t bytes)
{
    struct proa_remote *r = proa_remote_find(head->window, head->rank, peer);
    struct proa_wire_outcome outcome;
    char text[160];

    if (!r || bytes < sizeof outcome || head->number > r->sent || head->number < r->answered)
        return;
    memcpy(&outcome, body, sizeof outcome);
    body += sizeof outcome;
    bytes -= sizeof outcome;
    if (outcome.text_bytes >= sizeof text || proa_wire_padded(outcome.text_bytes) > bytes)
        return;
    if (outcome.code < 0) {
        snprintf(text, sizeof text, "%.*s", (int)outcome.text_bytes, body);
        remember(r, outcome.code, text);
    }
    take_fetched(r, body + proa_wire_padded(outcome.text_bytes),
                 bytes - proa_wire_padded(outcome.text_bytes));
    /* releases what was fetched */
    __atomic_store_n(&r->answered, head->number, __ATOMIC_RELEASE);
    proa_bell_ring(&proa_self->ctl->bell);
}

void proa_remote_moved(uint64_t token, int outcome)
{
    struct proa_remote *r = (struct proa_remote *)(uintptr_t)token;

    if (outcome)
        remember(r, outcome, "the network could not move the bytes");
    __atomic_fetch_sub(&r->moves, 1, __ATOMIC_RELEASE);
    proa_bell_ring(&proa_self->ctl->bell);
}

static int was_lost(const struct proa_win *win, int rank)
{
    const uint8_t *gone = __atomic_load_n(&win->spread->gone, __ATOMIC_ACQUIRE);

    return gone && __atomic_load_n(&gone[rank], __ATOMIC_ACQUIRE);
}

/* Everybody in the window hears of it, and says it on: who has no connection to the lost one would
 * wait for who does not come any more. */
static void lose(struct proa_win *win, int rank)
{
    struct proa_spread *spread = win->spread;
    struct proa_wire_head head = {
        PROA_WIRE_LOST, 0, PROA_WIRE_VERSION, (uint32_t)win->rank, spread->number, (uint64_t)rank};

    if (was_lost(win, rank))
        return;
    if (!spread->gone)
        __atomic_store_n(&spread->gone, calloc((size_t)win->size, 1), __ATOMIC_RELEASE);
    if (spread->gone)
        __atomic_store_n(&spread->gone[rank], 1, __ATOMIC_RELEASE);
    if (!spread->lost)
        __atomic_store_n(&spread->lost, 1 + (uint32_t)rank, __ATOMIC_RELEASE);
    if (remote_of(win, rank)) {
        __atomic_store_n(&remote_of(win, rank)->lost, 1, __ATOMIC_RELEASE);
        proa_serve_lost(remote_of(win, rank));
    }
    for (int i = 0; i < win->size; i++)
        if (remote_of(win, i) && !remote_of(win, i)->lost)
            proa_agent_answer(remote_of(win, i)->peer, &head, sizeof head);
    proa_bell_ring(&proa_self->ctl->bell);
}

/* A process of another node says that one, maybe of ours, is gone; not us. */
void proa_remote_told_lost(uint32_t peer, const struct proa_wire_head *head)
{
    struct proa_remote *from = proa_remote_find(head->window, head->rank, peer);

    if (from && head->number < (uint64_t)from->win->size && (int)head->number != from->win->rank)
        lose(from->win, (int)head->number);
}

struct hearing {
    const struct proa_win *win;
    int from;
    const uint64_t *word;
    uint64_t least;
};

static int is_gone(const struct proa_win *win, int from)
{
    return from < 0 ? __atomic_load_n(&win->spread->lost, __ATOMIC_ACQUIRE) != 0
                    : was_lost(win, from);
}

static int has_been_told(void *arg)
{
    const struct hearing *h = arg;

    return __atomic_load_n(h->word, __ATOMIC_ACQUIRE) >= h->least || is_gone(h->win, h->from);
}

/* Not inside. What has been told counts, whoever is gone since. */
int proa_remote_hear(const struct proa_win *win, int from, size_t word, uint64_t least)
{
    struct hearing h = {win, from, proa_word_in(win->ctl, word), least};

    if (!has_been_told(&h))
        proa_wait(has_been_told, &h, &proa_self->ctl->bell);
    if (__atomic_load_n(h.word, __ATOMIC_ACQUIRE) >= least)
        return PROA_OK;
    return proa_fail(PROA_ERR_OTHER, "the process of rank %d is gone",
                     from >= 0 ? from : (int)win->spread->lost - 1);
}

/* ---- windows ---- */

static struct proa_spread *spreads;
static struct proa_table numbers = PROA_TABLE_INIT; /* of theirs */

int proa_remote_any(void)
{
    return spreads != NULL;
}

void proa_remote_lost(uint32_t peer)
{
    struct proa_spread *spread;

    DL_FOREACH(spreads, spread)
        for (int i = 0; i < spread->win->size; i++)
            if (remote_of(spread->win, i) && remote_of(spread->win, i)->peer == peer)
                lose(spread->win, i);
}

struct proa_remote *proa_remote_find(uint64_t number, uint32_t rank, uint32_t peer)
{
    struct proa_win *win = number > 1 ? proa_table_find(&numbers, number) : NULL;
    struct proa_remote *r;

    if (!win || rank >= (uint32_t)win->size)
        return NULL;
    r = remote_of(win, (int)rank);
    return r && r->peer == peer ? r : NULL;
}

static uint64_t next_number(void)
{
    static uint64_t count;

    /* 0 and 1 are no keys of a table */
    return (proa_self->id + 4 * __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED)) | 2;
}

/* A transport that does not take this memory leaves it to messages. */
static void expose(struct proa_win *win, uint64_t bytes, struct proa_remote_card *card)
{
    struct proa_spread *spread = win->spread;

    proa_agent_enter();
    spread->has_key = proa_agent_expose(win->base, bytes, &spread->key) == PROA_OK;
    proa_agent_leave();
    card->key = spread->key;
    card->has_key = spread->has_key;
}

void proa_remote_card_fill(struct proa_win *win, struct proa_remote_card *card)
{
    const struct proa_target *self = &win->targets[win->rank];

    memset(card, 0, sizeof *card);
    card->error = proa_agent_start(&card->address);
    if (card->error)
        return;
    win->spread = calloc(1, sizeof *win->spread);
    if (!win->spread) {
        card->error = proa_fail(PROA_ERR_NO_MEM, "no memory for a window over several nodes");
        return;
    }
    win->spread->win = win;
    card->window = next_number();
    card->memory = (uint64_t)(uintptr_t)win->base;
    if (win->flavor != PROA_FLAVOR_DYNAMIC && self->bytes)
        expose(win, self->bytes, card);
}

static int remote_new(struct proa_win *win, int rank, const struct proa_remote_card *card)
{
    struct proa_target *target = &win->targets[rank];
    struct proa_remote *r = target->remote = calloc(1, sizeof *r);
    struct proa_span span = {.end = target->bytes, .key = card->memory, .road = &proa_road_net};

    if (!r)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to remember a process of another node");
    r->win = win;
    r->rank = rank;
    r->key = card->key;
    r->has_key = card->has_key != 0;
    r->memory = card->memory;
    if (win->flavor != PROA_FLAVOR_DYNAMIC && proa_spans_set(target, &span, 1))
        return PROA_ERR_NO_MEM;
    return proa_agent_reach(&card->address, &r->peer);
}

/* Known to the others' messages from now on. */
static int spread_add(struct proa_spread *spread)
{
    if (proa_table_set(&numbers, spread->number, spread->win) != 0)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to remember a window");
    DL_APPEND(spreads, spread);
    return PROA_OK;
}

int proa_remote_open(struct proa_win *win, const struct proa_remote_card *cards)
{
    int error = PROA_OK;

    proa_agent_enter();
    win->spread->number = cards[0].window;
    for (int i = 0; i < win->size && !error; i++)
        if (!win->targets[i].ctl)
            error = remote_new(win, i, &cards[i]);
    if (!error)
        error = proa_serve_open(win);
    if (!error)
        error = spread_add(win->spread);
    proa_agent_leave();
    return error;
}

static void remote_free(struct proa_remote *r)
{
    struct wanted *w, *next;

    if (!r)
        return;
    DL_FOREACH_SAFE(r->wanted, w, next)
    {
        DL_DELETE(r->wanted, w);
        free(w);
    }
    proa_serve_forget(r);
    free(r->batch);
    free(r);
}

void proa_remote_close(struct proa_win *win)
{
    struct proa_spread *spread = win->spread;

    if (!spread)
        return;
    proa_agent_enter();
    if (proa_table_remove_pair(&numbers, spread->number, win))
        DL_DELETE(spreads, spread);
    proa_serve_close(win);
    for (int i = 0; i < win->size; i++)
        remote_free(win->targets[i].remote);
    if (spread->has_key)
        proa_agent_hide(&spread->key);
    proa_agent_leave();
    free(spread->gone);
    free(spread);
    win->spread = NULL;
}
