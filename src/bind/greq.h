/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests that Proa returns for operations in flight to another node.
 *
 * Each is a generalized request of the host (MPI-4.1, 13.2), so that the host itself handles all
 * calls that take requests, mixed with any others, in every binding. The progress engine detects
 * that an operation is complete, but it calls no MPI. So the next thread that waits, tests or asks
 * for another request reports the completion to the host (bind/completion.c). While none is open,
 * that costs a load.
 */
#ifndef PROA_BIND_GREQ_H
#define PROA_BIND_GREQ_H

#include "base/atomic.h"
#include "base/hidden.h"
#include "bind/bind.h"
#include "host/private_comm.h"

struct proa_greq;

/* The number of open requests: those whose completion was not reported to the host yet, or whose
 * error was not reported to the user. */
extern PROA_HIDDEN uint32_t proa_greqs;

static inline int proa_greq_any(void)
{
    return proa_atomic_load(&proa_greqs, PROA_RELAXED) != 0;
}

/* Gives the operation that this thread issues next a request of its own. Returns NULL if it has
 * none, as the target is on this node, or there is no memory: then the operation must be complete
 * when the call returns. */
struct proa_greq *proa_greq_begin(struct proa_win *win, enum proa_call call, int rank);

/* Called after the operation was issued. outcome: a class. request: result. Returns MPI_SUCCESS, or
 * an error without a request. */
int proa_greq_end(struct proa_greq *given, int outcome, MPI_Request *request);

/* Creates a request that waits for something other than an operation, without the engine. greq,
 * request: results. Returns PROA_OK, PROA_ERR_NO_MEM or PROA_ERR_OTHER. */
int proa_greq_open(struct proa_win *win, enum proa_call call, struct proa_greq **greq,
                   MPI_Request *request);

/* Reports to the host that the request is done. code: of a failure; or PROA_OK. why: text of the
 * failure, less than PROA_REQUEST_WHY_MOST bytes (remote/request.h). */
void proa_greq_done(struct proa_greq *greq, int code, const char *why);

/* Requests that wait for something else. look: completes those that are done or can never be.
 * forget: fails those of a window that is about to be freed. For threads that may call MPI. */
struct proa_greq_waits {
    void (*look)(void);
    void (*forget)(const struct proa_win *win);
};

/* Sets the functions to call from now on; the struct is constant. */
void proa_greq_set_waits(const struct proa_greq_waits *waits);

/* Called before the window is freed: its requests that wait for something else fail. For threads
 * that may call MPI. */
void proa_greq_close(const struct proa_win *win);

/* Called when the window has been freed: errors of its requests are raised on MPI_COMM_WORLD's
 * error handler. win is not dereferenced. */
void proa_greq_forget(const struct proa_win *win);

/* Returns a request that is complete from the start. */
static inline int proa_greq_complete(MPI_Request *request)
{
    /* any type: Open MPI's library for the standard ABI finds this one fastest */
    return proa_pmpi()->Isend(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, proa_private_comm(), request);
}

/* The same with a handle that no other request has as long as it exists: the host may give one
 * handle to all complete requests. */
int proa_greq_complete_apart(MPI_Request *request);

/* Reports completed requests to the host. For threads that may call MPI. */
void proa_greq_tell_host(void);

/* ---- errors of requests that the host has completed on this thread, since they were last
 * forgotten ---- */

/* Returns whether there is one. */
int proa_greq_failed(void);
/* Returns the class of the error of a request; MPI_SUCCESS if it has none. before: handle of the
 * request before the call. */
int proa_greq_error_of(MPI_Request before);
/* Raises the first error, and forgets all. Returns the return value of a call that completes one
 * request. */
int proa_greq_raise(void);
void proa_greq_forget_errors(void);

#endif
