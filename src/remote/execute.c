/* SPDX-License-Identifier: BSD-3-Clause */
/* See target.h. */
#include "remote/target.h"
#include "base/atomic.h"
#include "progress/progress.h"
#include "remote/batch.h"
#include "rma/combine.h"
#include "rma/memory_owner.h"
#include "rma/road.h"
#include "sync/counters.h"
#include "sync/notify.h"

#include <stdlib.h>
#include <string.h>

/* The window as the serving thread sees it: one target, this process, with an epoch, a cache and an
 * accessor's mark of its own. Threads of the program work on the real window meanwhile. */
struct proa_served {
    struct proa_win view;
    struct proa_target self;
};

enum { ANSWER_HEAD = sizeof(struct proa_wire_head) + sizeof(struct proa_wire_outcome) };

/* The answer's body is not cleared: a batch may have no use for it. */
void proa_job_begin(struct proa_job *job, const struct proa_remote_process *origin,
                    const char *body, size_t bytes)
{
    job->origin = origin;
    job->at = body;
    job->left = bytes;
    job->used = ANSWER_HEAD;
    job->is_refused = job->has_other = 0;
    job->fetches = 0;
    memset(job->marks, 0, sizeof job->marks);
}

/* ---- operations of a batch ---- */

/* Takes the next `bytes` bytes, padded. Returns NULL if fewer are left. */
static const char *take(struct proa_job *job, uint64_t bytes)
{
    const char *at = job->at;

    if (bytes > job->left || proa_wire_padded(bytes) > job->left)
        return NULL;
    job->at += proa_wire_padded(bytes);
    job->left -= proa_wire_padded(bytes);
    return at;
}

/* Returns NULL if the batch fetches more than an origin may request. The rest of the answer is for
 * the text of an error. */
static char *answer_room(struct proa_job *job, uint64_t bytes)
{
    char *at = job->answer + job->used;

    if (proa_wire_padded(bytes) > ANSWER_HEAD + PROA_BATCH_FETCH_MOST - job->used)
        return NULL;
    memset(at, 0, proa_wire_padded(bytes));
    job->used += proa_wire_padded(bytes);
    job->fetches++;
    return at;
}

static struct proa_served *served_of(const struct proa_job *job)
{
    return job->origin->win->remote_window->served;
}

static int runs_done(const struct proa_job *job, char *data)
{
    const struct proa_wire_op *op = &job->op;
    struct proa_carry carry;
    int error = PROA_OK;

    proa_carry_begin(&carry, &served_of(job)->view, 0, op->code == PROA_WIRE_PUT);
    for (uint64_t i = 0; i < op->count && !error; i++)
        error = proa_carry_bytes(&carry, op->position + (uint64_t)((int64_t)i * op->stride),
                                 data + i * op->bytes, op->bytes);
    return error ? error : proa_carry_end(&carry);
}

static int serve_runs(struct proa_job *job)
{
    const struct proa_wire_op *op = &job->op;
    uint64_t bytes;
    char *data;

    if (op->bytes == 0 || __builtin_mul_overflow(op->count, op->bytes, &bytes) ||
        bytes > PROA_NET_MESSAGE_MOST)
        return PROA_JOB_NONSENSE; /* there could be any number of empty runs */
    data =
        op->code == PROA_WIRE_PUT ? (char *)(uintptr_t)take(job, bytes) : answer_room(job, bytes);
    return data ? runs_done(job, data) : PROA_JOB_NONSENSE;
}

/* Returns PROA_OK if an origin could have sent this accumulate. */
static int fill_elements(const struct proa_wire_op *op, struct proa_elements *run)
{
    int has_origin = op->flags & PROA_WIRE_ORIGIN;
    uint64_t bytes;

    if (op->basic >= PROA_BASIC_COUNT || op->operation >= PROA_OP_COUNT)
        return PROA_JOB_NONSENSE;
    *run = (struct proa_elements){.operation = (enum proa_operation)op->operation,
                                  .basic = (enum proa_basic)op->basic,
                                  .bytes = op->bytes,
                                  .count = op->count};
    run->kernel = proa_kernel_find(run->operation, run->basic);
    if (!run->kernel)
        run->kernel = proa_kernel_of_bytes(run->operation, run->basic);
    if (!run->kernel || op->bytes != proa_basic_bytes(run->basic) || op->count == 0 ||
        __builtin_mul_overflow(op->count, op->bytes, &bytes) || bytes > PROA_NET_MESSAGE_MOST ||
        (!has_origin && op->operation != PROA_OP_NO_OP) ||
        (op->flags & PROA_WIRE_COMPARE && (op->count != 1 || !has_origin)))
        return PROA_JOB_NONSENSE;
    return PROA_OK;
}

static int serve_combine(struct proa_job *job)
{
    const struct proa_wire_op *op = &job->op;
    struct proa_combine combine = {.win = &served_of(job)->view, .rank = 0, .total = op->total};
    uint64_t bytes = op->count * op->bytes, origin = op->flags & PROA_WIRE_ORIGIN ? bytes : 0,
             compare = op->flags & PROA_WIRE_COMPARE ? op->bytes : 0;
    const char *at;
    int error = fill_elements(op, &combine.run);

    if (error)
        return error;
    at = take(job, origin + compare);
    if (!at)
        return PROA_JOB_NONSENSE;
    combine.run.origin = origin ? at : NULL;
    combine.run.compare = compare ? at + bytes : NULL;
    if (op->flags & PROA_WIRE_RESULT && !(combine.run.result = answer_room(job, bytes)))
        return PROA_JOB_NONSENSE;
    error = proa_combine_row(&combine, op->position);
    proa_guard_leave(&combine.guarded);
    return error;
}

/* Returns whether the process of rank `from` notifies us by the word of that number, which may be
 * any number. Each round of the leaders' barrier has one notifier. Neighbours use the other rounds.
 */
static int is_word_of(const struct proa_win *win, int from, uint64_t word)
{
    const struct proa_remote_window *remote_window = win->remote_window;

    if (word < PROA_WORD_ROUND)
        return 1;
    return word >= PROA_WORD_NODE_ROUND &&
           word - PROA_WORD_NODE_ROUND < (uint64_t)remote_window->rounds &&
           remote_window->notifiers[word - PROA_WORD_NODE_ROUND] == from;
}

/* Writes only the words by which this sender notifies us, and no other memory (sync/notify.h).
 * Their values only grow. */
static int serve_notify(struct proa_job *job)
{
    const struct proa_win *win = job->origin->win;
    uint64_t *word;

    if (!is_word_of(win, job->origin->rank, job->op.position))
        return PROA_JOB_NONSENSE;
    word = proa_word_anywhere(win, job->origin->rank, (int)job->op.position);
    if (job->op.count < proa_atomic_load(word, PROA_RELAXED))
        return PROA_JOB_NONSENSE;
    proa_atomic_store(word, job->op.count, PROA_RELEASE); /* partner: proa_notified */
    proa_doorbell_ring(&proa_self->ctl->bell);
    return PROA_OK;
}

/* Marks the failure of an operation. before: number of earlier operations of the batch that fetch.
 */
static void mark_failure(struct proa_job *job, uint32_t before)
{
    if (job->fetches > before)
        job->marks[before / PROA_WIRE_MARKS] |= (uint64_t)1 << before % PROA_WIRE_MARKS;
    else
        job->has_other = 1;
}

/* ---- notification counters ---- */

static int serve_number(struct proa_job *job)
{
    const struct proa_win *win = job->origin->win;
    uint64_t number = proa_counters_near(win, win->rank);
    char *room = answer_room(job, sizeof number);

    if (!room)
        return PROA_JOB_NONSENSE;
    memcpy(room, &number, sizeof number);
    return PROA_OK;
}

/* An origin knows the number of our counters, so another index is malformed. */
static int serve_count(struct proa_job *job)
{
    const struct proa_win *win = job->origin->win;
    const char *at = take(job, sizeof(struct proa_wire_count));
    struct proa_wire_count count;

    if (!at)
        return PROA_JOB_NONSENSE;
    memcpy(&count, at, sizeof count);
    if (count.index >= proa_counters_near(win, win->rank))
        return PROA_JOB_NONSENSE;
    if (!job->is_spoilt)
        proa_counter_up(win, win->rank, count.index);
    job->is_spoilt = 0;
    return PROA_OK;
}

/* ---- all operations ---- */

static enum proa_call call_of(const struct proa_wire_op *op)
{
    if (op->code != PROA_WIRE_COMBINE)
        return op->code == PROA_WIRE_PUT ? PROA_CALL_Put : PROA_CALL_Get;
    if (op->flags & PROA_WIRE_COMPARE)
        return PROA_CALL_Compare_and_swap;
    return op->flags & PROA_WIRE_RESULT ? PROA_CALL_Get_accumulate : PROA_CALL_Accumulate;
}

/* Counts parts like the origin (proa_batch_try_add), so that a trace can match them. */
static void trace_op(const struct proa_job *job, uint64_t begin)
{
    const struct proa_remote_process *origin = job->origin;
    const uint64_t number = ++origin->remote->applied;

    if (proa_remote_is_traced(origin->win))
        proa_trace_put_applied(&(struct proa_trace_applied){.window = origin->win->traced,
                                                            .rank = origin->rank,
                                                            .call = call_of(&job->op),
                                                            .place = job->op.position,
                                                            .bytes = job->op.count * job->op.bytes,
                                                            .number = number,
                                                            .begin = begin});
}

static int serve_op(struct proa_job *job)
{
    static int (*const handlers[])(struct proa_job * job) = {[PROA_WIRE_PUT] = serve_runs,
                                                             [PROA_WIRE_GET] = serve_runs,
                                                             [PROA_WIRE_COMBINE] = serve_combine,
                                                             [PROA_WIRE_NOTIFY] = serve_notify,
                                                             [PROA_WIRE_NUMBER] = serve_number};
    const char *at = take(job, sizeof job->op);
    const uint32_t before = job->fetches;
    const uint64_t begin = proa_atomic_load(&proa_trace_on, PROA_RELAXED) ? proa_trace_ticks() : 0;
    int error;

    if (!at)
        return PROA_JOB_NONSENSE;
    memcpy(&job->op, at, sizeof job->op);
    if (job->op.code >= sizeof handlers / sizeof *handlers || !handlers[job->op.code])
        return PROA_JOB_NONSENSE;
    error = handlers[job->op.code](job);
    if (proa_wire_is_operation(job->op.code))
        trace_op(job, begin);
    if (error < 0)
        mark_failure(job, before);
    return error;
}

int proa_job_step(struct proa_job *job)
{
    int error;

    if ((uint8_t)*job->at == PROA_WIRE_COUNT)
        return serve_count(job);
    error = serve_op(job);
    if (error && job->op.flags & PROA_WIRE_NOTED)
        job->is_spoilt = 1;
    return error;
}

int proa_job_words(struct proa_job *job)
{
    int error = PROA_OK;

    while (!error && job->left >= sizeof job->op && (uint8_t)*job->at == PROA_WIRE_NOTIFY)
        error = proa_job_step(job);
    return error;
}

/* The outcome precedes the fetched data; its text and marks move the data back. */
void proa_job_answer(struct proa_job *job, uint64_t number, const struct proa_first_failure *failed)
{
    struct proa_wire_head head =
        proa_remote_window_head(job->origin->win, PROA_WIRE_ANSWER, number);
    struct proa_wire_outcome outcome = {failed->code, 0};
    char *data = job->answer + ANSWER_HEAD;
    size_t text = 0, marks = 0;

    if (outcome.code) {
        outcome.text_bytes = (uint32_t)strlen(failed->text);
        text = proa_wire_padded(outcome.text_bytes);
        marks = proa_wire_mark_bytes(job->fetches);
        memmove(data + text + marks, data, job->used - ANSWER_HEAD);
        memset(data, 0, text);
        memcpy(data, failed->text, outcome.text_bytes);
        memcpy(data + text, job->marks, marks);
    }
    head.flags = (uint8_t)((job->is_refused ? PROA_WIRE_REFUSED : 0) |
                           (job->has_other ? PROA_WIRE_OTHERS : 0));
    memcpy(job->answer, &head, sizeof head);
    memcpy(job->answer + sizeof head, &outcome, sizeof outcome);
    proa_remote_message(PROA_TRACE_SENT, job->origin->win, job->origin->rank, &head,
                        job->used + text + marks);
    proa_progress_answer(job->origin->peer, job->answer, job->used + text + marks);
}

/* ---- windows ---- */

/* Sets the spans of our own part, by second accessors of their owners. */
static int view_spans(struct proa_served *served, const struct proa_target *real)
{
    struct proa_span *spans;
    int error = PROA_OK;

    if (real->span_count == 0)
        return PROA_OK;
    spans = malloc(real->span_count * sizeof *spans);
    if (!spans)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the service of a window");
    memcpy(spans, real->spans, real->span_count * sizeof *spans);
    for (uint32_t i = 0; i < real->span_count && !error && real->bytes; i++) {
        spans[i].owner = proa_peer_second(spans[i].owner);
        error = spans[i].owner ? PROA_OK : PROA_ERR_NO_MEM;
    }
    if (!error)
        error = proa_spans_set(&served->self, spans, real->span_count);
    free(spans);
    return error;
}

int proa_served_open(struct proa_win *win)
{
    struct proa_served *served = win->remote_window->served = calloc(1, sizeof *served);
    const struct proa_target *real = &win->targets[win->rank];

    if (!served)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the service of a window");
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

void proa_served_close(struct proa_win *win)
{
    struct proa_served *served = win->remote_window->served;

    if (!served)
        return;
    proa_spans_free(&served->self);
    proa_memory_owners_release(&served->view);
    free(served);
    win->remote_window->served = NULL;
}
