/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of operations on targets of other nodes (MPI_Rput and its kin): which of them are done.
 *
 * A request is begun by its thread before the operation, which then takes it for its own
 * (proa_request_current): what it leaves undone when its call returns are parts of the request
 * (remote/issue.c, remote/batch.c). The agent, or whoever moves the network, ends the last part;
 * then the request is in the list of those that are done, from which whoever may call MPI takes it.
 */
#ifndef PROA_REMOTE_REQUEST_H
#define PROA_REMOTE_REQUEST_H

#include "remote/spread.h"

enum { PROA_REQUEST_WHY_MOST = 120 };

struct proa_request {
    struct proa_win *win;       /* NULL once that has been freed */
    struct proa_remote *remote; /* the target; NULL: none of its parts has begun */
    int rank;
    uint32_t parts; /* that are not done; the call that issues the operation is one itself */
    int code;       /* of the first part that failed, and why */
    char why[PROA_REQUEST_WHY_MOST];
    struct proa_request *prev, *next; /* of those under way, or done */
};

/* ---- whoever gives requests: not inside the agent ---- */

/* The operation that this thread issues next, on that window, has this request. */
void proa_request_begin(struct proa_request *q, struct proa_win *win);

/* The operation has been issued: is it done already? Then nobody else knows of q any more. */
int proa_request_is_issued(struct proa_request *q);

/* Else its user can be told of it from now on: it may come to be done at any time. */
void proa_request_let_go(struct proa_request *q);

/* Or it has failed on the way: returns once all that has begun of it is over, and nobody else knows
 * of q. */
void proa_request_await(struct proa_request *q);

/* One that is done, which nobody else knows of any more; NULL: there is none. Costs a load where
 * there is none. */
struct proa_request *proa_request_take_done(void);
int proa_request_any_done(void);

/* Somebody waits for requests: nothing of theirs is held back any longer so as to be sent with
 * more. */
void proa_request_hurry(void);

/* ---- inside the agent ---- */

/* Of the operation that this thread issues; NULL: it has none. */
struct proa_request *proa_request_current(void);

void proa_request_part(struct proa_request *q);
/* code: PROA_OK, or what went wrong, and why. */
void proa_request_part_done(struct proa_request *q, int code, const char *why);

/* The window goes. */
void proa_request_forget(const struct proa_win *win);

#endif
