/* SPDX-License-Identifier: BSD-3-Clause */
/* The calls such as MPI_Put_notify, and their request forms: included by notified.c for each width
 * of counts (bind/width.h). */
#include "bind/width.h"

NOTIFIED(PROA_WIDE(Put_notify))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, int index, MPI_Win handle)
{
    struct proa_win *win;

    if (MAY_BE_PLAIN && count == target_count && datatype == target_datatype &&
        PROA_Notify_put(origin, count, datatype, rank, displacement, index, handle))
        return MPI_SUCCESS;
    win = PROA_WIN_OF(handle);
    if (PROA_RARELY(!win))
        return NEXT_FORM(PROA_WIDE(Put_notify), handle, origin, count, datatype, rank, displacement,
                         target_count, target_datatype, index, handle);
    return move(win, PROA_CALL_WIDE(Put_notify), PROA_PUT, origin, count, datatype, rank,
                displacement, target_count, target_datatype, index);
}

NOTIFIED(PROA_WIDE(Get_notify))
(void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, int index, MPI_Win handle)
{
    struct proa_win *win;

    if (MAY_BE_PLAIN && count == target_count && datatype == target_datatype &&
        PROA_Notify_get(origin, count, datatype, rank, displacement, index, handle))
        return MPI_SUCCESS;
    win = PROA_WIN_OF(handle);
    if (PROA_RARELY(!win))
        return NEXT_FORM(PROA_WIDE(Get_notify), handle, origin, count, datatype, rank, displacement,
                         target_count, target_datatype, index, handle);
    return move(win, PROA_CALL_WIDE(Get_notify), PROA_GET, origin, count, datatype, rank,
                displacement, target_count, target_datatype, index);
}

NOTIFIED(PROA_WIDE(Accumulate_notify))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, int index, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return NEXT_FORM(PROA_WIDE(Accumulate_notify), handle, origin, count, datatype, rank,
                         displacement, target_count, target_datatype, op, index, handle);
    NOTIFY(win, PROA_CALL_WIDE(Accumulate_notify), rank, index,
           proa_do_accumulate(win, PROA_CALL_WIDE(Accumulate_notify), origin, count, datatype, rank,
                              displacement, target_count, target_datatype, op));
}

NOTIFIED(PROA_WIDE(Get_accumulate_notify))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, void *result, PROA_COUNT result_count,
 MPI_Datatype result_datatype, int rank, MPI_Aint displacement, PROA_COUNT target_count,
 MPI_Datatype target_datatype, MPI_Op op, int index, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return NEXT_FORM(PROA_WIDE(Get_accumulate_notify), handle, origin, count, datatype, result,
                         result_count, result_datatype, rank, displacement, target_count,
                         target_datatype, op, index, handle);
    NOTIFY(win, PROA_CALL_WIDE(Get_accumulate_notify), rank, index,
           proa_do_get_accumulate(win, PROA_CALL_WIDE(Get_accumulate_notify), origin, count,
                                  datatype, result, result_count, result_datatype, rank,
                                  displacement, target_count, target_datatype, op));
}

NOTIFIED(PROA_WIDE(Rput_notify))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, int index, MPI_Win handle,
 MPI_Request *request)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return NEXT_FORM(PROA_WIDE(Rput_notify), handle, origin, count, datatype, rank,
                         displacement, target_count, target_datatype, index, handle, request);
    NOTIFY_REQUESTED(win, PROA_CALL_WIDE(Rput_notify), rank, index, request,
                     proa_do_move(win, PROA_CALL_WIDE(Rput_notify), PROA_PUT, origin, count,
                                  datatype, rank, displacement, target_count, target_datatype));
}

NOTIFIED(PROA_WIDE(Rget_notify))
(void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, int index, MPI_Win handle,
 MPI_Request *request)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return NEXT_FORM(PROA_WIDE(Rget_notify), handle, origin, count, datatype, rank,
                         displacement, target_count, target_datatype, index, handle, request);
    NOTIFY_REQUESTED(win, PROA_CALL_WIDE(Rget_notify), rank, index, request,
                     proa_do_move(win, PROA_CALL_WIDE(Rget_notify), PROA_GET, origin, count,
                                  datatype, rank, displacement, target_count, target_datatype));
}

NOTIFIED(PROA_WIDE(Raccumulate_notify))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
 PROA_COUNT target_count, MPI_Datatype target_datatype, MPI_Op op, int index, MPI_Win handle,
 MPI_Request *request)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return NEXT_FORM(PROA_WIDE(Raccumulate_notify), handle, origin, count, datatype, rank,
                         displacement, target_count, target_datatype, op, index, handle, request);
    NOTIFY_REQUESTED(win, PROA_CALL_WIDE(Raccumulate_notify), rank, index, request,
                     proa_do_accumulate(win, PROA_CALL_WIDE(Raccumulate_notify), origin, count,
                                        datatype, rank, displacement, target_count, target_datatype,
                                        op));
}

NOTIFIED(PROA_WIDE(Rget_accumulate_notify))
(const void *origin, PROA_COUNT count, MPI_Datatype datatype, void *result, PROA_COUNT result_count,
 MPI_Datatype result_datatype, int rank, MPI_Aint displacement, PROA_COUNT target_count,
 MPI_Datatype target_datatype, MPI_Op op, int index, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return NEXT_FORM(PROA_WIDE(Rget_accumulate_notify), handle, origin, count, datatype, result,
                         result_count, result_datatype, rank, displacement, target_count,
                         target_datatype, op, index, handle, request);
    NOTIFY_REQUESTED(win, PROA_CALL_WIDE(Rget_accumulate_notify), rank, index, request,
                     proa_do_get_accumulate(win, PROA_CALL_WIDE(Rget_accumulate_notify), origin,
                                            count, datatype, result, result_count, result_datatype,
                                            rank, displacement, target_count, target_datatype, op));
}
