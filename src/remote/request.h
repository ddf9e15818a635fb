/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of operations on targets of other nodes (such as MPI_Rput), and the list of those that
 * are done.
 *
 * A thread begins a request before the operation, which then uses it (proa_request_current). Steps
 * that are outstanding when the operation's call returns are parts of the request
 * (remote/operation_queue.c, remote/batch.c). The thread that makes progress ends the last part.
 * Then the request is in the list of done requests, from which a thread that may call MPI takes it.
 */
#ifndef PROA_REMOTE_REQUEST_H
#define PROA_REMOTE_REQUEST_H

#include "remote/window.h"

enum { PROA_REQUEST_WHY_MOST = 120 };

struct proa_request {
    struct proa_win *win;       /* NULL once the window has been freed */
    struct proa_remote *remote; /* the target; NULL until a part has begun */
    int rank;
    uint32_t parts; /* parts that are not done; the call that issues the operation is one itself */
    int code;       /* of the first part that failed, with the reason */
    char why[PROA_REQUEST_WHY_MOST];
    struct proa_request *prev, *next; /* in the list of open or of done requests */
};

/* ---- for callers that create requests: not inside the progress engine ---- */

/* Begins q, the request of the next operation that this thread issues on that window. */
void proa_request_begin(struct proa_request *q, struct proa_win *win);

/* Called after the operation was issued. Returns whether it is done already; then no other
 * reference to q is left. */
int proa_request_is_issued(struct proa_request *q);

/* Called if the operation is not done yet, when the user's request may complete: q may become done
 * at any time from now on. */
void proa_request_let_go(struct proa_request *q);

/* Called if the operation failed while it was issued. Returns once all parts that have begun are
 * over, and no other reference to q is left. */
void proa_request_await(struct proa_request *q);

/* Removes a done request from the list, with no other reference to it left. Returns NULL if there
 * is none, which costs one load. */
struct proa_request *proa_request_take_done(void);
int proa_request_any_done(void);

/* Called by a thread that waits for requests: their batches are no longer held back for
 * aggregation. */
void proa_request_hurry(void);

/* ---- inside the progress engine ---- */

/* Returns the request of the operation that this thread issues on that window, or NULL if it has
 * none. */
struct proa_request *proa_request_current(const struct proa_win *win);

void proa_request_part(struct proa_request *q);
/* code: PROA_OK or an error. why: text of the error. */
void proa_request_part_done(struct proa_request *q, int code, const char *why);

/* Called when the window is freed. */
void proa_request_forget(const struct proa_win *win);

#endif
