/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations on a window of Proa's, by their MPI arguments: one body for each, which the plain,
 * the request and the large-count forms share. It tries the plain way (rma/op.h), inline, and takes
 * the general one if that is not possible. All raise errors in the name of `call`, and return an
 * MPI error class. Counts are as the user gave them; negative ones are errors.
 */
#ifndef PROA_BIND_OPERATION_H
#define PROA_BIND_OPERATION_H

#include "bind/bind.h"
#include "bind/form.h"
#include "bind/greq.h"
#include "usage/datatypes.h"
#include "usage/requests.h"
#include "rma/op.h"
#include "sync/completion.h"
#include "window/strict.h"
#include "host/types.h"

/* ---- the general way ---- */

/* In a file of their own (arguments.c), so that the fast path does not pay for them, and the forms
 * share them. Arguments are in the order of the MPI calls, and so stay in their registers. */
int proa_move_slow(const void *origin, int64_t count, MPI_Datatype datatype, int rank,
                   MPI_Aint displacement, int64_t target_count, MPI_Datatype target_datatype,
                   struct proa_win *win, enum proa_call call, enum proa_direction direction);
int proa_accumulate_slow(const void *origin, int64_t count, MPI_Datatype datatype, int rank,
                         MPI_Aint displacement, int64_t target_count, MPI_Datatype target_datatype,
                         MPI_Op op, struct proa_win *win, enum proa_call call);
int proa_get_accumulate_slow(const void *origin, int64_t count, MPI_Datatype datatype, void *result,
                             int64_t result_count, MPI_Datatype result_datatype, int rank,
                             MPI_Aint displacement, int64_t target_count,
                             MPI_Datatype target_datatype, MPI_Op op, struct proa_win *win,
                             enum proa_call call);
int proa_fetch_and_op_slow(struct proa_win *win, const void *origin, void *result,
                           MPI_Datatype datatype, int rank, MPI_Aint displacement, MPI_Op op);
int proa_compare_and_swap_slow(struct proa_win *win, const void *origin, const void *compare,
                               void *result, MPI_Datatype datatype, int rank,
                               MPI_Aint displacement);

/* ---- conditions for the plain way ---- */

static inline int proa_is_in(const struct proa_win *win, int rank)
{
    return (unsigned)rank < (unsigned)win->size;
}

/* Returns whether both sides are alike, and the target is one of the window's. */
static inline int proa_is_alike(const struct proa_win *win, int64_t count, MPI_Datatype datatype,
                                int rank, int64_t target_count, MPI_Datatype target_datatype)
{
    return datatype == target_datatype && count == target_count && proa_is_in(win, rank);
}

/* The plain way for the accumulate family: few elements of one predefined type, or none. MPI_NO_OP
 * only gets, or does nothing. */
static inline int proa_accumulates_plain(struct proa_win *win, const void *origin, void *result,
                                         int64_t count, const struct proa_type *type, int rank,
                                         MPI_Aint displacement, MPI_Op op)
{
    int operation;

    if ((uint64_t)count - 1 >= INT32_MAX)
        return count == 0 && type->dense && proa_operation_find(op) >= 0 && proa_is_open(win, rank);
    operation = proa_operation_find(op);
    return operation >= 0 && (result || operation != PROA_OP_NO_OP) &&
           proa_accumulate_plain(win, origin, result, NULL, (uint64_t)count, type, rank,
                                 displacement, (enum proa_operation)operation);
}

/* ---- watched windows ---- */

/* Called before an operation: reports it to check mode and the trace in the slow form. result:
 * result buffer; NULL for operations without one. gets: 1 if data are written to `origin`. updates:
 * 1 if data are written to the target, or combined there. */
PROA_FORMS void proa_before_operation(const struct proa_win *win, enum proa_call call, int rank,
                                      MPI_Aint displacement, const void *origin, int64_t count,
                                      MPI_Datatype datatype, const void *result,
                                      int64_t result_count, MPI_Datatype result_datatype,
                                      int64_t target_count, MPI_Datatype target_datatype, int gets,
                                      int updates)
{
#ifdef PROA_SLOW
    proa_before(win, call, rank, 0);
    proa_trace_thread.displacement = (uint64_t)displacement;
    if (PROA_RARELY(proa_handle_of(win)->rules) && proa_is_in(win, rank) &&
        !proa_datatypes_hold(origin, count, datatype, result, result_count, result_datatype,
                             target_datatype))
        proa_datatypes_check(win, &(struct proa_operands){
                                      .call = call,
                                      .caller = PROA_CALLER,
                                      .origin = origin,
                                      .result = result,
                                      .count = count,
                                      .result_count = result_count,
                                      .target_count = target_count,
                                      .type = datatype,
                                      .result_type = result_datatype,
                                      .target_type = target_datatype,
                                      .gets = gets,
                                      .updates = updates,
                                  });
#else
    (void)win, (void)call, (void)rank, (void)origin, (void)count, (void)datatype, (void)result;
    (void)displacement;
    (void)result_count, (void)result_datatype, (void)target_count, (void)target_datatype;
    (void)gets, (void)updates;
#endif
}

/* ---- ruled windows ---- */

/* Returns whether this form leaves an operation that did not take the plain way to the next one. */
PROA_FORMS int proa_is_left(void)
{
#ifdef PROA_RULED
    return 1;
#else
    return 0;
#endif
}

/* Returns whether this form may do an operation with this result, which has as many bytes as the
 * operand. */
PROA_FORMS int proa_is_apart(const void *origin, const void *result, uint64_t bytes)
{
    return !proa_is_left() || (uintptr_t)result - (uintptr_t)origin + bytes - 1 > 2 * bytes - 2;
}

/* ---- the operations ---- */

/* Inlined wherever they are called: MPI_Put is this, and nothing else. Arguments are separate: a
 * struct would be stored in memory, even if it is not needed. */
#define PROA_BODY PROA_FORMS int

/* Put and get. A get writes to `origin`. */
PROA_BODY proa_do_move(struct proa_win *win, enum proa_call call, enum proa_direction direction,
                       const void *origin, int64_t count, MPI_Datatype datatype, int rank,
                       MPI_Aint displacement, int64_t target_count, MPI_Datatype target_datatype)
{
    const struct proa_type *type;
    int outcome;

    proa_before_operation(win, call, rank, displacement, origin, count, datatype, NULL, 0, datatype,
                          target_count, target_datatype, direction == PROA_GET,
                          direction == PROA_PUT);
    if (direction == PROA_PUT)
        proa_origin(win, origin, count, datatype);
    else
        proa_result(win, origin, count, datatype);
    if (proa_is_alike(win, count, datatype, rank, target_count, target_datatype) &&
        (type = proa_type_find(datatype),
         proa_move_plain(win, direction, origin, (uint64_t)count, type, rank, displacement))) {
        proa_watch(win, call, rank, PROA_STATS_PLAIN, (uint64_t)count * type->size);
        return proa_checked(win, call, rank, displacement, target_count, target_datatype,
                            MPI_OP_NULL, MPI_SUCCESS);
    }
    if (proa_is_left())
        return PROA_LEFT;
    outcome = proa_watch_slow(win, call, rank, count, datatype,
                              proa_move_slow(origin, count, datatype, rank, displacement,
                                             target_count, target_datatype, win, call, direction));
    return proa_checked(win, call, rank, displacement, target_count, target_datatype, MPI_OP_NULL,
                        outcome);
}

PROA_BODY proa_do_accumulate(struct proa_win *win, enum proa_call call, const void *origin,
                             int64_t count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
                             int64_t target_count, MPI_Datatype target_datatype, MPI_Op op)
{
    const struct proa_type *type;
    int outcome;

    proa_before_operation(win, call, rank, displacement, origin, count, datatype, NULL, 0, datatype,
                          target_count, target_datatype, 0, 1);
    proa_origin(win, origin, count, datatype);
    if (proa_is_alike(win, count, datatype, rank, target_count, target_datatype) &&
        (type = proa_type_find(datatype),
         proa_accumulates_plain(win, origin, NULL, count, type, rank, displacement, op))) {
        proa_watch(win, call, rank, PROA_STATS_PLAIN, (uint64_t)count * type->size);
        return proa_checked(win, call, rank, displacement, target_count, target_datatype, op,
                            MPI_SUCCESS);
    }
    if (proa_is_left())
        return PROA_LEFT;
    outcome = proa_watch_slow(win, call, rank, count, datatype,
                              proa_accumulate_slow(origin, count, datatype, rank, displacement,
                                                   target_count, target_datatype, op, win, call));
    return proa_checked(win, call, rank, displacement, target_count, target_datatype, op, outcome);
}

PROA_BODY proa_do_get_accumulate(struct proa_win *win, enum proa_call call, const void *origin,
                                 int64_t count, MPI_Datatype datatype, void *result,
                                 int64_t result_count, MPI_Datatype result_datatype, int rank,
                                 MPI_Aint displacement, int64_t target_count,
                                 MPI_Datatype target_datatype, MPI_Op op)
{
    const struct proa_type *type;
    int outcome;

    proa_before_operation(win, call, rank, displacement, op == MPI_NO_OP ? NULL : origin, count,
                          datatype, result, result_count, result_datatype, target_count,
                          target_datatype, 0, op != MPI_NO_OP);
    proa_origin(win, origin, op == MPI_NO_OP ? 0 : count, datatype);
    proa_result(win, result, result_count, result_datatype);
    if (proa_is_alike(win, result_count, result_datatype, rank, target_count, target_datatype) &&
        ((count == result_count && datatype == result_datatype) || op == MPI_NO_OP) && result &&
        (type = proa_type_find(result_datatype),
         proa_is_apart(origin, result, (uint64_t)result_count * type->size)) &&
        proa_accumulates_plain(win, origin, result, result_count, type, rank, displacement, op)) {
        proa_watch(win, call, rank, PROA_STATS_PLAIN, (uint64_t)result_count * type->size);
        return proa_checked(win, call, rank, displacement, target_count, target_datatype, op,
                            MPI_SUCCESS);
    }
    if (proa_is_left())
        return PROA_LEFT;
    outcome = proa_watch_slow(
        win, call, rank, target_count, target_datatype,
        proa_get_accumulate_slow(origin, count, datatype, result, result_count, result_datatype,
                                 rank, displacement, target_count, target_datatype, op, win, call));
    return proa_checked(win, call, rank, displacement, target_count, target_datatype, op, outcome);
}

/* ---- request forms (MPI-4.1, 13.3.5) ---- */

/* Each is the plain form of its operation, with these functions around it. On one node an operation
 * is done when its call returns. Its request is one of the host's, of a message to MPI_PROC_NULL,
 * which is complete from the start. So it works in every call that takes requests, mixed with any
 * others. Between nodes: see bind/greq.h. */

/* Request forms are for passive target epochs only (MPI-4.1, 13.3.5), and both hosts serve them in
 * all epochs; notified forms likewise (draft of MPI-5.1, 12.6). use: PROA_LAX_*, of the operations
 * that `which` names. Returns MPI_SUCCESS, or the class that was raised. If no epoch is open, the
 * operation itself reports that. */
static inline int proa_check_passive(struct proa_win *win, enum proa_call call, int rank,
                                     unsigned use, const char *which)
{
    uint8_t epoch;

    if ((unsigned)rank >= (unsigned)win->size)
        return MPI_SUCCESS; /* MPI_PROC_NULL, or an error that is detected later */
    epoch = proa_epoch_towards(win, rank);
    if (epoch == 0 || epoch & PROA_EPOCH_LOCK)
        return MPI_SUCCESS;
    return proa_return(win, call,
                       proa_lax(win, use, PROA_ERR_RMA_SYNC, call,
                                "%s operations are for passive target epochs: target rank %d is "
                                "not locked",
                                which, rank));
}

PROA_BODY proa_give_request(struct proa_win *win, int outcome, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (outcome != MPI_SUCCESS)
        return outcome;
    proa_polled(&win->polls); /* the wait for a complete request may be the program's only call */
#ifdef PROA_SLOW
    if (PROA_RARELY(proa_handle_of(win)->rules))
        return proa_greq_complete_apart(request);
#endif
    return proa_greq_complete(request);
}

/* An operation without a request of its own must be complete, as the program may now change or read
 * its buffers. Operations on this node are complete. */
static __attribute__((noinline, unused)) int proa_give_slow(struct proa_win *win,
                                                            enum proa_call call, int rank,
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
    return is_greq ? outcome : proa_give_request(win, outcome, request);
}

/* Called before and after the operation. begin: returns the request for which it is issued. end:
 * sets the request that the caller gets. */
PROA_FORMS struct proa_greq *proa_requested_begin(struct proa_win *win, enum proa_call call,
                                                  int rank)
{
    return PROA_RARELY(win->remote_window != NULL) ? proa_greq_begin(win, call, rank) : NULL;
}

PROA_BODY proa_requested_end(struct proa_win *win, enum proa_call call, int rank,
                             struct proa_greq *given, int outcome, MPI_Request *request)
{
    outcome = PROA_RARELY(win->remote_window != NULL)
                  ? proa_give_slow(win, call, rank, given, outcome, request)
                  : proa_give_request(win, outcome, request);
#ifdef PROA_SLOW
    if (PROA_RARELY(proa_handle_of(win)->rules) && outcome == MPI_SUCCESS)
        proa_rma_request_given(win, call, PROA_CALLER, *request);
#endif
    return outcome;
}

#endif
