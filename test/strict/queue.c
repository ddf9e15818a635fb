/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations in flight, and their completions: late, or before others. */
#include "strict.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { AT_ONCE = 16, HELD_TURNS = 12, HELD_OF = 4 };

/* ---- contexts ---- */

static size_t context_bytes(void)
{
    const uint64_t mode = strict_rule(RULE_MODE);

    return mode & FI_CONTEXT2  ? sizeof(struct fi_context2)
           : mode & FI_CONTEXT ? sizeof(struct fi_context)
                               : 0;
}

static uint32_t word_of(const struct strict_op *op, size_t i)
{
    return (uint32_t)((uintptr_t)op->context * 2654435761u + i * 40503u + 1);
}

/* The provider's words in the user's context. */
static void write_context(const struct strict_op *op)
{
    uint32_t *words = op->context;

    for (size_t i = 0; i < context_bytes() / sizeof *words; i++)
        words[i] = word_of(op, i);
}

static void check_context(const struct strict_op *op)
{
    const uint32_t *words = op->context;

    for (size_t i = 0; i < context_bytes() / sizeof *words; i++)
        if (words[i] != word_of(op, i))
            strict_violated(RULE_MODE, "a context has changed while its operation was in flight");
}

/* ---- operations ---- */

struct strict_op *strict_op_new(struct strict_ep *ep, enum strict_kind kind, void *context)
{
    struct strict_op *op = NULL;

    if (context_bytes() && !context)
        strict_violated(RULE_MODE, "an operation has no context");
    HASH_FIND_PTR(ep->ops, &context, op);
    if (op && context_bytes())
        strict_violated(RULE_MODE, "a context is that of another operation in flight");
    op = calloc(1, sizeof *op);
    if (!op)
        return NULL;
    op->context = context;
    op->ep = ep;
    op->kind = kind;
    op->sequence = ++ep->sequence;
    HASH_ADD_PTR(ep->ops, context, op);
    write_context(op);
    if (kind == KIND_RECEIVE)
        ep->in++;
    else
        ep->out++;
    if (strict_rule(RULE_CQ_ROOM) && ep->cq->in_flight >= ep->cq->room)
        strict_violated(RULE_CQ_ROOM, "a queue of %zu completions has more operations in flight",
                        ep->cq->room);
    ep->cq->in_flight++;
    return op;
}

/* The user may have its context and buffer again. */
static void let_go(struct strict_op *op)
{
    if (!op->ep || op->is_told)
        return;
    op->is_told = 1;
    HASH_DEL(op->ep->ops, op);
    if (op->mr)
        op->mr->users--;
    if (op->kind == KIND_RECEIVE)
        op->ep->in--;
    else
        op->ep->out--;
    op->ep->cq->in_flight--;
}

void strict_op_free(struct strict_op *op)
{
    let_go(op);
    free(op->copy);
    free(op->scratch);
    free(op);
}

void strict_op_tell(struct strict_op *op)
{
    struct strict_cq *cq = op->ep->cq;

    DL_APPEND(cq->ready, op);
}

/* ---- late writes ---- */

/* The bytes of a write lie at the target only from now on. Its copy is begun by `begin_late`. */
static void make_late(struct strict_op *probe)
{
    struct strict_op *late = calloc(1, sizeof *late);

    if (!late)
        abort();
    late->ep = probe->ep;
    late->is_told = 1;
    late->kind = KIND_WRITE;
    late->buffer = late->copy = probe->copy;
    late->length = probe->length;
    late->peer = probe->peer;
    late->address = probe->address;
    late->key = probe->key;
    late->due = strict_chance(64);
    probe->copy = NULL;
    DL_APPEND(probe->ep->late, late);
}

static int waits_for_writes(const struct strict_op *op)
{
    const struct strict_op *one;

    for (one = op->ep->ops; one; one = one->hh.next)
        if (one->kind == KIND_PROBE && one->peer == op->peer && one->sequence < op->sequence)
            return 1;

    DL_FOREACH(op->ep->late, one) {
        if (one == op)
            return 0;
        if (one->peer == op->peer && one->kind == KIND_WRITE)
            return 1;
    }
    return 0;
}

static void begin_late(struct strict_ep *ep)
{
    struct strict_op *op, *next;

    DL_FOREACH_SAFE(ep->late, op, next) {
        if (op->is_begun || (op->due && op->due--))
            continue;
        if (op->kind == KIND_READ && waits_for_writes(op))
            continue;
        if (strict_begin(op) != 0)
            continue;
        op->is_begun = 1;
        if (op->kind == KIND_READ)
            DL_DELETE(ep->late, op);
    }
}

/* ---- completions of the lower provider ---- */

static void complete(struct strict_op *op, size_t bytes, int error)
{
    if (op->kind == KIND_WRITE && op->is_told) { /* a late one */
        if (!op->ep->is_closed)
            DL_DELETE(op->ep->late, op);
        strict_op_free(op);
        return;
    }
    op->bytes = bytes;
    op->error = error;
    if (op->kind == KIND_PROBE && !error)
        make_late(op);
    if (op->kind == KIND_RECEIVE && !error && strict_rule(RULE_NO_ORDER) &&
        strict_chance(HELD_OF) == 0) {
        op->due = 1 + strict_chance(HELD_TURNS);
        DL_APPEND(op->ep->cq->held, op);
        return;
    }
    strict_op_tell(op);
}

static void hand_held(struct strict_cq *cq)
{
    struct strict_op *op, *next;

    DL_FOREACH_SAFE(cq->held, op, next)
        if (--op->due == 0) {
            DL_DELETE(cq->held, op);
            strict_op_tell(op);
        }
}

/* The endpoint that uses a queue: one, as its user has it. */
static struct strict_ep *ep_of(const struct strict_cq *cq)
{
    return cq->ep;
}

static ssize_t progress(struct strict_cq *cq)
{
    struct fi_cq_msg_entry entries[AT_ONCE];
    struct fi_cq_err_entry failed = {0};
    ssize_t count = fi_cq_read(cq->lower, entries, AT_ONCE);

    for (ssize_t i = 0; i < count; i++)
        complete(entries[i].op_context, entries[i].len, 0);
    if (count == -FI_EAVAIL && fi_cq_readerr(cq->lower, &failed, 0) == 1 && failed.op_context)
        complete(failed.op_context, 0, failed.err ? failed.err : FI_EIO);
    hand_held(cq);
    if (ep_of(cq))
        begin_late(ep_of(cq));
    return count < 0 && count != -FI_EAGAIN && count != -FI_EAVAIL ? count : 0;
}

/* ---- the queue ---- */

static ssize_t cq_read(struct fid_cq *fid, void *buffer, size_t room)
{
    struct strict_cq *cq = (struct strict_cq *)fid;
    struct fi_cq_msg_entry *entries = buffer;
    struct strict_op *op;
    size_t count = 0;
    ssize_t outcome;

    pthread_mutex_lock(&strict_mutex);
    outcome = progress(cq);
    while (outcome == 0 && count < room && (op = cq->ready) && !op->error) {
        DL_DELETE(cq->ready, op);
        check_context(op);
        entries[count++] =
            (struct fi_cq_msg_entry){.op_context = op->context,
                                     .flags = op->kind == KIND_RECEIVE ? FI_RECV : FI_SEND,
                                     .len = op->bytes};
        strict_op_free(op);
    }
    if (outcome == 0)
        outcome = count ? (ssize_t)count : cq->ready ? -FI_EAVAIL : -FI_EAGAIN;
    pthread_mutex_unlock(&strict_mutex);
    return outcome;
}

static ssize_t cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *entry, uint64_t flags)
{
    struct strict_cq *cq = (struct strict_cq *)fid;
    struct strict_op *op;
    ssize_t outcome = -FI_EAGAIN;

    (void)flags;
    pthread_mutex_lock(&strict_mutex);
    op = cq->ready;
    if (op && op->error) {
        DL_DELETE(cq->ready, op);
        check_context(op);
        *entry = (struct fi_cq_err_entry){.op_context = op->context, .err = op->error};
        strict_op_free(op);
        outcome = 1;
    }
    pthread_mutex_unlock(&strict_mutex);
    return outcome;
}

int strict_cq_is_idle(const struct strict_cq *cq)
{
    const struct strict_ep *ep = ep_of(cq);

    return !cq->ready && !cq->held && !(ep && ep->late);
}

static int cq_control(struct fid *fid, int command, void *argument)
{
    struct strict_cq *cq = (struct strict_cq *)fid;

    if (command == FI_GETWAIT && strict_rule(RULE_NO_WAIT))
        return -FI_ENOSYS;
    return fi_control(&cq->lower->fid, command, argument);
}

static int cq_close(struct fid *fid)
{
    struct strict_cq *cq = (struct strict_cq *)fid;
    int outcome = fi_close(&cq->lower->fid);

    cq->domain->objects--;
    free(cq);
    return outcome;
}

static struct fi_ops cq_fid_ops = {
    .size = sizeof cq_fid_ops, .close = cq_close, .control = cq_control};
static struct fi_ops_cq cq_ops = {.size = sizeof cq_ops, .read = cq_read, .readerr = cq_readerr};

int strict_cq_open(struct fid_domain *fid, struct fi_cq_attr *attr, struct fid_cq **result,
                   void *context)
{
    struct strict_domain *domain = (struct strict_domain *)fid;
    struct strict_cq *cq;
    int outcome;

    if (strict_rule(RULE_NO_WAIT) && attr->wait_obj != FI_WAIT_NONE)
        return -FI_ENOSYS;
    if (attr->format != FI_CQ_FORMAT_MSG)
        return -FI_ENOSYS;
    cq = calloc(1, sizeof *cq);
    if (!cq)
        return -FI_ENOMEM;
    outcome = fi_cq_open(domain->lower, attr, &cq->lower, NULL);
    if (outcome) {
        free(cq);
        return outcome;
    }
    cq->fid.fid = (struct fid){FI_CLASS_CQ, context, &cq_fid_ops};
    cq->fid.ops = &cq_ops;
    cq->domain = domain;
    domain->objects++;
    cq->room = attr->size;
    *result = &cq->fid;
    return 0;
}
