/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches: what is gathered for a target on another node, sent in one message, and answered by one
 * (remote/wire.h). Inside the agent (remote/agent.h), but for the looks of those who wait.
 */
#ifndef PROA_REMOTE_BATCH_H
#define PROA_REMOTE_BATCH_H

#include "base/wait.h"
#include "rma/combine.h"
#include "remote/spread.h"

/* What an answer has room for, behind the head, the outcome and its text. */
enum {
    PROA_BATCH_FETCH_MOST = PROA_NET_MESSAGE_MOST - (int)sizeof(struct proa_wire_head) -
                            (int)sizeof(struct proa_wire_outcome) - 192
};

/* Where something fetched goes; in the order in which it was asked for. */
struct proa_wanted {
    struct proa_wanted *prev, *next;
    char *to;
    int64_t stride;
    uint64_t bytes, count;
    enum proa_basic basic;        /* of elements; PROA_MIXED: of a get */
    struct proa_request *request; /* that it is a part of; NULL: of none */
};

/* In the token of a put or get that a request has begun: the rest of it is the request, else the
 * struct proa_remote. */
enum { PROA_BATCH_TOKEN_REQUEST = 1 };

/* An operation's head, with room for `data` bytes behind it, which is returned; `fetched` bytes
 * come back. Waits for nothing. NULL, and *outcome: PROA_NET_AGAIN, there is no room now
 * (proa_batch_unblock), or a negative code. */
char *proa_batch_try_add(struct proa_remote *r, const struct proa_wire_op *op, uint64_t data,
                         uint64_t fetched, int *outcome);

/* What the operation just added fetches goes there. PROA_OK or PROA_ERR_NO_MEM. */
int proa_batch_want(struct proa_remote *r, const struct proa_wanted *wanted);

/* In a lock_all of a window whose rooms nobody keeps (remote/room.h), the target's lock is to be
 * asked for, if it has not been. */
void proa_batch_want_lock(struct proa_remote *r);

/* What is gathered from now on, in an access epoch whose post has not been heard of, is for after
 * it: the target keeps it until then. */
void proa_batch_want_post(struct proa_remote *r);
/* Has that post still not been heard of? */
int proa_batch_lacks_post(const struct proa_remote *r);
/* What cannot wait for it there does so here: PROA_OK, it has been heard of; PROA_NET_AGAIN, and
 * nothing more is sent before. */
int proa_batch_await_post(struct proa_remote *r);

/* An outcome of the transport's send, put or get to r, as the program is told of it: a process that
 * the transport has given up is named by its rank. Its `lost` event, which sets r->lost, comes with
 * a later progress. Returns the outcome. */
int proa_batch_outcome(const struct proa_remote *r, int outcome);

/* Sends what has been gathered, which may be nothing; or waits for what has to come first, and has
 * sent nothing then: callers look again. flags: PROA_WIRE_UNLOCK, PROA_WIRE_ANSWERED. PROA_OK or a
 * code. */
int proa_batch_send(struct proa_remote *r, unsigned flags);

/* The same without waiting: PROA_NET_AGAIN where it cannot be sent now. */
int proa_batch_try_send(struct proa_remote *r, unsigned flags);

/* Waits until another try may do better. */
void proa_batch_unblock(struct proa_remote *r);

/* There is something to be settled at this target. */
void proa_batch_list(struct proa_remote *r);

/* Leaves the agent, waits and comes back: whatever was known before may have changed. */
void proa_batch_await(struct proa_remote *r, proa_ready *ready);

/* What may be waited for; arg: the struct proa_remote. All of these are so too once its process is
 * gone. The transport's puts and gets are done; what an answer was asked for has got it; the lock
 * that was asked for has been granted. */
int proa_batch_has_no_moves(void *arg);
int proa_batch_is_answered(void *arg);
int proa_batch_has_lock(void *arg);
/* The same, and the post that a batch waits for at the target. */
int proa_batch_is_kept_promise(void *arg);
/* Another batch may be sent. */
int proa_batch_may_send(void *arg);

/* What went wrong at the target since this was asked last: PROA_OK or a code. */
int proa_batch_report(struct proa_remote *r);

/* Its process is gone: what is wanted of it will not come. */
void proa_batch_lose_wanted(struct proa_remote *r);

/* What is gathered, and what is wanted, is wanted no more. */
void proa_batch_forget(struct proa_remote *r);

/* ---- events ---- */

void proa_batch_answered(uint32_t peer, const struct proa_wire_head *head, const char *body,
                         size_t bytes);
void proa_batch_moved(uint64_t token, int outcome);

#endif
