/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Endpoints, and the operations that the user begins there.
 *
 * A write that may complete before its bytes are visible (RULE_LATE) is done in two steps. Its
 * bytes are copied, and a read of the same place finds out whether the target allows the access:
 * this is the user's completion. The copy is written some turns later (queue.c).
 */
#include "strict.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utlist.h>

enum { STORM_MOST = 12, STORM_NS = 2 * 1000000 /* the longest */ };

static long now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* ---- checks ---- */

static int is_full(const struct strict_ep *ep, int receives)
{
    const uint64_t most = strict_rule(RULE_QUEUE);

    if (!most || (receives ? ep->in : ep->out) < most)
        return 0;
    if (!ep->domain->is_managed)
        strict_violated(RULE_UNMANAGED, "a queue of %llu operations has no room for another one",
                        (unsigned long long)most);
    return 1;
}

/* Is there no room for the call, or is it refused for no reason? */
static int is_refused(struct strict_ep *ep, int receives)
{
    const uint64_t storm = strict_rule(RULE_STORM);

    if (is_full(ep, receives))
        return 1;
    if (!ep->storm && storm && strict_chance((uint32_t)storm) == 0) {
        ep->storm = 1 + strict_chance(STORM_MOST);
        ep->storm_ends = now_ns() + STORM_NS;
    }
    if (ep->storm && now_ns() > ep->storm_ends)
        ep->storm = 0;
    return ep->storm && ep->storm--;
}

static void check_size(size_t bytes)
{
    if (strict_rule(RULE_MESSAGE) && bytes > strict_rule(RULE_MESSAGE))
        strict_violated(RULE_MESSAGE, "an operation has %zu bytes", bytes);
}

static void check_send(const struct strict_ep *ep, size_t bytes)
{
    check_size(bytes);
    if (ep->domain->send && bytes > ep->domain->send)
        strict_violated(RULE_SEND, "a message has %zu bytes", bytes);
}

static void check_message(const struct fi_msg_rma *message, uint64_t flags)
{
    if (message->iov_count != 1 || message->rma_iov_count != 1)
        strict_violated(RULE_IOV, "an operation has %zu buffers here and %zu there",
                        message->iov_count, message->rma_iov_count);
    if (message->msg_iov->iov_len != message->rma_iov->len)
        strict_violated(RULE_IOV, "an operation has %zu bytes here and %zu there",
                        message->msg_iov->iov_len, message->rma_iov->len);
    if (flags & FI_DELIVERY_COMPLETE && strict_rule(RULE_NO_DELIVERY))
        strict_violated(RULE_NO_DELIVERY, "a write asks for FI_DELIVERY_COMPLETE");
    if (flags & FI_FENCE && strict_rule(RULE_NO_FENCE))
        strict_violated(RULE_NO_FENCE, "an operation asks for FI_FENCE");
    if (flags & FI_INJECT && strict_rule(RULE_NO_INJECT))
        strict_violated(RULE_NO_INJECT, "an operation asks for FI_INJECT");
}

/* ---- beginning ---- */

static ssize_t begin_rma(struct strict_op *op)
{
    char *here = op->kind == KIND_PROBE ? op->scratch : op->buffer;
    struct iovec iov = {here, op->length};
    struct fi_rma_iov there = {op->address, op->length, op->key};
    struct fi_msg_rma message = {.msg_iov = &iov,
                                 .iov_count = 1,
                                 .addr = op->peer,
                                 .rma_iov = &there,
                                 .rma_iov_count = 1,
                                 .context = op};

    return op->kind == KIND_WRITE
               ? fi_writemsg(op->ep->lower, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE)
               : fi_readmsg(op->ep->lower, &message, FI_COMPLETION);
}

ssize_t strict_begin(struct strict_op *op)
{
    if (op->kind == KIND_RECEIVE)
        return fi_recv(op->ep->lower, op->buffer, op->length, NULL, op->peer, op);
    if (op->kind == KIND_SEND)
        return fi_send(op->ep->lower, op->buffer, op->length, NULL, op->peer, op);
    return begin_rma(op);
}

/* Begins it, or undoes it. */
static ssize_t begin(struct strict_op *op)
{
    ssize_t outcome = strict_begin(op);

    if (outcome)
        strict_op_free(op);
    else
        op->is_begun = 1;
    return outcome;
}

static ssize_t message(struct strict_ep *ep, enum strict_kind kind, char *buffer, size_t bytes,
                       void *desc, fi_addr_t peer, void *context)
{
    struct strict_op *op;
    ssize_t outcome = -FI_EAGAIN;

    pthread_mutex_lock(&strict_mutex);
    if (kind == KIND_SEND)
        check_send(ep, bytes);
    if (!is_refused(ep, kind == KIND_RECEIVE)) {
        op = strict_op_new(ep, kind, context);
        op->buffer = buffer;
        op->length = bytes;
        op->peer = peer;
        op->mr = strict_buffer(ep, buffer, bytes, desc, kind == KIND_RECEIVE ? FI_RECV : FI_SEND);
        if (kind == KIND_SEND && ++ep->sends == strict_rule(RULE_FAIL)) {
            op->error = FI_EIO;
            strict_op_tell(op);
            outcome = 0;
        } else {
            outcome = begin(op);
        }
    }
    pthread_mutex_unlock(&strict_mutex);
    return outcome;
}

static ssize_t ep_recv(struct fid_ep *fid, void *buffer, size_t bytes, void *desc, fi_addr_t peer,
                       void *context)
{
    return message((struct strict_ep *)fid, KIND_RECEIVE, buffer, bytes, desc, peer, context);
}

static ssize_t ep_send(struct fid_ep *fid, const void *buffer, size_t bytes, void *desc,
                       fi_addr_t peer, void *context)
{
    return message((struct strict_ep *)fid, KIND_SEND, (char *)(uintptr_t)buffer, bytes, desc, peer,
                   context);
}

/* A library that is older than the rule's version cannot be asked for it. */
static void check_api(const struct strict_domain *domain)
{
    const uint32_t has = fi_version(), wanted = (uint32_t)strict_rule(RULE_DEVICE_API);
    const uint32_t least = FI_VERSION_LT(has, wanted) ? has : wanted;

    if (FI_VERSION_LT(domain->api, least))
        strict_violated(RULE_DEVICE_API, "the interface was asked for as %u.%u",
                        FI_MAJOR(domain->api), FI_MINOR(domain->api));
}

static struct strict_op *rma_op(struct strict_ep *ep, enum strict_kind kind,
                                const struct fi_msg_rma *message)
{
    struct strict_op *op = strict_op_new(ep, kind, message->context);

    check_api(ep->domain);
    op->buffer = message->msg_iov->iov_base;
    op->length = message->msg_iov->iov_len;
    op->peer = message->addr;
    op->address = message->rma_iov->addr;
    op->key = message->rma_iov->key;
    op->mr = strict_buffer(ep, op->buffer, op->length, message->desc ? message->desc[0] : NULL,
                           kind == KIND_READ ? FI_READ : FI_WRITE);
    return op;
}

static ssize_t ep_readmsg(struct fid_ep *fid, const struct fi_msg_rma *message, uint64_t flags)
{
    struct strict_ep *ep = (struct strict_ep *)fid;
    struct strict_op *op;
    ssize_t outcome = -FI_EAGAIN;

    pthread_mutex_lock(&strict_mutex);
    check_message(message, flags);
    check_size(message->msg_iov->iov_len);
    if (!is_refused(ep, 0)) {
        op = rma_op(ep, KIND_READ, message);
        if (flags & FI_FENCE || !strict_rule(RULE_NO_READ_AFTER)) {
            DL_APPEND(ep->late, op); /* begins behind the writes before it */
            outcome = 0;
        } else {
            outcome = begin(op);
        }
    }
    pthread_mutex_unlock(&strict_mutex);
    return outcome;
}

static ssize_t ep_writemsg(struct fid_ep *fid, const struct fi_msg_rma *message, uint64_t flags)
{
    struct strict_ep *ep = (struct strict_ep *)fid;
    const int late = strict_rule(RULE_LATE) && !(flags & FI_DELIVERY_COMPLETE);
    struct strict_op *op;
    ssize_t outcome = -FI_EAGAIN;

    pthread_mutex_lock(&strict_mutex);
    check_message(message, flags);
    check_size(message->msg_iov->iov_len);
    if (!is_refused(ep, 0)) {
        op = rma_op(ep, late ? KIND_PROBE : KIND_WRITE, message);
        if (late) {
            op->copy = malloc(op->length);
            op->scratch = malloc(op->length);
            memcpy(op->copy, op->buffer, op->length);
        }
        outcome = begin(op);
    }
    pthread_mutex_unlock(&strict_mutex);
    return outcome;
}

static struct fi_ops_msg message_ops = {
    .size = sizeof message_ops, .recv = ep_recv, .send = ep_send};
static struct fi_ops_rma rma_ops = {
    .size = sizeof rma_ops, .readmsg = ep_readmsg, .writemsg = ep_writemsg};

/* ---- endpoints ---- */

/* The bytes behind the lower provider's address: a rail, and a pattern that has to come through. */
static size_t write_name(const struct strict_ep *ep, unsigned char *name, size_t used)
{
    const size_t most = strict_rule(RULE_NAME_BYTES);

    if (!most && !strict_rule(RULE_RAILS))
        return used;
    name[used++] = (unsigned char)ep->domain->rail;
    for (; used < most; used++)
        name[used] = (unsigned char)(1 + 37 * used);
    return used;
}

static int ep_getname(fid_t fid, void *address, size_t *bytes)
{
    struct strict_ep *ep = (struct strict_ep *)fid;
    unsigned char name[128];
    size_t used = sizeof name, room = *bytes;
    int outcome = fi_getname(&ep->lower->fid, name, &used);

    if (outcome)
        return outcome;
    *bytes = write_name(ep, name, used);
    memcpy(address, name, room < *bytes ? room : *bytes);
    return room < *bytes ? -FI_ETOOSMALL : 0;
}

static int ep_bind(struct fid *fid, struct fid *to, uint64_t flags)
{
    struct strict_ep *ep = (struct strict_ep *)fid;

    if (to->fclass == FI_CLASS_AV)
        return fi_ep_bind(ep->lower, &((struct strict_av *)to)->lower->fid, flags);
    if (to->fclass != FI_CLASS_CQ)
        return -FI_EINVAL;
    ep->cq = (struct strict_cq *)to;
    ep->cq->ep = ep;
    return fi_ep_bind(ep->lower, &ep->cq->lower->fid, flags);
}

static int ep_control(struct fid *fid, int command, void *argument)
{
    struct strict_ep *ep = (struct strict_ep *)fid;

    (void)argument;
    return command == FI_ENABLE ? fi_enable(ep->lower) : -FI_ENOSYS;
}

/* Operations in flight have no completion any more. */
static void forget_all(struct strict_ep *ep)
{
    struct strict_op *op, *next, *follows;

    DL_FOREACH_SAFE(ep->late, op, next)
        if (op->is_told)
            strict_op_free(op);
    ep->late = NULL;
    HASH_ITER(hh, ep->ops, op, follows)
        strict_op_free(op);
    if (ep->cq) {
        ep->cq->ready = ep->cq->held = NULL;
        ep->cq->ep = NULL;
    }
}

static int ep_close(struct fid *fid)
{
    struct strict_ep *ep = (struct strict_ep *)fid;
    int outcome;

    pthread_mutex_lock(&strict_mutex);
    if (ep->bound && strict_rule(RULE_MR_MODE) & FI_MR_ENDPOINT)
        strict_violated(RULE_MR_MODE, "FI_MR_ENDPOINT: an endpoint is closed before the memory "
                                      "that is bound to it");
    outcome = fi_close(&ep->lower->fid);
    ep->domain->objects--;
    forget_all(ep);
    pthread_mutex_unlock(&strict_mutex);
    free(ep);
    return outcome;
}

/* Limits of a kind of operation, as libfabric 2 has them: in headers of version 1 these options
 * have no names. */
enum { OPTION_MAX_MSG_SIZE = 12 };

static int ep_getopt(fid_t fid, int level, int name, void *value, size_t *bytes)
{
    const struct strict_ep *ep = (const struct strict_ep *)fid;

    if (level != FI_OPT_ENDPOINT || name != OPTION_MAX_MSG_SIZE || !ep->domain->send ||
        *bytes < sizeof ep->domain->send)
        return -FI_ENOPROTOOPT;
    memcpy(value, &ep->domain->send, sizeof ep->domain->send);
    *bytes = sizeof ep->domain->send;
    return 0;
}

static struct fi_ops ep_fid_ops = {
    .size = sizeof ep_fid_ops, .close = ep_close, .bind = ep_bind, .control = ep_control};
static struct fi_ops_cm cm_ops = {.size = sizeof cm_ops, .getname = ep_getname};
static struct fi_ops_ep ep_ops = {.size = sizeof ep_ops, .getopt = ep_getopt};

int strict_ep_open(struct fid_domain *fid, struct fi_info *info, struct fid_ep **result,
                   void *context)
{
    struct strict_domain *domain = (struct strict_domain *)fid;
    struct strict_ep *ep = calloc(1, sizeof *ep);
    int outcome;

    (void)info;
    if (!ep)
        return -FI_ENOMEM;
    outcome = fi_endpoint(domain->lower, domain->lower_info, &ep->lower, NULL);
    if (outcome) {
        free(ep);
        return outcome;
    }
    ep->fid.fid = (struct fid){FI_CLASS_EP, context, &ep_fid_ops};
    ep->fid.ops = &ep_ops;
    ep->fid.cm = &cm_ops;
    ep->fid.msg = &message_ops;
    ep->fid.rma = &rma_ops;
    ep->domain = domain;
    domain->objects++;
    *result = &ep->fid;
    return 0;
}
