/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests of operations that the program has not completed yet (MPI-4.1, 13.3.5). In check mode
 * each has a handle of its own (bind/greq.h), so a handle names one operation. Without check mode
 * no call comes here but proa_rma_requests_on.
 */
#ifndef PROA_USAGE_REQUESTS_H
#define PROA_USAGE_REQUESTS_H

#include "base/calls.h"
#include "base/hidden.h"
#include "window/win.h"

#include <mpi.h>

/* More requests at a time are not followed. */
enum { PROA_RMA_REQUESTS_MOST = 65536 };

/* Are requests followed? Set before the program's first call that gives one. */
extern PROA_HIDDEN int proa_rma_requests_on;

/* A call with this return address has given a request for an operation on the window. */
void proa_rma_request_given(const struct proa_win *win, enum proa_call call, const void *caller,
                            MPI_Request request);

/* The requests of a call that may complete them, as they were before it. */
struct proa_rma_requests {
    MPI_Request few[8];
    MPI_Request *before; /* NULL: none is looked for */
    int count;
};
void proa_rma_requests_before(struct proa_rma_requests *these, const MPI_Request *requests,
                              int count);

/* After it, with the same array: null handles stand for those that are complete. */
void proa_rma_requests_after(struct proa_rma_requests *these, const MPI_Request *requests);

/* A call by this name, which no request of an operation may be given to, gets one; frees: the
 * handle is gone after it. Other requests are none of this. */
void proa_rma_request_misused(MPI_Request request, const char *call, int frees, const void *caller);

/* MPI ends: tells of requests that are left. */
void proa_rma_requests_tell_leaks(void);

#endif
