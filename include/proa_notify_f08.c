/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The C side of proa_notify.f90, compiled with the program by the C compiler of its MPI. Each
 * function is the one of proa_notify.h with proa_f08_ for PROA_: handles are those of Fortran, and
 * counts are all MPI_Count.
 */
#include "proa_notify.h"

/* ---- counters ---- */

int proa_f08_win_set_num_notify(MPI_Fint win, MPI_Fint info, int num);
int proa_f08_win_set_num_notify(MPI_Fint win, MPI_Fint info, int num)
{
    return PROA_Win_set_num_notify(MPI_Win_f2c(win), MPI_Info_f2c(info), num);
}

int proa_f08_win_get_num_notify(MPI_Fint win, int rank, int *num);
int proa_f08_win_get_num_notify(MPI_Fint win, int rank, int *num)
{
    return PROA_Win_get_num_notify(MPI_Win_f2c(win), rank, num);
}

int proa_f08_win_get_notify_value(MPI_Fint win, int notification_idx, MPI_Count *value);
int proa_f08_win_get_notify_value(MPI_Fint win, int notification_idx, MPI_Count *value)
{
    return PROA_Win_get_notify_value(MPI_Win_f2c(win), notification_idx, value);
}

int proa_f08_win_reset_notify_value(MPI_Fint win, int notification_idx, MPI_Count *value);
int proa_f08_win_reset_notify_value(MPI_Fint win, int notification_idx, MPI_Count *value)
{
    return PROA_Win_reset_notify_value(MPI_Win_f2c(win), notification_idx, value);
}

int proa_f08_win_notify_ithreshold(MPI_Fint win, int notification_idx, MPI_Count expected,
                                   MPI_Fint *request);
int proa_f08_win_notify_ithreshold(MPI_Fint win, int notification_idx, MPI_Count expected,
                                   MPI_Fint *request)
{
    MPI_Request made = MPI_REQUEST_NULL;
    int error = PROA_Win_notify_ithreshold(MPI_Win_f2c(win), notification_idx, expected, &made);

    *request = MPI_Request_c2f(made);
    return error;
}

int proa_f08_win_wait_notify(MPI_Fint win, int notification_idx, MPI_Count expected);
int proa_f08_win_wait_notify(MPI_Fint win, int notification_idx, MPI_Count expected)
{
    return PROA_Win_wait_notify(MPI_Win_f2c(win), notification_idx, expected);
}

int proa_f08_win_waitsome_notify(MPI_Fint win, int count, const int indices[],
                                 const MPI_Count expected[], int *outcount, int which[]);
int proa_f08_win_waitsome_notify(MPI_Fint win, int count, const int indices[],
                                 const MPI_Count expected[], int *outcount, int which[])
{
    return PROA_Win_waitsome_notify(MPI_Win_f2c(win), count, indices, expected, outcount, which);
}

int proa_f08_win_get_notify_address(MPI_Fint win, int notification_idx, void *address);
int proa_f08_win_get_notify_address(MPI_Fint win, int notification_idx, void *address)
{
    return PROA_Win_get_notify_address(MPI_Win_f2c(win), notification_idx, address);
}

int proa_f08_notify_is_native(MPI_Fint win);
int proa_f08_notify_is_native(MPI_Fint win)
{
    return PROA_Notify_is_native(MPI_Win_f2c(win));
}

int proa_f08_notify_error_class(void);
int proa_f08_notify_error_class(void)
{
    return PROA_Notify_error_class();
}

int proa_f08_notify_keyval(int which);
int proa_f08_notify_keyval(int which)
{
    return PROA_Notify_keyval(which);
}

/* ---- operations ---- */

int proa_f08_put_notify(const void *origin_addr, MPI_Count origin_count, MPI_Fint origin_datatype,
                        int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                        MPI_Fint target_datatype, int notification_idx, MPI_Fint win);
int proa_f08_put_notify(const void *origin_addr, MPI_Count origin_count, MPI_Fint origin_datatype,
                        int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                        MPI_Fint target_datatype, int notification_idx, MPI_Fint win)
{
    return PROA_Put_notify_c(origin_addr, origin_count, MPI_Type_f2c(origin_datatype), target_rank,
                             target_disp, target_count, MPI_Type_f2c(target_datatype),
                             notification_idx, MPI_Win_f2c(win));
}

int proa_f08_get_notify(void *origin_addr, MPI_Count origin_count, MPI_Fint origin_datatype,
                        int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                        MPI_Fint target_datatype, int notification_idx, MPI_Fint win);
int proa_f08_get_notify(void *origin_addr, MPI_Count origin_count, MPI_Fint origin_datatype,
                        int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                        MPI_Fint target_datatype, int notification_idx, MPI_Fint win)
{
    return PROA_Get_notify_c(origin_addr, origin_count, MPI_Type_f2c(origin_datatype), target_rank,
                             target_disp, target_count, MPI_Type_f2c(target_datatype),
                             notification_idx, MPI_Win_f2c(win));
}

int proa_f08_accumulate_notify(const void *origin_addr, MPI_Count origin_count,
                               MPI_Fint origin_datatype, int target_rank, MPI_Aint target_disp,
                               MPI_Count target_count, MPI_Fint target_datatype, MPI_Fint op,
                               int notification_idx, MPI_Fint win);
int proa_f08_accumulate_notify(const void *origin_addr, MPI_Count origin_count,
                               MPI_Fint origin_datatype, int target_rank, MPI_Aint target_disp,
                               MPI_Count target_count, MPI_Fint target_datatype, MPI_Fint op,
                               int notification_idx, MPI_Fint win)
{
    return PROA_Accumulate_notify_c(origin_addr, origin_count, MPI_Type_f2c(origin_datatype),
                                    target_rank, target_disp, target_count,
                                    MPI_Type_f2c(target_datatype), MPI_Op_f2c(op), notification_idx,
                                    MPI_Win_f2c(win));
}

int proa_f08_get_accumulate_notify(const void *origin_addr, MPI_Count origin_count,
                                   MPI_Fint origin_datatype, void *result_addr,
                                   MPI_Count result_count, MPI_Fint result_datatype,
                                   int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                   MPI_Fint target_datatype, MPI_Fint op, int notification_idx,
                                   MPI_Fint win);
int proa_f08_get_accumulate_notify(const void *origin_addr, MPI_Count origin_count,
                                   MPI_Fint origin_datatype, void *result_addr,
                                   MPI_Count result_count, MPI_Fint result_datatype,
                                   int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                   MPI_Fint target_datatype, MPI_Fint op, int notification_idx,
                                   MPI_Fint win)
{
    return PROA_Get_accumulate_notify_c(
        origin_addr, origin_count, MPI_Type_f2c(origin_datatype), result_addr, result_count,
        MPI_Type_f2c(result_datatype), target_rank, target_disp, target_count,
        MPI_Type_f2c(target_datatype), MPI_Op_f2c(op), notification_idx, MPI_Win_f2c(win));
}

int proa_f08_rput_notify(const void *origin_addr, MPI_Count origin_count, MPI_Fint origin_datatype,
                         int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                         MPI_Fint target_datatype, int notification_idx, MPI_Fint win,
                         MPI_Fint *request);
int proa_f08_rput_notify(const void *origin_addr, MPI_Count origin_count, MPI_Fint origin_datatype,
                         int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                         MPI_Fint target_datatype, int notification_idx, MPI_Fint win,
                         MPI_Fint *request)
{
    MPI_Request made = MPI_REQUEST_NULL;
    int error = PROA_Rput_notify_c(
        origin_addr, origin_count, MPI_Type_f2c(origin_datatype), target_rank, target_disp,
        target_count, MPI_Type_f2c(target_datatype), notification_idx, MPI_Win_f2c(win), &made);

    *request = MPI_Request_c2f(made);
    return error;
}

int proa_f08_rget_notify(void *origin_addr, MPI_Count origin_count, MPI_Fint origin_datatype,
                         int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                         MPI_Fint target_datatype, int notification_idx, MPI_Fint win,
                         MPI_Fint *request);
int proa_f08_rget_notify(void *origin_addr, MPI_Count origin_count, MPI_Fint origin_datatype,
                         int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                         MPI_Fint target_datatype, int notification_idx, MPI_Fint win,
                         MPI_Fint *request)
{
    MPI_Request made = MPI_REQUEST_NULL;
    int error = PROA_Rget_notify_c(
        origin_addr, origin_count, MPI_Type_f2c(origin_datatype), target_rank, target_disp,
        target_count, MPI_Type_f2c(target_datatype), notification_idx, MPI_Win_f2c(win), &made);

    *request = MPI_Request_c2f(made);
    return error;
}

int proa_f08_raccumulate_notify(const void *origin_addr, MPI_Count origin_count,
                                MPI_Fint origin_datatype, int target_rank, MPI_Aint target_disp,
                                MPI_Count target_count, MPI_Fint target_datatype, MPI_Fint op,
                                int notification_idx, MPI_Fint win, MPI_Fint *request);
int proa_f08_raccumulate_notify(const void *origin_addr, MPI_Count origin_count,
                                MPI_Fint origin_datatype, int target_rank, MPI_Aint target_disp,
                                MPI_Count target_count, MPI_Fint target_datatype, MPI_Fint op,
                                int notification_idx, MPI_Fint win, MPI_Fint *request)
{
    MPI_Request made = MPI_REQUEST_NULL;
    int error = PROA_Raccumulate_notify_c(origin_addr, origin_count, MPI_Type_f2c(origin_datatype),
                                          target_rank, target_disp, target_count,
                                          MPI_Type_f2c(target_datatype), MPI_Op_f2c(op),
                                          notification_idx, MPI_Win_f2c(win), &made);

    *request = MPI_Request_c2f(made);
    return error;
}

int proa_f08_rget_accumulate_notify(const void *origin_addr, MPI_Count origin_count,
                                    MPI_Fint origin_datatype, void *result_addr,
                                    MPI_Count result_count, MPI_Fint result_datatype,
                                    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                    MPI_Fint target_datatype, MPI_Fint op, int notification_idx,
                                    MPI_Fint win, MPI_Fint *request);
int proa_f08_rget_accumulate_notify(const void *origin_addr, MPI_Count origin_count,
                                    MPI_Fint origin_datatype, void *result_addr,
                                    MPI_Count result_count, MPI_Fint result_datatype,
                                    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                    MPI_Fint target_datatype, MPI_Fint op, int notification_idx,
                                    MPI_Fint win, MPI_Fint *request)
{
    MPI_Request made = MPI_REQUEST_NULL;
    int error = PROA_Rget_accumulate_notify_c(
        origin_addr, origin_count, MPI_Type_f2c(origin_datatype), result_addr, result_count,
        MPI_Type_f2c(result_datatype), target_rank, target_disp, target_count,
        MPI_Type_f2c(target_datatype), MPI_Op_f2c(op), notification_idx, MPI_Win_f2c(win), &made);

    *request = MPI_Request_c2f(made);
    return error;
}
