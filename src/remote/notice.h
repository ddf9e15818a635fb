/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notified operations on targets of other nodes (sync/counters.h), from the origin's side.
 *
 * The operation goes its usual way, and an order to count follows it to the target: behind its
 * messages, in the same batch, or once the transport has put or got all of its bytes. The target
 * counts without an answer. A batch with such an order is sent at once, with a request for an
 * answer; while that is outstanding, further operations are aggregated (Nagle 1984). So one
 * notification arrives soon, and many share messages.
 */
#ifndef PROA_REMOTE_NOTICE_H
#define PROA_REMOTE_NOTICE_H

#include "remote/operation_queue.h"

/* An order to count that waits for parts of its operation. */
struct proa_notice {
    struct proa_queued queued; /* first: the order's place in the target's queue, which frees it */
    struct proa_remote *remote;
    struct proa_request *request; /* of the operation, or NULL */
    uint32_t index;
    /* that are not done: operations in the queue, moves of the transport, the call itself */
    uint32_t parts;
    uint8_t has_failed; /* one of them: nothing is counted */
};

/* ---- not inside the progress engine: rows of proa_sync_remote ---- */

/* The operation that this thread issues next is a notified one, and counts up that counter of a
 * target on another node. PROA_OK; PROA_ERR_RMA_NOTIFICATION, the target has no such counter, or
 * another code: then the operation must not be issued. The target is asked once for the number of
 * its counters. */
int proa_notice_begin(struct proa_win *win, int rank, int64_t index);

/* The operation has been issued, or, for is_issued 0, has failed before: then nothing is counted.
 * PROA_OK or a code. */
int proa_notice_end(struct proa_win *win, int rank, int is_issued);

/* *number: of the counters of a process of another node. PROA_OK or a code. */
int proa_notice_number(struct proa_win *win, int rank, uint32_t *number);

/* ---- inside ---- */

/* Is the operation that this thread issues on that window a notified one? Check mode issues some on
 * a window of its own in between. */
int proa_notice_is_due(const struct proa_win *win);

/* Its notice, made at the first call; NULL: no memory, and proa_failure() says so. */
struct proa_notice *proa_notice_of(struct proa_remote *r);

/* A further part has begun; one is done, or has failed with that code. */
void proa_notice_part(struct proa_notice *notice);
void proa_notice_part_done(struct proa_notice *notice, int code);

#endif
