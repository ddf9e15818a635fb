/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Put, Get, Accumulate, Get_accumulate: included by operations.c for each width of counts
 * (bind/width.h). */
#include "bind/width.h"

PROA_ENTRY(PROA_WIDE(Put))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);
    int outcome = PROA_RARELY(!win)
                      ? PROA_LEFT
                      : proa_do_move(win, PROA_CALL_WIDE(Put), PROA_PUT, origin, count, datatype,
                                     rank, displacement, target_count, target_datatype);

    return PROA_RARELY(outcome == PROA_LEFT)
               ? PROA_NEXT_FORM(PROA_WIDE(Put), handle, origin, count, datatype, rank, displacement,
                                target_count, target_datatype, handle)
               : outcome;
}

PROA_ENTRY(PROA_WIDE(Get))
(void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);
    int outcome = PROA_RARELY(!win)
                      ? PROA_LEFT
                      : proa_do_move(win, PROA_CALL_WIDE(Get), PROA_GET, origin, count, datatype,
                                     rank, displacement, target_count, target_datatype);

    return PROA_RARELY(outcome == PROA_LEFT)
               ? PROA_NEXT_FORM(PROA_WIDE(Get), handle, origin, count, datatype, rank, displacement,
                                target_count, target_datatype, handle)
               : outcome;
}

PROA_ENTRY(PROA_WIDE(Accumulate))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);
    int outcome = PROA_RARELY(!win)
                      ? PROA_LEFT
                      : proa_do_accumulate(win, PROA_CALL_WIDE(Accumulate), origin, count, datatype,
                                           rank, displacement, target_count, target_datatype, op);

    return PROA_RARELY(outcome == PROA_LEFT)
               ? PROA_NEXT_FORM(PROA_WIDE(Accumulate), handle, origin, count, datatype, rank,
                                displacement, target_count, target_datatype, op, handle)
               : outcome;
}

PROA_ENTRY(PROA_WIDE(Get_accumulate))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, void *result, PROA_COUNT result_count,
 MPI_Datatype result_datatype, int rank, MPI_Aint displacement, PROA_COUNT target_count,
 MPI_Datatype target_datatype, MPI_Op op, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);
    int outcome =
        PROA_RARELY(!win)
            ? PROA_LEFT
            : proa_do_get_accumulate(win, PROA_CALL_WIDE(Get_accumulate), origin, count, datatype,
                                     result, result_count, result_datatype, rank, displacement,
                                     target_count, target_datatype, op);

    return PROA_RARELY(outcome == PROA_LEFT)
               ? PROA_NEXT_FORM(PROA_WIDE(Get_accumulate), handle, origin, count, datatype, result,
                                result_count, result_datatype, rank, displacement, target_count,
                                target_datatype, op, handle)
               : outcome;
}
