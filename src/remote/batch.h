/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches: operations on a target on another node, aggregated (gathered) into one message, and
 * answered by one (remote/wire.h). Inside the progress engine (progress/progress.h), except the
 * conditions that waiting threads check.
 */
#ifndef PROA_REMOTE_BATCH_H
#define PROA_REMOTE_BATCH_H

#include "base/wait.h"
#include "rma/combine.h"
#include "remote/window.h"

/* Most operations that fetch in one batch; and most bytes of fetched data in its answer, after the
 * head, the outcome, its text and the marks. */
enum {
    PROA_BATCH_FETCHES_MOST = PROA_NET_MESSAGE_MOST / (int)sizeof(struct proa_wire_op),
    PROA_BATCH_MARKS = PROA_BATCH_FETCHES_MOST / PROA_WIRE_MARKS + 1, /* words */
    PROA_BATCH_FETCH_MOST = PROA_NET_MESSAGE_MOST - (int)sizeof(struct proa_wire_head) -
                            (int)sizeof(struct proa_wire_outcome) - 160 -
                            PROA_BATCH_MARKS * (int)sizeof(uint64_t)
};

/* A destination of fetched data; their list has the order in which the data were requested. */
struct proa_wanted {
    struct proa_wanted *prev, *next;
    char *to;
    int64_t stride;
    uint64_t bytes, count;
    uint64_t batch;               /* number of the batch that fetches them (remote/wire.h) */
    enum proa_basic basic;        /* type of the elements; PROA_MIXED for a get */
    struct proa_request *request; /* the request that it is a part of; NULL if none */
};

/* Adds the head of an operation to the batch, and makes room for its data. Does not wait. data:
 * size of the data, bytes. fetched: size of the data that the answer returns, bytes. Returns the
 * room; or NULL with *outcome set: PROA_NET_AGAIN if there is no room now (proa_batch_unblock), or
 * a negative code. */
char *proa_batch_try_add(struct proa_remote *r, const struct proa_wire_op *op, uint64_t data,
                         uint64_t fetched, int *outcome);

/* Adds the order to count up the target's counter. Does not wait. index: index of the counter.
 * Returns PROA_OK, PROA_NET_AGAIN or a negative code. */
int proa_batch_try_count(struct proa_remote *r, uint32_t index);

/* Registers the destination of the data that the operation just added fetches. Returns PROA_OK or
 * PROA_ERR_NO_MEM. */
int proa_batch_want(struct proa_remote *r, const struct proa_wanted *wanted);

/* Called before an operation is issued: notes the permission of the target that it needs. In a
 * lock_all of a window whose rooms have no keeper (remote/group_lock.h), that is the target's lock.
 * In an access epoch whose post has not arrived, the target keeps the operations until it has. */
void proa_batch_want_grant(struct proa_remote *r);
/* Returns whether the post that the aggregated operations need has not arrived. */
int proa_batch_lacks_post(const struct proa_remote *r);
/* For operations that, unlike messages, cannot wait for lock or post at the target. Returns PROA_OK
 * if the target may be accessed; PROA_NET_AGAIN if not yet, and no other batch is sent before; or a
 * negative code. */
int proa_batch_await_grant(struct proa_remote *r);

/* Converts an outcome of the transport's send, put or get to r for the program: the error's text
 * names the rank of a process that the transport has given up. The process's `lost` event, which
 * sets r->lost, follows in a later progress. Returns the outcome. */
int proa_batch_outcome(const struct proa_remote *r, int outcome);

/* Sends the aggregated batch, which may be empty, without waiting. flags: PROA_WIRE_UNLOCK,
 * PROA_WIRE_ANSWERED. Returns PROA_OK, PROA_NET_AGAIN or a code. */
int proa_batch_try_send(struct proa_remote *r, unsigned flags);
/* The same, but if something else has to happen first, waits for that, sends nothing and returns
 * PROA_OK. Callers check again. */
int proa_batch_send(struct proa_remote *r, unsigned flags);

/* Waits until another attempt to send may succeed. */
void proa_batch_unblock(struct proa_remote *r);

/* Marks that the aggregated batch has contents of that kind: PROA_GATHERED_*. */
void proa_batch_mark(struct proa_remote *r, unsigned bit);

/* Waits until the condition holds. Leaves the progress engine for that, and enters it again: state
 * that was read before may have changed. */
void proa_batch_await(struct proa_remote *r, proa_ready *ready);

/* Conditions to wait for. arg: the struct proa_remote. All are also true once its process is gone.
 * In order: the transport's puts and gets are done; the requested answers have arrived; the
 * requested lock is granted, and the post that a batch waits for has arrived; another batch may be
 * sent. */
int proa_batch_has_no_moves(void *arg);
int proa_batch_is_answered(void *arg);
int proa_batch_has_taken_deferred(void *arg);
int proa_batch_may_send(void *arg);

/* Returns the first failure at the target since the last report: PROA_OK or a code. */
int proa_batch_report(struct proa_remote *r);

/* Ends the fetches that wait for data, as the target's process is gone, or the window is freed. */
void proa_batch_lose_wanted(struct proa_remote *r);

/* Handles an answer (remote/wire.h). */
proa_remote_handler proa_batch_answered;

#endif
