/* SPDX-License-Identifier: BSD-3-Clause */
/* See batch.h. */
#include "remote/batch.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/load.h"
#include "progress/progress.h"
#include "sync/peer_failure.h"
#include "remote/operation_queue.h"
#include "remote/notice.h"
#include "remote/request.h"
#include "remote/group_lock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Most unanswered batches to one target: a target that computes has to keep them. */
enum { UNANSWERED_MOST = 32 };

/* ---- errors ---- */

int proa_batch_report(struct proa_remote *r)
{
    int error = r->flight.failed.code;

    if (proa_remote_is_lost(r))
        return proa_failed_report(r->process->win, r->process->rank);
    r->flight.failed.code = PROA_OK;
    return error
               ? proa_fail(error, "%s (at target rank %d)", r->flight.failed.text, r->process->rank)
               : PROA_OK;
}

int proa_batch_outcome(const struct proa_remote *r, int outcome)
{
    return outcome == PROA_ERR_OTHER
               ? proa_fail(PROA_ERR_OTHER, "the process of rank %d is gone", r->process->rank)
               : outcome;
}

/* ---- waiting: words are read relaxed, as a thread that continues holds the mutex ---- */

void proa_batch_await(struct proa_remote *r, proa_ready *ready)
{
    struct proa_vigil vigil = {.win = r->process->win, .from = r->process->rank};

    while (!ready(r)) {
        proa_progress_leave();
        proa_wait_unless(ready, r, &proa_self->ctl->bell, proa_vigil_looks, &vigil);
        proa_progress_enter();
    }
}

static uint64_t answered(const struct proa_remote *r)
{
    return proa_atomic_load(&r->flight.answered, PROA_RELAXED);
}

int proa_batch_has_no_moves(void *arg)
{
    const struct proa_remote *r = arg;

    return proa_remote_is_lost(r) || proa_atomic_load(&r->flight.moves, PROA_RELAXED) == 0;
}

int proa_batch_is_answered(void *arg)
{
    const struct proa_remote *r = arg;

    return proa_remote_is_lost(r) ||
           answered(r) >= proa_atomic_load(&r->flight.asked, PROA_RELAXED);
}

static int has_lock(const struct proa_remote *r)
{
    return answered(r) >= proa_atomic_load(&r->grant.lock_number, PROA_RELAXED);
}

static uint64_t heard_post(const struct proa_remote *r)
{
    return proa_atomic_load(&r->told.posted, PROA_RELAXED);
}

static int has_post(const struct proa_remote *r)
{
    return heard_post(r) >= proa_atomic_load(&r->grant.post_asked, PROA_RELAXED);
}

int proa_batch_has_taken_deferred(void *arg)
{
    return proa_remote_is_lost(arg) || (has_lock(arg) && has_post(arg));
}

int proa_batch_lacks_post(const struct proa_remote *r)
{
    return heard_post(r) < r->grant.post_wanted;
}

/* A target keeps only one batch of an origin that waits for its lock or post, and only a few of any
 * origin. */
int proa_batch_may_send(void *arg)
{
    const struct proa_remote *r = arg;

    return proa_batch_has_taken_deferred(arg) &&
           (proa_remote_is_lost(r) ||
            proa_atomic_load(&r->flight.sent, PROA_RELAXED) - answered(r) < UNANSWERED_MOST);
}

/* ---- batches ---- */

void proa_batch_mark(struct proa_remote *r, unsigned bit)
{
    proa_atomic_store(&r->batch.has, (uint8_t)(r->batch.has | bit), PROA_RELAXED);
}

static void count_batch(struct proa_remote *r, unsigned flags)
{
    proa_atomic_store(&r->flight.sent, r->flight.sent + 1, PROA_RELAXED);
    if (r->batch.has & PROA_GATHERED_WORK)
        r->flight.worked = r->flight.sent;
    if (flags & PROA_WIRE_ANSWERED)
        proa_atomic_store(&r->flight.asked, r->flight.sent, PROA_RELAXED);
    if (proa_remote_wants_lock(r)) {
        r->grant.lock =
            r->grant.lock == PROA_REMOTE_WANTS_TRY ? PROA_REMOTE_TRIED : PROA_REMOTE_ASKED;
        proa_atomic_store(&r->grant.lock_number, r->flight.sent, PROA_RELAXED);
    }
    if (flags & PROA_WIRE_POSTED) {
        proa_atomic_store(&r->grant.post_asked, r->grant.post_wanted, PROA_RELAXED);
        r->grant.waits |= r->batch.fetching > 0; /* the answer will be waited for */
        proa_remote_enlist(r, PROA_REMOTE_DEFERRED);
    }
    if (flags & PROA_WIRE_UNLOCK)
        r->grant.lock = PROA_REMOTE_UNLOCKED;
    r->batch.used = r->batch.fetching = 0;
    proa_remote_body_give_back(r);
    proa_atomic_store(&r->batch.has, 0, PROA_RELAXED);
}

static int batch_room(struct proa_remote *r)
{
    if (!r->batch.body)
        r->batch.body = proa_remote_body_take();
    return r->batch.body
               ? PROA_OK
               : proa_fail(PROA_ERR_NO_MEM, "out of memory for a message to another node");
}

/* Orders to count are sent at once, unless the answer to an earlier one is outstanding (Nagle
 * 1984). A target that sends a message after each order does not have to answer as well. */
static int counts_want_answer(const struct proa_remote *r)
{
    return r->batch.has & PROA_GATHERED_COUNTS && r->flight.sent > r->flight.heard &&
           proa_batch_is_answered((void *)r);
}

static unsigned all_flags(const struct proa_remote *r, unsigned flags)
{
    static const uint8_t lock[] = {
        [PROA_REMOTE_WANTS_SHARED] = PROA_WIRE_LOCK_SHARED | PROA_WIRE_ANSWERED,
        [PROA_REMOTE_WANTS_EXCLUSIVE] = PROA_WIRE_LOCK_EXCLUSIVE | PROA_WIRE_ANSWERED,
        [PROA_REMOTE_WANTS_TRY] = PROA_WIRE_LOCK_TRIED | PROA_WIRE_ANSWERED,
        [PROA_REMOTE_ASKED] = 0};

    flags |= lock[r->grant.lock];
    if (r->batch.fetching || counts_want_answer(r) ||
        (r->flight.sent + 1) % (UNANSWERED_MOST / 2) == 0)
        flags |= PROA_WIRE_ANSWERED;
    if (r->batch.has & PROA_GATHERED_WORK && proa_batch_lacks_post(r))
        flags |= PROA_WIRE_POSTED;
    if (r->grant.waits)
        flags |= PROA_WIRE_WAITS;
    return r->grant.holds ? flags | PROA_WIRE_HOLDS : flags;
}

/* Changes nothing if the batch cannot be sent. */
int proa_batch_try_send(struct proa_remote *r, unsigned flags)
{
    struct proa_wire_head head =
        proa_remote_window_head(r->process->win, PROA_WIRE_BATCH, r->flight.sent + 1);
    int outcome = proa_remote_is_lost(r) ? proa_batch_report(r) : batch_room(r);

    if (outcome)
        return outcome;
    if (!proa_batch_may_send(r)) {
        r->grant.waits |= !has_post(r);
        return PROA_NET_AGAIN;
    }
    flags = all_flags(r, flags);
    head.flags = (uint8_t)flags;
    memcpy(r->batch.body, &head, sizeof head);
    outcome = proa_batch_outcome(
        r, proa_progress_send(r->process->peer, r->batch.body, sizeof head + r->batch.used));
    if (outcome == PROA_NET_AGAIN)
        return outcome;
    proa_remote_message(PROA_TRACE_SENT, r->process->win, r->process->rank, &head,
                        sizeof head + r->batch.used);
    count_batch(r, flags);
    return outcome;
}

void proa_batch_unblock(struct proa_remote *r)
{
    if (!proa_batch_may_send(r))
        proa_batch_await(r, proa_batch_may_send);
    else if (!proa_progress_step() && proa_is_oversubscribed())
        proa_yield();
}

int proa_batch_send(struct proa_remote *r, unsigned flags)
{
    int outcome = proa_batch_try_send(r, flags);

    if (outcome != PROA_NET_AGAIN)
        return outcome;
    proa_batch_unblock(r);
    return PROA_OK;
}

void proa_batch_want_grant(struct proa_remote *r)
{
    const uint8_t awaited = PROA_EPOCH_START | PROA_EPOCH_AWAITED;
    const struct proa_win *win = r->process->win;
    uint8_t all = proa_epoch_all(win), one = proa_epoch_one(&win->targets[r->process->rank]);

    /* as in sync/lock.h: a process that holds a lock, also one of this lock_all, and waits for
     * another */
    if (r->grant.lock == PROA_REMOTE_UNLOCKED && proa_group_lock_is_unkept(win) &&
        (all & (PROA_EPOCH_LOCK | PROA_EPOCH_NOCHECK)) == PROA_EPOCH_LOCK) {
        r->grant.lock = PROA_REMOTE_WANTS_SHARED;
        r->grant.holds = 1;
    }
    if ((one & awaited) == awaited)
        r->grant.post_wanted = 2 * r->pair.starts;
}

static int await_post(struct proa_remote *r)
{
    int outcome = PROA_OK;

    if (!proa_batch_lacks_post(r))
        return PROA_OK;
    r->grant.waits = 1;
    if (r->batch.used) /* a post of ours, for which the other process may wait as well */
        outcome = proa_batch_try_send(r, 0);
    if (outcome != PROA_OK)
        return outcome;
    proa_atomic_store(&r->grant.post_asked, r->grant.post_wanted, PROA_RELAXED);
    return PROA_NET_AGAIN;
}

int proa_batch_await_grant(struct proa_remote *r)
{
    int outcome = proa_remote_wants_lock(r) ? proa_batch_try_send(r, 0) : PROA_OK;

    if (outcome)
        return outcome;
    if (proa_remote_is_lost(r))
        return proa_batch_report(r);
    return has_lock(r) ? await_post(r) : PROA_NET_AGAIN;
}

static int is_full(const struct proa_remote *r, size_t bytes, uint64_t fetched)
{
    return sizeof(struct proa_wire_head) + r->batch.used + bytes > PROA_NET_MESSAGE_MOST ||
           r->batch.fetching + fetched > (size_t)PROA_BATCH_FETCH_MOST;
}

/* Makes room for `bytes` more bytes, like proa_batch_try_add. is_work: 0 for a word alone. */
static char *room(struct proa_remote *r, size_t bytes, uint64_t fetched, int is_work, int *outcome)
{
    char *at;

    *outcome = is_full(r, bytes, fetched) ? proa_batch_try_send(r, 0) : PROA_OK;
    if (!*outcome)
        *outcome = batch_room(r);
    if (*outcome)
        return NULL;
    at = r->batch.body + sizeof(struct proa_wire_head) + r->batch.used;
    r->batch.used += bytes;
    if (is_work && !(r->batch.has & PROA_GATHERED_WORK)) {
        proa_batch_mark(r, PROA_GATHERED_WORK);
        proa_aggregation_begun();
    }
    r->batch.fetching += fetched;
    proa_remote_enlist(r, PROA_REMOTE_USED);
    return at;
}

char *proa_batch_try_add(struct proa_remote *r, const struct proa_wire_op *op, uint64_t data,
                         uint64_t fetched, int *outcome)
{
    size_t bytes = sizeof *op + proa_wire_padded(data);
    char *at = room(r, bytes, proa_wire_padded(fetched), op->code != PROA_WIRE_NOTIFY, outcome);

    if (!at)
        return NULL;
    r->parts += (uint64_t)proa_wire_is_operation(op->code);
    memcpy(at, op, sizeof *op);
    memset(at + sizeof *op + data, 0, bytes - sizeof *op - data); /* the padding */
    return at + sizeof *op;
}

int proa_batch_try_count(struct proa_remote *r, uint32_t index)
{
    const struct proa_wire_count count = {.code = PROA_WIRE_COUNT, .index = index};
    int outcome;
    char *at = room(r, sizeof count, 0, 1, &outcome);

    if (!at)
        return outcome;
    memcpy(at, &count, sizeof count);
    proa_batch_mark(r, PROA_GATHERED_COUNTS);
    return PROA_OK;
}

int proa_batch_want(struct proa_remote *r, const struct proa_wanted *wanted)
{
    struct proa_wanted *w = malloc(sizeof *w);

    if (!w)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the list of fetched data");
    *w = *wanted;
    w->batch = r->flight.sent + 1;
    if (w->request) {
        proa_request_part(w->request);
        proa_batch_flush_pending(r);
    }
    DL_APPEND(r->flight.wanted, w);
    return PROA_OK;
}

/* ---- answers ---- */

/* Padding inside a pair is not part of it and stays as it is, as on the node (rma/apply.c). */
static void fetched_to(const struct proa_wanted *w, const char *data)
{
    if (w->basic != PROA_MIXED && proa_is_padded(w->basic)) {
        proa_kernel_find(PROA_OP_REPLACE, w->basic)(w->to, data, w->count);
        return;
    }
    for (uint64_t i = 0; i < w->count; i++)
        memcpy(proa_at(w->to, (int64_t)i * w->stride), data + i * w->bytes, w->bytes);
}

/* Ends a fetch: its data have arrived, or will not. */
static void wanted_end(struct proa_remote *r, struct proa_wanted *w, int code, const char *why)
{
    DL_DELETE(r->flight.wanted, w);
    if (w->request)
        proa_request_part_done(w->request, code, why);
    free(w);
}

/* The failure that an answer reports, and the ways in which it is reported to the program. */
struct told {
    int code; /* 0 if none */
    char text[160];
    const char *marks; /* of the failed fetches (remote/wire.h); NULL if all failed, or none */
    uint8_t by_request, by_next; /* by a request; by the next completion */
};

static int is_marked(const struct told *told, uint64_t fetch)
{
    uint64_t word;

    if (!told->marks)
        return told->code != 0;
    memcpy(&word, told->marks + fetch / PROA_WIRE_MARKS * sizeof word, sizeof word);
    return (int)(word >> fetch % PROA_WIRE_MARKS & 1);
}

/* Stores the fetched data of the batches up to that number, in the order of the requests. Returns
 * whether the data match the requests. Otherwise a request that an answer leaves out would get the
 * next answer's data, when its buffer is the user's again. */
static int take_fetched(struct proa_remote *r, uint64_t number, const char *data, size_t bytes,
                        struct told *told)
{
    const int is_refused = told->code && !bytes;
    struct proa_wanted *w;

    for (uint64_t i = 0; (w = r->flight.wanted) && w->batch <= number; i++) {
        uint64_t length = is_refused ? 0 : proa_wire_padded(w->bytes * w->count);
        int has_failed = is_marked(told, i);

        if (length > bytes)
            return 0;
        if (!is_refused)
            fetched_to(w, data);
        data += length;
        bytes -= length;
        *(w->request ? &told->by_request : &told->by_next) |= (uint8_t)has_failed;
        wanted_end(r, w, has_failed ? told->code : PROA_OK, told->text);
    }
    return bytes == 0;
}

/* Returns the bytes of the marks in an answer to the batch of that number. A target without memory
 * for a batch answers with an error, without marks and data. */
static uint64_t mark_bytes(const struct proa_remote *r, uint64_t number, int code, size_t bytes)
{
    const struct proa_wanted *w;
    uint64_t fetches = 0;

    if (!code || !bytes)
        return 0;
    for (w = r->flight.wanted; w && w->batch <= number; w = w->next)
        fetches++;
    return proa_wire_mark_bytes(fetches);
}

/* Reads the outcome of an answer and its text. Returns the bytes of both, or 0 if they are
 * malformed. */
static size_t read_outcome(const char *body, size_t bytes, struct told *told)
{
    struct proa_wire_outcome outcome;

    if (bytes < sizeof outcome)
        return 0;
    memcpy(&outcome, body, sizeof outcome);
    if (outcome.code > 0 || outcome.text_bytes >= sizeof told->text ||
        proa_wire_padded(outcome.text_bytes) > bytes - sizeof outcome)
        return 0;
    told->code = outcome.code;
    if (outcome.code)
        snprintf(told->text, sizeof told->text, "%.*s", (int)outcome.text_bytes,
                 body + sizeof outcome);
    return sizeof outcome + proa_wire_padded(outcome.text_bytes);
}

/* Processes the outcome and the fetched data of an answer. Returns whether the answer is well
 * formed. A failure that a request reports is not reported again by the next completion. */
static int take_answer(struct proa_remote *r, const struct proa_wire_head *head, const char *body,
                       size_t bytes)
{
    struct told told = {0};
    size_t done = read_outcome(body, bytes, &told);
    uint64_t marks = done ? mark_bytes(r, head->number, told.code, bytes - done) : 0;

    if (!done || marks > bytes - done)
        return 0;
    told.marks = marks ? body + done : NULL;
    done += marks;
    told.by_next = head->flags & PROA_WIRE_OTHERS || !marks;
    if (!take_fetched(r, head->number, body + done, bytes - done, &told))
        return 0;
    if (told.by_next || !told.by_request)
        proa_failure_keep(&r->flight.failed, told.code, told.text);
    return 1;
}

/* Processes the outcome of a try for the lock. Returns whether the answer is well formed: only a
 * try can be refused. */
static int take_try(struct proa_remote *r, const struct proa_wire_head *head)
{
    const int is_refused = (head->flags & PROA_WIRE_REFUSED) != 0;

    if (r->grant.lock != PROA_REMOTE_TRIED || head->number != r->grant.lock_number)
        return !is_refused;
    r->grant.lock = is_refused ? PROA_REMOTE_UNLOCKED : PROA_REMOTE_ASKED;
    return 1;
}

void proa_batch_answered(struct proa_remote *r, const struct proa_wire_head *head, const char *body,
                         size_t bytes)
{
    if (head->number > r->flight.sent || head->number <= r->flight.answered) {
        proa_progress_drop(r->process->peer, "answers a batch that is not outstanding");
    } else if (!take_answer(r, head, body, bytes) || !take_try(r, head)) {
        proa_progress_drop(r->process->peer, "is a malformed answer");
    } else {
        proa_atomic_store(&r->flight.answered, head->number, PROA_RELAXED);
        proa_doorbell_ring(&proa_self->ctl->bell);
    }
}

void proa_batch_lose_wanted(struct proa_remote *r)
{
    struct proa_wanted *w, *next;

    proa_failed_report(r->process->win, r->process->rank);
    DL_FOREACH_SAFE(r->flight.wanted, w, next)
        wanted_end(r, w, PROA_ERR_OTHER, proa_failure());
}
