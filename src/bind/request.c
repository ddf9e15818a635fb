/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Rput, Rget, Raccumulate, Rget_accumulate (MPI-4.1, 13.3.5) and their large-count forms.
 *
 * Each is the plain form of its operation (operation.h), and gives a request.
 *
 * On one node an operation is done when its call returns. Its request is one of the host's, of a
 * message to MPI_PROC_NULL, which is complete from the start: so it works in every call that takes
 * requests, mixed with any others. Between nodes: bind/greq.h.
 */
#include "bind/greq.h"
#include "bind/operation.h"
#include "sync/completion.h"
#include "window/strict.h"

/* Request forms are for passive target epochs only (MPI-4.1, 13.3.5), and both hosts serve them in
 * all epochs. MPI_SUCCESS, or the class that was raised. Where no epoch is open the operation
 * itself says so. */
static int check_passive(struct proa_win *win, enum proa_call call, int rank)
{
    uint8_t epoch;

    if ((unsigned)rank >= (unsigned)win->size)
        return MPI_SUCCESS; /* MPI_PROC_NULL, or an error that is found later */
    epoch = proa_epoch_towards(win, rank);
    if (epoch == 0 || epoch & PROA_EPOCH_LOCK)
        return MPI_SUCCESS;
    return proa_return(
        win, call,
        proa_lax(
            win, PROA_LAX_REQUEST, PROA_ERR_RMA_SYNC, call,
            "request-based operations are for passive target epochs: target rank %d is not locked",
            rank));
}

PROA_BODY give_request(struct proa_win *win, int outcome, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (outcome != MPI_SUCCESS)
        return outcome;
    proa_polled(&win->polls); /* the wait for what is complete may be the program's only call */
    return proa_greq_complete(request);
}

/* An operation without a request of its own must be complete, as the program may now change or read
 * its buffers. Operations on this node are complete. */
static __attribute__((noinline)) int give_slow(struct proa_win *win, enum proa_call call, int rank,
                                               struct proa_greq *given, int outcome,
                                               MPI_Request *request)
{
    int is_greq = given != NULL;

    *request = MPI_REQUEST_NULL;
    if (given)
        outcome = proa_greq_end(given, outcome, request);
    else if (outcome == MPI_SUCCESS && rank >= 0)
        outcome = proa_return(win, call, win->sync->complete_ops(win, rank, PROA_COMPLETED_LOCAL));
    proa_watch(win, call, rank, is_greq ? PROA_WATCHED_REQUEST : PROA_WATCHED_NO_WAY, 0);
    return is_greq ? outcome : give_request(win, outcome, request);
}

/* Called around the operation: the request that it is issued for, and the request that the caller
 * gets. */
PROA_FORMS struct proa_greq *request_begin(struct proa_win *win, enum proa_call call, int rank)
{
    return PROA_RARELY(win->remote_window != NULL) ? proa_greq_begin(win, call, rank) : NULL;
}

PROA_BODY request_end(struct proa_win *win, enum proa_call call, int rank, struct proa_greq *given,
                      int outcome, MPI_Request *request)
{
    return PROA_RARELY(win->remote_window != NULL)
               ? give_slow(win, call, rank, given, outcome, request)
               : give_request(win, outcome, request);
}

/* ---- the operations ---- */

PROA_BODY move_requested(struct proa_win *win, enum proa_call call, enum proa_direction direction,
                         const void *origin, int64_t count, MPI_Datatype datatype, int rank,
                         MPI_Aint displacement, int64_t target_count, MPI_Datatype target_datatype,
                         MPI_Request *request)
{
    struct proa_greq *given = request_begin(win, call, rank);
    int outcome = check_passive(win, call, rank);

    if (outcome == MPI_SUCCESS)
        outcome = proa_do_move(win, call, direction, origin, count, datatype, rank, displacement,
                               target_count, target_datatype);
    return request_end(win, call, rank, given, outcome, request);
}

PROA_BODY accumulate_requested(struct proa_win *win, enum proa_call call, const void *origin,
                               int64_t count, MPI_Datatype datatype, int rank,
                               MPI_Aint displacement, int64_t target_count,
                               MPI_Datatype target_datatype, MPI_Op op, MPI_Request *request)
{
    struct proa_greq *given = request_begin(win, call, rank);
    int outcome = check_passive(win, call, rank);

    if (outcome == MPI_SUCCESS)
        outcome = proa_do_accumulate(win, call, origin, count, datatype, rank, displacement,
                                     target_count, target_datatype, op);
    return request_end(win, call, rank, given, outcome, request);
}

PROA_BODY get_accumulate_requested(struct proa_win *win, enum proa_call call, const void *origin,
                                   int64_t count, MPI_Datatype datatype, void *result,
                                   int64_t result_count, MPI_Datatype result_datatype, int rank,
                                   MPI_Aint displacement, int64_t target_count,
                                   MPI_Datatype target_datatype, MPI_Op op, MPI_Request *request)
{
    struct proa_greq *given = request_begin(win, call, rank);
    int outcome = check_passive(win, call, rank);

    if (outcome == MPI_SUCCESS)
        outcome = proa_do_get_accumulate(win, call, origin, count, datatype, result, result_count,
                                         result_datatype, rank, displacement, target_count,
                                         target_datatype, op);
    return request_end(win, call, rank, given, outcome, request);
}

/* ---- the calls, in two widths ---- */

#include "bind/request_calls.h" /* with counts of int */
#if MPI_VERSION >= 4
#define PROA_LARGE
#include "bind/request_calls.h" /* and of MPI_Count */
#endif
