/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Issues an operation to a target on another node, step by step. A step is the part that fits into
 * one message, or one put or get of the transport.
 *
 * A call without a request makes step after step, and waits if a step cannot be made. A call with a
 * request does not wait. Its operation is kept in the target's queue if steps cannot be made at
 * once, and the thread that makes progress continues the queue. Operations are issued in the order
 * of their calls, so later ones are appended to the queue.
 *
 * Some aggregated (gathered) batches are sent by no call: small operations of a program that
 * computes before it flushes, and posts. The thread that makes progress checks for such batches,
 * and sends those that an earlier check found. So a batch waits for one to two times
 * PROA_FLUSH_TIMER_NS, and for the progress thread if that rests. An operation reads no clock. It
 * wakes the progress thread only from its long sleep, once.
 *
 * Everything here is inside the progress engine.
 */
#ifndef PROA_REMOTE_OPERATION_QUEUE_H
#define PROA_REMOTE_OPERATION_QUEUE_H

#include "rma/road.h"
#include "remote/window.h"

enum { PROA_QUEUE_MORE = 2 }; /* a step is done, and more follow */

struct proa_notice;

struct proa_queued {
    /* Makes the next step. Returns PROA_OK if it was the last; PROA_QUEUE_MORE; PROA_NET_AGAIN if
     * it cannot be made now; or a negative code. */
    int (*step)(struct proa_remote *r, struct proa_queued *issue);
    struct proa_wire_op op; /* the fields that all its messages have in common */
    struct proa_runs runs;  /* at the target, and at the origin */
    const char *from;       /* the origin's bytes; NULL if nothing is sent */
    char *into;             /* destination of fetched values; NULL if nothing is fetched */
    const void *compare;    /* one more element that is sent, or NULL */
    uint64_t done;          /* progress so far, in the step's unit: bytes or runs */
    struct proa_request *request;
    struct proa_notice
        *notice; /* the notified operation that it is a part of (remote/notice.h), or NULL */
    struct proa_queued *prev, *next;
};

/* Issues the operation, for the request of this thread if there is one. The caller may discard
 * `issue` after the return. Returns PROA_OK or a code. */
int proa_queue_operation(struct proa_remote *r, struct proa_queued *issue);

/* Appends an operation to the target's queue, which frees it once it is issued. */
void proa_queue_append(struct proa_remote *r, struct proa_queued *queued);

/* Returns once the target's queue is empty. */
void proa_queue_drain(struct proa_remote *r);

/* Called when requests wait for the aggregated batch: sends it as soon as nothing else is in
 * flight. */
void proa_batch_flush_pending(struct proa_remote *r);

/* Sends the aggregated batch if requests or notifications wait for it, and no answer is
 * outstanding. */
void proa_batch_push(struct proa_remote *r);

/* Continues all queues as far as possible. hurry: 1 to send batches that requests wait for in any
 * case. Returns whether a step is blocked that only another attempt can show to be possible. */
int proa_queues_push(int hurry);

/* Drops the target's queue, as its process is gone or the window is freed. */
void proa_queue_lose(struct proa_remote *r);

/* ---- batches that no call sends ---- */

/* Called when a batch is no longer empty. */
void proa_aggregation_begun(void);

/* Sends aggregated batches that are due; inside. Returns whether a later call has a batch to send.
 */
int proa_aggregation_send_due(void);

#endif
