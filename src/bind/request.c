/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Rput, Rget, Raccumulate, Rget_accumulate (MPI-4.1, 13.3.5) and their large-count forms. */
#include "bind/operation.h"

/* ---- the operations ---- */

PROA_BODY move_requested(struct proa_win *win, enum proa_call call, enum proa_direction direction,
                         const void *origin, int64_t count, MPI_Datatype datatype, int rank,
                         MPI_Aint displacement, int64_t target_count, MPI_Datatype target_datatype,
                         MPI_Request *request)
{
    struct proa_greq *given = proa_requested_begin(win, call, rank);
    int outcome = proa_check_passive(win, call, rank, PROA_LAX_REQUEST, "request-based");

    if (outcome == MPI_SUCCESS)
        outcome = proa_do_move(win, call, direction, origin, count, datatype, rank, displacement,
                               target_count, target_datatype);
    return proa_requested_end(win, call, rank, given, outcome, request);
}

PROA_BODY accumulate_requested(struct proa_win *win, enum proa_call call, const void *origin,
                               int64_t count, MPI_Datatype datatype, int rank,
                               MPI_Aint displacement, int64_t target_count,
                               MPI_Datatype target_datatype, MPI_Op op, MPI_Request *request)
{
    struct proa_greq *given = proa_requested_begin(win, call, rank);
    int outcome = proa_check_passive(win, call, rank, PROA_LAX_REQUEST, "request-based");

    if (outcome == MPI_SUCCESS)
        outcome = proa_do_accumulate(win, call, origin, count, datatype, rank, displacement,
                                     target_count, target_datatype, op);
    return proa_requested_end(win, call, rank, given, outcome, request);
}

PROA_BODY get_accumulate_requested(struct proa_win *win, enum proa_call call, const void *origin,
                                   int64_t count, MPI_Datatype datatype, void *result,
                                   int64_t result_count, MPI_Datatype result_datatype, int rank,
                                   MPI_Aint displacement, int64_t target_count,
                                   MPI_Datatype target_datatype, MPI_Op op, MPI_Request *request)
{
    struct proa_greq *given = proa_requested_begin(win, call, rank);
    int outcome = proa_check_passive(win, call, rank, PROA_LAX_REQUEST, "request-based");

    if (outcome == MPI_SUCCESS)
        outcome = proa_do_get_accumulate(win, call, origin, count, datatype, result, result_count,
                                         result_datatype, rank, displacement, target_count,
                                         target_datatype, op);
    return proa_requested_end(win, call, rank, given, outcome, request);
}

/* ---- the calls, in two widths ---- */

#include "bind/request_calls.h" /* with counts of int */
#if MPI_VERSION >= 4
#define PROA_LARGE
#include "bind/request_calls.h" /* with counts of MPI_Count */
#endif
