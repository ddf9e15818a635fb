/* SPDX-License-Identifier: BSD-3-Clause */
/* See operation_queue.h. */
#include "remote/operation_queue.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/settings.h"
#include "base/system.h"
#include "progress/progress.h"
#include "remote/batch.h"
#include "remote/notice.h"
#include "remote/request.h"

#include <stdlib.h>
#include <utlist.h>

void proa_batch_flush_pending(struct proa_remote *r)
{
    proa_batch_mark(r, PROA_GATHERED_PRESSED);
    proa_remote_enlist(r, PROA_REMOTE_PUSHED);
}

/* ---- the queue of one ---- */

static void issue_end(struct proa_remote *r, struct proa_queued *i, int code)
{
    DL_DELETE(r->flight.issues, i);
    if (i->request)
        proa_request_part_done(i->request, code, proa_failure());
    else
        proa_failure_keep(&r->flight.failed, code, proa_failure());
    if (i->notice)
        proa_notice_part_done(i->notice, code);
    free(i);
}

static int steps(struct proa_remote *r, struct proa_queued *i)
{
    int outcome;

    while ((outcome = i->step(r, i)) == PROA_QUEUE_MORE)
        ;
    return outcome;
}

/* Returns whether a step is blocked only by lack of room in the network. */
static int queue_push(struct proa_remote *r)
{
    while (r->flight.issues) {
        int outcome = steps(r, r->flight.issues);

        if (outcome == PROA_NET_AGAIN)
            return proa_batch_may_send(r);
        issue_end(r, r->flight.issues, outcome);
    }
    return 0;
}

/* A batch that a request waits for is not held back for more operations. But while an answer is
 * outstanding, the operations after it are aggregated (Nagle 1984). */
static int batch_push(struct proa_remote *r, int hurry)
{
    if (!(r->batch.has & PROA_GATHERED_PRESSED) || (!hurry && !proa_batch_is_answered(r)))
        return 0;
    return proa_batch_try_send(r, 0) == PROA_NET_AGAIN && proa_batch_may_send(r);
}

void proa_batch_push(struct proa_remote *r)
{
    batch_push(r, 0);
}

int proa_queues_push(int hurry)
{
    struct proa_remote *r, *next;
    int stuck = 0;

    DL_FOREACH_SAFE2(proa_remotes[PROA_REMOTE_PUSHED], r, next, in[PROA_REMOTE_PUSHED].next) {
        stuck |= queue_push(r);
        stuck |= batch_push(r, hurry);
        if (!r->flight.issues && !(r->batch.has & PROA_GATHERED_PRESSED))
            proa_remote_delist(r, PROA_REMOTE_PUSHED);
    }
    return stuck;
}

void proa_queue_drain(struct proa_remote *r)
{
    while (r->flight.issues) {
        queue_push(r);
        if (r->flight.issues)
            proa_batch_unblock(r);
    }
}

void proa_queue_lose(struct proa_remote *r)
{
    while (r->flight.issues) {
        proa_fail(PROA_ERR_OTHER, "the process of rank %d is gone", r->process->rank);
        issue_end(r, r->flight.issues, PROA_ERR_OTHER);
    }
    proa_atomic_store(&r->batch.has, 0, PROA_RELAXED);
    proa_remote_delist(r, PROA_REMOTE_PUSHED);
}

/* ---- issuing ---- */

void proa_queue_append(struct proa_remote *r, struct proa_queued *queued)
{
    DL_APPEND(r->flight.issues, queued);
    proa_remote_enlist(r, PROA_REMOTE_USED);
    proa_remote_enlist(r, PROA_REMOTE_PUSHED);
}

static int now(struct proa_remote *r, struct proa_queued *i)
{
    int outcome;

    proa_queue_drain(r);
    while ((outcome = steps(r, i)) == PROA_NET_AGAIN)
        proa_batch_unblock(r);
    return outcome;
}

static int later(struct proa_remote *r, const struct proa_queued *i)
{
    struct proa_queued *kept = malloc(sizeof *kept);

    if (!kept)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a queued operation");
    *kept = *i;
    proa_request_part(kept->request);
    if (kept->notice)
        proa_notice_part(kept->notice);
    proa_queue_append(r, kept);
    return PROA_OK;
}

int proa_queue_operation(struct proa_remote *r, struct proa_queued *i)
{
    int outcome = PROA_NET_AGAIN;

    i->request = proa_request_current(r->process->win);
    if (!i->request)
        return now(r, i);
    if (proa_remote_is_lost(r)) /* its loss ended all requests, and would not end this one */
        return proa_batch_report(r);
    i->request->remote = r;
    i->request->rank = r->process->rank;
    if (!r->flight.issues)
        outcome = steps(r, i);
    if (outcome == PROA_NET_AGAIN)
        return later(r, i);
    batch_push(r,
               0); /* if the batch cannot be sent now, the thread that makes progress tries again */
    return outcome;
}

/* ---- batches that no call sends ---- */

static int gathered; /* a batch has begun since the last check, which found none */
static long looked_ns;

void proa_aggregation_begun(void)
{
    gathered = 1;
    proa_progress_disturb();
}

/* Returns whether a check may send the batch. If its lock has still to be requested, the batch
 * waits for the unlock: lock and unlock are one message then, and others get the lock meanwhile.
 * Before the target has posted, it could not execute the batch; the complete would be another
 * message, and would have to wait. But a process may wait for a post of ours in the batch. */
static int may_go(const struct proa_remote *r)
{
    return r->batch.used && !proa_remote_is_lost(r) &&
           (r->batch.has & PROA_GATHERED_POSTS ||
            (r->batch.has & PROA_GATHERED_WORK && !proa_remote_wants_lock(r) &&
             !proa_batch_lacks_post(r)));
}

/* Sends the batch if the last check found it. Returns whether the next check has a batch to send.
 * The call that completes the operations reports an error. */
static int look_at(struct proa_remote *r)
{
    int outcome;

    if (!may_go(r))
        return 0;
    if (!(r->batch.has & PROA_GATHERED_SEEN)) {
        proa_batch_mark(r, PROA_GATHERED_SEEN);
        return 1;
    }
    outcome = proa_batch_try_send(r, 0);
    if (outcome < 0)
        proa_failure_keep(&r->flight.failed, outcome, proa_failure());
    return outcome == PROA_NET_AGAIN;
}

int proa_aggregation_send_due(void)
{
    const struct proa_remote_window *s;
    struct proa_remote *r, *next;
    long now_ns;

    if (!gathered || !proa_settings()->gather_ns)
        return 0;
    now_ns = proa_system->now_ns();
    if (now_ns - looked_ns < proa_settings()->gather_ns)
        return 1;
    looked_ns = now_ns;
    gathered = 0;
    DL_FOREACH(proa_remote_windows, s)
        DL_FOREACH_SAFE2(s->win->remotes, r, next, in[PROA_REMOTE_USED].next)
            gathered |= look_at(r);
    return gathered;
}
