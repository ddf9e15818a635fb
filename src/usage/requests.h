/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pending requests of operations (MPI-4.1, 13.3.5). In check mode each request has a handle of its
 * own (bind/greq.h), so a handle identifies one operation. Without check mode only
 * proa_rma_requests_on is used.
 */
#ifndef PROA_USAGE_REQUESTS_H
#define PROA_USAGE_REQUESTS_H

#include "base/calls.h"
#include "base/hidden.h"
#include "window/win.h"

#include <mpi.h>

/* Requests beyond this number at a time are not tracked. */
enum { PROA_RMA_REQUESTS_MOST = 65536 };

/* True if requests are tracked. Set before the program's first call that returns a request. */
extern PROA_HIDDEN int proa_rma_requests_on;

/* A call returned a request for an operation on the window. caller: return address of the call. */
void proa_rma_request_given(const struct proa_win *win, enum proa_call call, const void *caller,
                            MPI_Request request);

/* The requests of a call that may complete them, as they were before the call. */
struct proa_rma_requests {
    MPI_Request few[8];
    MPI_Request *before; /* NULL if no request is tracked */
    int count;
};
void proa_rma_requests_before(struct proa_rma_requests *these, const MPI_Request *requests,
                              int count);

/* Called after the call, with the same array. Requests that became null handles are complete. */
void proa_rma_requests_after(struct proa_rma_requests *these, const MPI_Request *requests);

/* A call received a request that must not be passed to it. call: name of the call. frees: true if
 * the call frees the handle. Requests of other calls are ignored. */
void proa_rma_request_misused(MPI_Request request, const char *call, int frees, const void *caller);

/* Called when MPI ends: reports requests that are left. */
void proa_rma_requests_tell_leaks(void);

#endif
