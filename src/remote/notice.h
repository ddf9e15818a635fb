/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notified operations on targets of other nodes (sync/counters.h), from the origin's side.
 *
 * The operation is issued as usual, and an order to count follows it to the target: after its
 * messages, in the same batch; or after the transport has put or got all of its bytes. The target
 * counts without an answer. A batch with such an order is sent at once, with a request for an
 * answer; while that is outstanding, further operations are aggregated (Nagle 1984). So one
 * notification arrives soon, and many share messages.
 */
#ifndef PROA_REMOTE_NOTICE_H
#define PROA_REMOTE_NOTICE_H

#include "remote/operation_queue.h"

/* An order to count that waits for parts of its operation. */
struct proa_notice {
    struct proa_queued queued; /* first member: the order in the target's queue, which frees it */
    struct proa_remote *remote;
    struct proa_request *request; /* request of the operation, or NULL */
    uint32_t index;
    /* parts that are not done: operations in the queue, moves of the transport, the call itself */
    uint32_t parts;
    uint8_t has_failed; /* a part has failed: nothing is counted */
};

/* ---- not inside the progress engine: rows of proa_sync_remote ---- */

/* Called before a notified operation, the next one that this thread issues on a target of another
 * node. The target is asked once for the number of its counters. index: index of the counter that
 * the operation counts up. Returns PROA_OK; PROA_ERR_RMA_NOTIFICATION if the target has no such
 * counter; or another code. After an error the operation must not be issued. */
int proa_notice_begin(struct proa_win *win, int rank, int64_t index);

/* Called after the operation. is_issued: 0 if it failed before it was issued; then nothing is
 * counted. Returns PROA_OK or a code. */
int proa_notice_end(struct proa_win *win, int rank, int is_issued);

/* Finds how many counters a process of another node has. number: result. Returns PROA_OK or a code.
 */
int proa_notice_number(struct proa_win *win, int rank, uint32_t *number);

/* ---- inside the progress engine ---- */

/* Returns whether the operation that this thread issues on that window is a notified one. Check
 * mode issues other operations on a window of its own in between. */
int proa_notice_is_due(const struct proa_win *win);

/* Returns the notice of that operation, created at the first call; or NULL if there is no memory,
 * as proa_failure() says. */
struct proa_notice *proa_notice_of(struct proa_remote *r);

/* Called when a further part has begun; and when one is done, or has failed with that code. */
void proa_notice_part(struct proa_notice *notice);
void proa_notice_part_done(struct proa_notice *notice, int code);

#endif
