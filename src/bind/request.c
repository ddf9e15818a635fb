/*
 * MPI_Rput, Rget, Raccumulate, Rget_accumulate (MPI-4.1, 13.3.5) and their large-count forms.
 *
 * On one node an operation is done when its call returns. Its request is one of the host's, of a message to MPI_PROC_NULL, which is
 * complete from the start: so it works in every call that takes requests, mixed with any others.
 */
#include "bind/operation.h"
#include "core/settle.h"
#include "core/strict.h"

/* Request forms are for passive target epochs only (MPI-4.1, 13.3.5), and both hosts serve them in all. MPI_SUCCESS, or the class that was
 * raised. Where no epoch is open the operation itself says so. */
static int check_passive(struct proa_win *win, enum proa_call call, int rank)
{
    uint8_t epoch;

    if ((unsigned)rank >= (unsigned)win->size)
        return MPI_SUCCESS; /* MPI_PROC_NULL, or an error that is found later */
    epoch = proa_epoch_towards(win, rank);
    if (epoch == 0 || epoch & PROA_EPOCH_LOCK)
        return MPI_SUCCESS;
    return proa_return(win, call,
                       proa_lax(win, PROA_LAX_REQUEST, PROA_ERR_RMA_SYNC, call,
                                "request-based operations are for passive target epochs: target rank %d is not locked", rank));
}

static int give_request(struct proa_win *win, enum proa_call call, int outcome, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    if (outcome == MPI_SUCCESS)
        outcome = proa_return(win, call, proa_settle(win, -1, PROA_SETTLED_LOCAL));
    if (outcome != MPI_SUCCESS)
        return outcome;
    proa_polled(&win->polls); /* the wait for what is complete may be the program's only call */
    return proa_pmpi()->Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, proa_private_comm(), request);
}

PROA_EXPORT int PMPI_Rput(const void *origin, int count, MPI_Datatype datatype, int rank, MPI_Aint displacement, int target_count,
                          MPI_Datatype target_datatype, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = proa_win_find(handle);
    int outcome;

    if (PROA_RARELY(!win))
        return PROA_HOST_ANSWERS(Rput, handle, origin, count, datatype, rank, displacement, target_count, target_datatype, handle, request);
    outcome = check_passive(win, PROA_CALL_Rput, rank);
    if (outcome == MPI_SUCCESS)
        outcome = proa_do_put(win, PROA_CALL_Rput, (struct proa_near){origin, count, datatype},
                              (struct proa_far){rank, displacement, target_count, target_datatype});
    return give_request(win, PROA_CALL_Rput, outcome, request);
}
PROA_ALIAS(Rput);

PROA_EXPORT int PMPI_Rget(void *origin, int count, MPI_Datatype datatype, int rank, MPI_Aint displacement, int target_count,
                          MPI_Datatype target_datatype, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = proa_win_find(handle);
    int outcome;

    if (PROA_RARELY(!win))
        return PROA_HOST_ANSWERS(Rget, handle, origin, count, datatype, rank, displacement, target_count, target_datatype, handle, request);
    outcome = check_passive(win, PROA_CALL_Rget, rank);
    if (outcome == MPI_SUCCESS)
        outcome = proa_do_get(win, PROA_CALL_Rget, (struct proa_near){origin, count, datatype},
                              (struct proa_far){rank, displacement, target_count, target_datatype});
    return give_request(win, PROA_CALL_Rget, outcome, request);
}
PROA_ALIAS(Rget);

PROA_EXPORT int PMPI_Raccumulate(const void *origin, int count, MPI_Datatype datatype, int rank, MPI_Aint displacement, int target_count,
                                 MPI_Datatype target_datatype, MPI_Op op, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = proa_win_find(handle);
    int outcome;

    if (PROA_RARELY(!win))
        return PROA_HOST_ANSWERS(Raccumulate, handle, origin, count, datatype, rank, displacement, target_count, target_datatype, op,
                                 handle, request);
    outcome = check_passive(win, PROA_CALL_Raccumulate, rank);
    if (outcome == MPI_SUCCESS)
        outcome = proa_do_accumulate(win, PROA_CALL_Raccumulate, (struct proa_near){origin, count, datatype},
                                     (struct proa_far){rank, displacement, target_count, target_datatype}, op);
    return give_request(win, PROA_CALL_Raccumulate, outcome, request);
}
PROA_ALIAS(Raccumulate);

PROA_EXPORT int PMPI_Rget_accumulate(const void *origin, int count, MPI_Datatype datatype, void *result, int result_count,
                                     MPI_Datatype result_datatype, int rank, MPI_Aint displacement, int target_count,
                                     MPI_Datatype target_datatype, MPI_Op op, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = proa_win_find(handle);
    int outcome;

    if (PROA_RARELY(!win))
        return PROA_HOST_ANSWERS(Rget_accumulate, handle, origin, count, datatype, result, result_count, result_datatype, rank,
                                 displacement, target_count, target_datatype, op, handle, request);
    outcome = check_passive(win, PROA_CALL_Rget_accumulate, rank);
    if (outcome == MPI_SUCCESS)
        outcome = proa_do_get_accumulate(win, PROA_CALL_Rget_accumulate, (struct proa_near){origin, count, datatype},
                                         (struct proa_near){result, result_count, result_datatype},
                                         (struct proa_far){rank, displacement, target_count, target_datatype}, op);
    return give_request(win, PROA_CALL_Rget_accumulate, outcome, request);
}
PROA_ALIAS(Rget_accumulate);

#if MPI_VERSION >= 4
PROA_EXPORT int PMPI_Rput_c(const void *origin, MPI_Count count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
                            MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = proa_win_find(handle);
    int outcome;

    if (PROA_RARELY(!win))
        return PROA_HOST_ANSWERS(Rput_c, handle, origin, count, datatype, rank, displacement, target_count, target_datatype, handle,
                                 request);
    outcome = check_passive(win, PROA_CALL_Rput_c, rank);
    if (outcome == MPI_SUCCESS)
        outcome = proa_do_put(win, PROA_CALL_Rput_c, (struct proa_near){origin, count, datatype},
                              (struct proa_far){rank, displacement, target_count, target_datatype});
    return give_request(win, PROA_CALL_Rput_c, outcome, request);
}
PROA_ALIAS(Rput_c);

PROA_EXPORT int PMPI_Rget_c(void *origin, MPI_Count count, MPI_Datatype datatype, int rank, MPI_Aint displacement, MPI_Count target_count,
                            MPI_Datatype target_datatype, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = proa_win_find(handle);
    int outcome;

    if (PROA_RARELY(!win))
        return PROA_HOST_ANSWERS(Rget_c, handle, origin, count, datatype, rank, displacement, target_count, target_datatype, handle,
                                 request);
    outcome = check_passive(win, PROA_CALL_Rget_c, rank);
    if (outcome == MPI_SUCCESS)
        outcome = proa_do_get(win, PROA_CALL_Rget_c, (struct proa_near){origin, count, datatype},
                              (struct proa_far){rank, displacement, target_count, target_datatype});
    return give_request(win, PROA_CALL_Rget_c, outcome, request);
}
PROA_ALIAS(Rget_c);

PROA_EXPORT int PMPI_Raccumulate_c(const void *origin, MPI_Count count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
                                   MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = proa_win_find(handle);
    int outcome;

    if (PROA_RARELY(!win))
        return PROA_HOST_ANSWERS(Raccumulate_c, handle, origin, count, datatype, rank, displacement, target_count, target_datatype, op,
                                 handle, request);
    outcome = check_passive(win, PROA_CALL_Raccumulate_c, rank);
    if (outcome == MPI_SUCCESS)
        outcome = proa_do_accumulate(win, PROA_CALL_Raccumulate_c, (struct proa_near){origin, count, datatype},
                                     (struct proa_far){rank, displacement, target_count, target_datatype}, op);
    return give_request(win, PROA_CALL_Raccumulate_c, outcome, request);
}
PROA_ALIAS(Raccumulate_c);

PROA_EXPORT int PMPI_Rget_accumulate_c(const void *origin, MPI_Count count, MPI_Datatype datatype, void *result, MPI_Count result_count,
                                       MPI_Datatype result_datatype, int rank, MPI_Aint displacement, MPI_Count target_count,
                                       MPI_Datatype target_datatype, MPI_Op op, MPI_Win handle, MPI_Request *request)
{
    struct proa_win *win = proa_win_find(handle);
    int outcome;

    if (PROA_RARELY(!win))
        return PROA_HOST_ANSWERS(Rget_accumulate_c, handle, origin, count, datatype, result, result_count, result_datatype, rank,
                                 displacement, target_count, target_datatype, op, handle, request);
    outcome = check_passive(win, PROA_CALL_Rget_accumulate_c, rank);
    if (outcome == MPI_SUCCESS)
        outcome = proa_do_get_accumulate(win, PROA_CALL_Rget_accumulate_c, (struct proa_near){origin, count, datatype},
                                         (struct proa_near){result, result_count, result_datatype},
                                         (struct proa_far){rank, displacement, target_count, target_datatype}, op);
    return give_request(win, PROA_CALL_Rget_accumulate_c, outcome, request);
}
PROA_ALIAS(Rget_accumulate_c);
#endif
