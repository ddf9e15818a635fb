/* SPDX-License-Identifier: BSD-3-Clause */
/* See serve.h. */
#include "remote/serve.h"
#include "base/fail.h"
#include "base/system.h"
#include "remote/agent.h"
#include "remote/batch.h"
#include "rma/combine.h"
#include "sync/gone.h"
#include "rma/lender.h"
#include "sync/lock.h"
#include "rma/road.h"
#include "sync/tell.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* The window as the serving thread sees it: one target, this process, with an epoch, a cache and an
 * accessor's mark of its own. Threads of the program work on the real window meanwhile. */
struct proa_served {
    struct proa_win view;
    struct proa_target self;
};

/* An origin's request, and what it has been given. */
struct proa_serving {
    struct proa_remote *origin;
    struct proa_asking asking;
    enum proa_lock_kind kind;
    uint8_t holds;      /* it holds other locks, the origin says */
    uint8_t held;       /* the lock is the origin's */
    uint8_t is_waiting; /* for the lock, or for our post, with a batch that is kept */
    uint8_t for_post;   /* it waits for our post */
    uint64_t number;    /* of its last batch */
    struct proa_wire_head head;
    char *kept;
    size_t kept_bytes;
    struct proa_first_failure failed; /* since the last answer */
    struct proa_serving *prev, *next; /* in the list of origins that wait for locks */
};

static struct proa_serving *pending;

/* An answer being written. */
struct answer {
    char body[PROA_NET_MESSAGE_MOST];
    size_t used; /* behind the room for head, outcome and text */
};

enum { ANSWER_HEAD = sizeof(struct proa_wire_head) + sizeof(struct proa_wire_outcome) };

static struct proa_serving *serving_of(struct proa_remote *origin)
{
    if (!origin->serving) {
        origin->serving = calloc(1, sizeof *origin->serving);
        if (origin->serving)
            origin->serving->origin = origin;
    }
    return origin->serving;
}

/* ---- what is in a batch ---- */

/* Takes the next `bytes` bytes, padded. NULL: fewer are left. */
static const char *take(const char **body, size_t *left, uint64_t bytes)
{
    const char *at = *body;

    if (bytes > *left || proa_wire_padded(bytes) > *left)
        return NULL;
    *body += proa_wire_padded(bytes);
    *left -= proa_wire_padded(bytes);
    return at;
}

/* A code of functions that serve an operation, beside those of base/fail.h: it is no operation. */
enum { NONSENSE = 1 };
static const char no_operation[] = "has an operation that there is not";

/* NULL: more than an origin may request. The rest of the answer is for the text of an error. */
static char *answer_room(struct answer *answer, uint64_t bytes)
{
    char *at = answer->body + answer->used;

    if (proa_wire_padded(bytes) > ANSWER_HEAD + PROA_BATCH_FETCH_MOST - answer->used)
        return NULL;
    memset(at, 0, proa_wire_padded(bytes));
    answer->used += proa_wire_padded(bytes);
    return at;
}

static int runs_done(struct proa_served *served, const struct proa_wire_op *op, char *data)
{
    struct proa_carry carry;
    int error = PROA_OK;

    proa_carry_begin(&carry, &served->view, 0, op->code == PROA_WIRE_PUT);
    for (uint64_t i = 0; i < op->count && !error; i++)
        error = proa_carry_bytes(&carry, op->position + (uint64_t)((int64_t)i * op->stride),
                                 data + i * op->bytes, op->bytes);
    return error ? error : proa_carry_end(&carry);
}

static int serve_runs(struct proa_served *served, const struct proa_wire_op *op, const char **body,
                      size_t *left, struct answer *answer)
{
    uint64_t bytes;
    char *data;

    if (op->bytes == 0 || __builtin_mul_overflow(op->count, op->bytes, &bytes) ||
        bytes > PROA_NET_MESSAGE_MOST)
        return NONSENSE; /* runs of nothing could be any number */
    data = op->code == PROA_WIRE_PUT ? (char *)(uintptr_t)take(body, left, bytes)
                                     : answer_room(answer, bytes);
    return data ? runs_done(served, op, data) : NONSENSE;
}

/* PROA_OK if it is an accumulate that an origin could have sent. */
static int fill_elements(const struct proa_wire_op *op, struct proa_elements *run)
{
    uint64_t bytes;

    if (op->basic >= PROA_BASIC_COUNT || op->operation >= PROA_OP_COUNT)
        return NONSENSE;
    *run = (struct proa_elements){.operation = (enum proa_operation)op->operation,
                                  .basic = (enum proa_basic)op->basic,
                                  .bytes = op->bytes,
                                  .count = op->count};
    run->kernel = proa_kernel_find(run->operation, run->basic);
    if (!run->kernel)
        run->kernel = proa_kernel_of_bytes(run->operation, run->basic);
    if (!run->kernel || op->bytes != proa_basic_bytes(run->basic) || op->count == 0 ||
        __builtin_mul_overflow(op->count, op->bytes, &bytes) || bytes > PROA_NET_MESSAGE_MOST)
        return NONSENSE;
    if (!(op->flags & PROA_WIRE_ORIGIN) && op->operation != PROA_OP_NO_OP)
        return NONSENSE;
    return op->flags & PROA_WIRE_COMPARE && (op->count != 1 || !(op->flags & PROA_WIRE_ORIGIN))
               ? NONSENSE
               : PROA_OK;
}

static int serve_combine(struct proa_served *served, const struct proa_wire_op *op,
                         const char **body, size_t *left, struct answer *answer)
{
    struct proa_combine combine = {
        .win = &served->view, .rank = 0, .total = op->total, .guarded = PROA_GUARD_NONE};
    uint64_t bytes = op->count * op->bytes, data = 0;
    const char *at;
    int error = fill_elements(op, &combine.run);

    if (error)
        return error;
    data += op->flags & PROA_WIRE_ORIGIN ? bytes : 0;
    data += op->flags & PROA_WIRE_COMPARE ? op->bytes : 0;
    at = take(body, left, data);
    if (!at)
        return NONSENSE;
    combine.run.origin = op->flags & PROA_WIRE_ORIGIN ? at : NULL;
    combine.run.compare = op->flags & PROA_WIRE_COMPARE ? at + bytes : NULL;
    if (op->flags & PROA_WIRE_RESULT && !(combine.run.result = answer_room(answer, bytes)))
        return NONSENSE;
    error = proa_combine_row(&combine, op->position);
    proa_guard_leave(&combine.guarded);
    return error;
}

/* Writes only words that this sender tells: it writes nowhere else (sync/tell.h). */
static int serve_tell(const struct proa_remote *origin, const struct proa_wire_op *op)
{
    uint64_t *word;

    if (!proa_word_exists(origin->away->win, op->position))
        return NONSENSE;
    word = proa_word_anywhere(origin->away->win, origin->away->rank, (int)op->position);
    if (op->count < __atomic_load_n(word, __ATOMIC_RELAXED))
        return NONSENSE;
    __atomic_store_n(word, op->count, __ATOMIC_RELEASE); /* partner: proa_heard */
    proa_bell_ring(&proa_self->ctl->bell);
    return PROA_OK;
}

/* Words before the first operation wait for no lock and no post. One of them may be a post that
 * this process waits for before it gives the lock or post that the rest waits for. */
static int serve_words(const struct proa_remote *origin, const char **body, size_t *left)
{
    int error = PROA_OK;

    while (!error && *left >= sizeof(struct proa_wire_op)) {
        struct proa_wire_op op;

        memcpy(&op, *body, sizeof op);
        if (op.code != PROA_WIRE_TELL)
            break;
        *body += sizeof op;
        *left -= sizeof op;
        error = serve_tell(origin, &op);
    }
    return error;
}

static int serve_one(struct proa_remote *origin, const char **body, size_t *left,
                     struct answer *answer)
{
    struct proa_served *served = origin->away->win->spread->served;
    const char *at = take(body, left, sizeof(struct proa_wire_op));
    struct proa_wire_op op;

    if (!at)
        return NONSENSE;
    memcpy(&op, at, sizeof op);
    switch (op.code) {
    case PROA_WIRE_PUT:
    case PROA_WIRE_GET:
        return serve_runs(served, &op, body, left, answer);
    case PROA_WIRE_COMBINE:
        return serve_combine(served, &op, body, left, answer);
    case PROA_WIRE_TELL:
        return serve_tell(origin, &op);
    default:
        return NONSENSE;
    }
}

/* The outcome stands before the fetched data; its text moves them back. */
static void answer_send(struct proa_serving *s, const struct proa_wire_head *head,
                        struct answer *answer)
{
    struct proa_wire_head own =
        proa_spread_head(s->origin->away->win, PROA_WIRE_ANSWER, head->number);
    struct proa_wire_outcome outcome = {s->failed.code, 0};
    size_t text = 0;

    if (outcome.code) {
        outcome.text_bytes = (uint32_t)strlen(s->failed.text);
        text = proa_wire_padded(outcome.text_bytes);
        memmove(answer->body + ANSWER_HEAD + text, answer->body + ANSWER_HEAD,
                answer->used - ANSWER_HEAD);
        memset(answer->body + ANSWER_HEAD, 0, text);
        memcpy(answer->body + ANSWER_HEAD, s->failed.text, outcome.text_bytes);
    }
    s->failed.code = PROA_OK;
    memcpy(answer->body, &own, sizeof own);
    memcpy(answer->body + sizeof own, &outcome, sizeof outcome);
    proa_agent_answer(s->origin->away->peer, answer->body, answer->used + text);
}

/* ---- locks ---- */

/* Only its own messages tell what another origin holds. After so long a wait it is taken to hold a
 * lock that others wait for (sync/lock.c: then it goes ahead of writers that only wait). */
enum { ORIGINS_DEPEND_NS = 10000000 };

static int origin_holds_any(const struct proa_asking *a)
{
    const struct proa_serving *s = a->who;

    return s->holds;
}

static int origin_is_pressed(struct proa_asking *a)
{
    const struct proa_serving *s = a->who;

    if (!s->holds)
        return 0;
    if (a->begin_ns == 0)
        a->begin_ns = proa_system->now_ns();
    return proa_system->now_ns() - a->begin_ns > ORIGINS_DEPEND_NS;
}

static enum proa_claim claim_of(const struct proa_serving *s)
{
    return s->kind == PROA_LOCK_EXCLUSIVE ? PROA_CLAIM_EXCLUSIVE : PROA_CLAIM_SHARED;
}

static void origin_claim(struct proa_asking *a, enum proa_claim claim)
{
    proa_claim_served(a->win, claim_of(a->who), claim == PROA_CLAIM_NONE ? -1 : 1);
}

static const struct proa_asker asker_origin = {origin_holds_any, origin_is_pressed, origin_claim};

static int lock_take(struct proa_serving *s)
{
    struct proa_win_ctl *ctl = s->origin->away->win->ctl;
    struct proa_all_ctl *all = &s->origin->away->win->leader->all;

    proa_claim_served(s->origin->away->win, claim_of(s), 1);
    if (proa_lock_try(all, ctl, s->kind == PROA_LOCK_EXCLUSIVE))
        return 1;
    proa_claim_served(s->origin->away->win, claim_of(s), -1);
    s->asking = (struct proa_asking){.asker = &asker_origin,
                                     .win = s->origin->away->win,
                                     .target = s->origin->away->win->rank,
                                     .all = all,
                                     .lock = &ctl->lock,
                                     .lock_bell = &ctl->lock_bell,
                                     .who = s};
    proa_lock_ask(&s->asking, s->kind);
    return 0;
}

static int lock_get_on(struct proa_serving *s)
{
    (void)proa_lock_leave_broken(&s->asking);
    while (s->asking.stage != PROA_LOCK_GRANTED && proa_lock_look(&s->asking))
        proa_lock_go_on(&s->asking);
    return s->asking.stage == PROA_LOCK_GRANTED;
}

static void lock_give_back(struct proa_serving *s)
{
    if (s->held) {
        proa_claim_served(s->origin->away->win, claim_of(s), -1);
        proa_lock_give_back(s->origin->away->win->ctl, s->kind == PROA_LOCK_EXCLUSIVE);
    }
    s->held = 0;
}

/* ---- batches ---- */

static void serve(struct proa_serving *s, const struct proa_wire_head *head, const char *body,
                  size_t left)
{
    struct answer answer;

    answer.used = ANSWER_HEAD;
    while (left > 0) {
        int error = serve_one(s->origin, &body, &left, &answer);

        if (error == NONSENSE) {
            proa_agent_drop(s->origin->away->peer, no_operation);
            return;
        }
        if (error)
            proa_failure_keep(&s->failed, error, proa_failure());
    }
    if (head->flags & PROA_WIRE_UNLOCK)
        lock_give_back(s);
    if (head->flags & PROA_WIRE_ANSWERED)
        answer_send(s, head, &answer);
}

static void serve_kept(struct proa_serving *s)
{
    char *kept = s->kept;

    s->is_waiting = 0;
    s->kept = NULL;
    serve(s, &s->head, kept, s->kept_bytes);
    free(kept);
}

static void granted(struct proa_serving *s)
{
    s->held = 1;
    DL_DELETE(pending, s);
    serve_kept(s);
}

static void keep(struct proa_serving *s, const struct proa_wire_head *head, const char *body,
                 size_t bytes)
{
    s->kept = malloc(bytes ? bytes : 1);
    s->kept_bytes = s->kept ? bytes : 0;
    if (s->kept)
        memcpy(s->kept, body, bytes);
    s->head = *head;
    s->is_waiting = 1;
}

static void keep_for_lock(struct proa_serving *s, const struct proa_wire_head *head,
                          const char *body, size_t bytes)
{
    keep(s, head, body, bytes);
    if (!s->kept)
        proa_failure_keep(&s->failed, PROA_ERR_NO_MEM, "no memory to keep what waits for a lock");
    s->for_post = 0;
    DL_APPEND(pending, s);
}

/* ---- posts ---- */

/* Each access epoch of the origin ends with a word from it. So its epoch is the one after those. */
static int is_posted(const struct proa_remote *origin)
{
    return origin->posted > origin->told.completed;
}

/* MPI_Win_wait waits for the end of the epoch, which is in the batch: so the batch cannot be left
 * out. */
static void keep_for_post(struct proa_serving *s, const struct proa_wire_head *head,
                          const char *body, size_t bytes)
{
    keep(s, head, body, bytes);
    s->for_post = 1;
    if (!s->kept)
        proa_agent_drop(s->origin->away->peer, "finds no memory here");
}

void proa_serve_posted(struct proa_remote *origin, uint64_t times)
{
    struct proa_serving *s = origin->serving;

    origin->posted = times;
    if (s && s->is_waiting && s->for_post && is_posted(origin))
        serve_kept(s);
}

/* NULL, or the error of a batch with that head. */
static const char *out_of_place(const struct proa_serving *s, const struct proa_wire_head *head,
                                unsigned locks)
{
    /* the origin would wait for us for ever, and a lock that it takes would never be released */
    if (proa_remote_is_lost(s->origin))
        return "comes after others have said that it is gone";
    if (head->number != s->number + 1)
        return "does not follow the one before";
    if (s->is_waiting)
        return "comes before the lock or post that it was to wait for";
    if (locks && (s->held || locks & (locks - 1) || head->flags & PROA_WIRE_POSTED))
        return "asks for two locks";
    return NULL;
}

void proa_serve_batch(uint32_t peer, const struct proa_wire_head *head, const char *body,
                      size_t bytes)
{
    struct proa_remote *origin = proa_remote_find(head->window, head->rank, peer);
    struct proa_serving *s = origin ? serving_of(origin) : NULL;
    unsigned locks = head->flags & (PROA_WIRE_LOCK_SHARED | PROA_WIRE_LOCK_EXCLUSIVE);
    const char *why = s ? out_of_place(s, head, locks) : "finds no memory here";

    if (s && !why && serve_words(origin, &body, &bytes) == NONSENSE)
        why = no_operation;
    if (origin && why)
        proa_agent_drop(peer, why);
    if (!origin || why)
        return;
    s->number = head->number;
    origin->is_hasty = (head->flags & PROA_WIRE_WAITS) != 0;
    if (locks) {
        s->kind = locks & PROA_WIRE_LOCK_EXCLUSIVE ? PROA_LOCK_EXCLUSIVE : PROA_LOCK_SHARED;
        s->holds = (head->flags & PROA_WIRE_HOLDS) != 0;
        s->held = (uint8_t)lock_take(s);
        if (!s->held) {
            keep_for_lock(s, head, body, bytes);
            return;
        }
    }
    if (head->flags & PROA_WIRE_POSTED && !is_posted(origin)) {
        keep_for_post(s, head, body, bytes);
        return;
    }
    serve(s, head, body, bytes);
}

/* Checks for dead neighbour processes: one of them may have the lock that an origin waits for. */
static void look_at_neighbours(void)
{
    enum { LOOK_NS = 200000000 };
    static long due_ns;
    struct proa_serving *s;
    long now_ns;

    if (!pending) {
        due_ns = 0;
        return;
    }
    now_ns = proa_system->now_ns();
    if (due_ns && now_ns >= due_ns)
        DL_FOREACH(pending, s)
            proa_gone_look(s->origin->away->win);
    if (due_ns == 0 || now_ns >= due_ns)
        due_ns = now_ns + LOOK_NS;
}

int proa_serve_pending(void)
{
    struct proa_serving *s, *next;
    int got = 0;

    look_at_neighbours();
    DL_FOREACH_SAFE(pending, s, next)
        if (lock_get_on(s)) {
            granted(s);
            got++;
        }
    return got;
}

int proa_serve_has_pending(void)
{
    return pending != NULL;
}

/* ---- windows ---- */

/* Sets the spans of our own part, by second accessors of their owners. */
static int view_spans(struct proa_served *served, const struct proa_target *real)
{
    struct proa_span *spans;
    int error;

    if (real->span_count == 0)
        return PROA_OK;
    spans = malloc(real->span_count * sizeof *spans);
    if (!spans)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to serve a window");
    memcpy(spans, real->spans, real->span_count * sizeof *spans);
    error = PROA_OK;
    for (uint32_t i = 0; i < real->span_count && !error && real->bytes; i++) {
        spans[i].owner = proa_peer_second(spans[i].owner);
        error = spans[i].owner ? PROA_OK : PROA_ERR_NO_MEM;
    }
    if (!error)
        error = proa_spans_set(&served->self, spans, real->span_count);
    free(spans);
    return error;
}

int proa_serve_open(struct proa_win *win)
{
    struct proa_served *served = win->spread->served = calloc(1, sizeof *served);
    const struct proa_target *real = &win->targets[win->rank];

    if (!served)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to serve a window");
    served->view = (struct proa_win){.targets = &served->self,
                                     .size = 1,
                                     .ctl = win->ctl,
                                     .leader = win->leader,
                                     .flavor = win->flavor,
                                     .second = 1,
                                     .atomics_most = win->atomics_most,
                                     .base = win->base};
    served->self.bytes = real->bytes;
    served->self.disp_unit = real->disp_unit;
    served->self.peer = real->peer;
    served->self.ctl = real->ctl;
    return view_spans(served, real);
}

void proa_serve_close(struct proa_win *win)
{
    struct proa_served *served = win->spread->served;

    if (!served)
        return;
    proa_spans_free(&served->self);
    proa_lenders_release(&served->view);
    free(served);
    win->spread->served = NULL;
}

void proa_serve_forget(struct proa_remote *origin)
{
    struct proa_serving *s = origin->serving;

    if (!s)
        return;
    if (s->is_waiting && !s->for_post)
        DL_DELETE(pending, s);
    free(s->kept);
    free(s);
    origin->serving = NULL;
}

/* A lock that the origin holds would keep others out for ever. A lock that it waits for is released
 * once granted: a place in the queue cannot be left (sync/lock.h). */
void proa_serve_lost(struct proa_remote *origin)
{
    struct proa_serving *s = origin->serving;

    if (!s)
        return;
    if (s->is_waiting && s->for_post) {
        s->is_waiting = 0;
        free(s->kept);
        s->kept = NULL;
    } else if (s->is_waiting) {
        s->head.flags |= PROA_WIRE_UNLOCK;
        s->kept_bytes = 0;
    } else {
        lock_give_back(s);
    }
}
