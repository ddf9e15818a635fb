/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Rput, Rget, Raccumulate, Rget_accumulate: included by request.c for each width of counts
 * (bind/width.h). */
#include "bind/width.h"

PROA_ENTRY(PROA_WIDE(Rput))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(PROA_WIDE(Rput), handle, origin, count, datatype, rank, displacement,
                              target_count, target_datatype, handle, request);
    return move_requested(win, PROA_CALL_WIDE(Rput), PROA_PUT, origin, count, datatype, rank,
                          displacement, target_count, target_datatype, request);
}

PROA_ENTRY(PROA_WIDE(Rget))
(void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(PROA_WIDE(Rget), handle, origin, count, datatype, rank, displacement,
                              target_count, target_datatype, handle, request);
    return move_requested(win, PROA_CALL_WIDE(Rget), PROA_GET, origin, count, datatype, rank,
                          displacement, target_count, target_datatype, request);
}

PROA_ENTRY(PROA_WIDE(Raccumulate))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win handle,
 MPI_Request *request)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(PROA_WIDE(Raccumulate), handle, origin, count, datatype, rank,
                              displacement, target_count, target_datatype, op, handle, request);
    return accumulate_requested(win, PROA_CALL_WIDE(Raccumulate), origin, count, datatype, rank,
                                displacement, target_count, target_datatype, op, request);
}

PROA_ENTRY(PROA_WIDE(Rget_accumulate))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, void *result, PROA_COUNT result_count,
 MPI_Datatype result_datatype, int rank, MPI_Aint displacement, PROA_COUNT target_count,
 MPI_Datatype target_datatype, MPI_Op op, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(PROA_WIDE(Rget_accumulate), handle, origin, count, datatype, result,
                              result_count, result_datatype, rank, displacement, target_count,
                              target_datatype, op, handle, request);
    return get_accumulate_requested(win, PROA_CALL_WIDE(Rget_accumulate), origin, count, datatype,
                                    result, result_count, result_datatype, rank, displacement,
                                    target_count, target_datatype, op, request);
}
