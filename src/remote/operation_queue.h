/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Issues an operation to a target on another node, step by step. A step is the part that fits into
 * one message, or one put or get of the transport.
 *
 * A call without a request makes step after step, and waits where a step cannot be made. A call
 * with a request does not wait. Its operation is kept in the target's queue if steps cannot be made
 * at once, and the thread that makes progress continues the queue. Operations are issued in the
 * order of their calls, so later ones stand behind the queue.
 *
 * Aggregated (gathered) batches that no call sends: small operations of a program that computes
 * before it flushes, and posts. The thread that makes progress looks for such batches, and sends
 * those that were there at an earlier look. So a batch waits for one to two times
 * PROA_FLUSH_TIMER_NS, and for the progress thread where that rests. An operation reads no clock.
 * It wakes the progress thread only out of its long sleep, once.
 *
 * Everything here is inside the progress engine.
 */
#ifndef PROA_REMOTE_OPERATION_QUEUE_H
#define PROA_REMOTE_OPERATION_QUEUE_H

#include "rma/road.h"
#include "remote/window.h"

enum { PROA_QUEUE_MORE = 2 }; /* a step is done, and there are more */

struct proa_notice;

struct proa_queued {
    /* Makes the next step: PROA_OK, it was the last; PROA_QUEUE_MORE; PROA_NET_AGAIN, it cannot be
     * made now; or a negative code. */
    int (*step)(struct proa_remote *r, struct proa_queued *issue);
    struct proa_wire_op op; /* the part that all its messages have in common */
    struct proa_runs runs;  /* at the target, and at the origin */
    const char *from;       /* the origin's bytes; NULL: nothing is sent */
    char *into;             /* fetched values go there; NULL: nothing is fetched */
    const void *compare;    /* one element more that is sent, or NULL */
    uint64_t done;          /* bytes or runs so far, as the step counts */
    struct proa_request *request;
    struct proa_notice
        *notice; /* it is a part of a notified operation (remote/notice.h), or NULL */
    struct proa_queued *prev, *next;
};

/* Issues the operation, for the request of this thread if there is one. The caller may discard
 * `issue` after the return. PROA_OK or a code. */
int proa_queue_operation(struct proa_remote *r, struct proa_queued *issue);

/* Puts it behind the target's queue, which frees it when it is issued. */
void proa_queue_append(struct proa_remote *r, struct proa_queued *queued);

/* Returns once the target's queue is empty. */
void proa_queue_drain(struct proa_remote *r);

/* Requests wait for the aggregated batch: it is sent as soon as nothing else is in flight. */
void proa_batch_flush_pending(struct proa_remote *r);

/* Sends the aggregated batch if requests or notifications wait for it, and no answer is
 * outstanding. */
void proa_batch_push(struct proa_remote *r);

/* Continues all queues as far as possible. hurry: sends batches that requests wait for in any case.
 * Returns whether only another attempt can show that a blocked step is possible. */
int proa_queues_push(int hurry);

/* The target's process is gone, or the window is freed: its queue will not be issued. */
void proa_queue_lose(struct proa_remote *r);

/* ---- batches that no call sends ---- */

/* A batch is no longer empty. */
void proa_aggregation_begun(void);

/* Sends aggregated batches that are due; inside. Returns whether a later look has to send one. */
int proa_aggregation_send_due(void);

#endif
