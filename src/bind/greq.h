/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests that Proa gives for operations in flight to another node.
 *
 * Each is a generalized request of the host's (MPI-4.1, 13.2), so that the host itself answers all
 * calls that take requests, mixed with any others, in every binding. The progress engine finds out
 * that an operation is complete, but it calls no MPI. So the next thread that waits, tests or asks
 * for another request tells the host (bind/completion.c). While none is open, that costs a load.
 */
#ifndef PROA_BIND_GREQ_H
#define PROA_BIND_GREQ_H

#include "base/atomic.h"
#include "base/hidden.h"
#include "bind/bind.h"
#include "host/private_comm.h"

struct proa_greq;

/* The number of open requests: those whose completion the host has not been told, or whose error
 * the user has not. */
extern PROA_HIDDEN uint32_t proa_greqs;

static inline int proa_greq_any(void)
{
    return proa_atomic_load(&proa_greqs, PROA_RELAXED) != 0;
}

/* The operation that this thread issues next has a request of its own; NULL: it has not, as the
 * target is on this node, or there is no memory: then it has to be complete when the call
 * returns. */
struct proa_greq *proa_greq_begin(struct proa_win *win, enum proa_call call, int rank);

/* It has been issued; outcome: a class. MPI_SUCCESS and *request, or an error and none. */
int proa_greq_end(struct proa_greq *given, int outcome, MPI_Request *request);

/* A request that waits for something else than an operation, and is no affair of the engine's.
 * PROA_OK, *greq and *request; or PROA_ERR_NO_MEM or PROA_ERR_OTHER. */
int proa_greq_open(struct proa_win *win, enum proa_call call, struct proa_greq **greq,
                   MPI_Request *request);

/* It is done: tells the host. code, why: of a failure, less than PROA_REQUEST_WHY_MOST bytes
 * (remote/request.h); or PROA_OK. */
void proa_greq_done(struct proa_greq *greq, int code, const char *why);

/* Requests that wait for something else: look completes those that are done or wait in vain;
 * forget fails those of a window that is about to be freed. Both by threads that may call MPI. */
struct proa_greq_waits {
    void (*look)(void);
    void (*forget)(const struct proa_win *win);
};

/* Their functions are called from now on; the struct is constant. */
void proa_greq_set_waits(const struct proa_greq_waits *waits);

/* The window is about to be freed: requests that wait for something else on it fail. By a thread
 * that may call MPI. */
void proa_greq_close(const struct proa_win *win);

/* The window has been freed: errors of its requests go to MPI_COMM_WORLD's error handler. win is
 * not looked at. */
void proa_greq_forget(const struct proa_win *win);

/* A request that is complete from the start. */
static inline int proa_greq_complete(MPI_Request *request)
{
    /* any type: Open MPI's library for the standard ABI finds this one soonest */
    return proa_pmpi()->Isend(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, proa_private_comm(), request);
}

/* The same with a handle that no other request has while this one is there: the host may give one
 * handle for all that are complete. */
int proa_greq_complete_apart(MPI_Request *request);

/* Tells the host of completed requests. By threads that may call MPI. */
void proa_greq_tell_host(void);

/* ---- errors: of requests that the host has completed, on this thread, since they were forgotten
 * ---- */

/* Is there any? */
int proa_greq_failed(void);
/* The class of the error of that request, as it was before the call; MPI_SUCCESS: it has none. */
int proa_greq_error_of(MPI_Request before);
/* Raises the first error, and forgets all. Returns the return value of a call that completes one
 * request. */
int proa_greq_raise(void);
void proa_greq_forget_errors(void);

#endif
