/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of operations on targets of other nodes (MPI_Rput and its kin): which of them are done.
 *
 * A thread begins a request before the operation, which then takes the request for its own
 * (proa_request_current). Steps that are outstanding when the operation's call returns are parts of
 * the request (remote/operation_queue.c, remote/batch.c). The progress engine, on the thread that
 * makes progress, ends the last part. Then the request is in the list of done requests, from which
 * a thread that may call MPI takes it.
 */
#ifndef PROA_REMOTE_REQUEST_H
#define PROA_REMOTE_REQUEST_H

#include "remote/window.h"

enum { PROA_REQUEST_WHY_MOST = 120 };

struct proa_request {
    struct proa_win *win;       /* NULL once that has been freed */
    struct proa_remote *remote; /* the target; NULL: none of its parts has begun */
    int rank;
    uint32_t parts; /* that are not done; the call that issues the operation is one itself */
    int code;       /* of the first part that failed, and why */
    char why[PROA_REQUEST_WHY_MOST];
    struct proa_request *prev, *next; /* in the list of open or of done requests */
};

/* ---- for callers that create requests: not inside the progress engine ---- */

/* Begins q, the request of the operation that this thread issues next on that window. */
void proa_request_begin(struct proa_request *q, struct proa_win *win);

/* The operation has been issued: is it done already? If so, no other reference to q is left. */
int proa_request_is_issued(struct proa_request *q);

/* Otherwise: the user can be told of q from now on, and q may become done at any time. */
void proa_request_let_go(struct proa_request *q);

/* Or the operation has failed while it was issued: returns once all parts that have begun are over,
 * and no other reference to q is left. */
void proa_request_await(struct proa_request *q);

/* Takes a request that is done, with no other reference to it left; NULL: there is none. Costs a
 * load if there is none. */
struct proa_request *proa_request_take_done(void);
int proa_request_any_done(void);

/* A thread waits for requests: their batches are no longer held back so as to be sent with more. */
void proa_request_hurry(void);

/* ---- inside the progress engine ---- */

/* The request of the operation that this thread issues on that window; NULL: it has none. */
struct proa_request *proa_request_current(const struct proa_win *win);

void proa_request_part(struct proa_request *q);
/* code: PROA_OK, or an error; why: its text. */
void proa_request_part_done(struct proa_request *q, int code, const char *why);

/* The window is freed. */
void proa_request_forget(const struct proa_win *win);

#endif
