/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notified one-sided communication (draft of MPI-5.1, 12.6): the functions, which are in no host's
 * mpi.h yet. include/proa_notify.h offers them to programs under names of Proa's. Names and
 * arguments may still change in the draft; here each is spelled once.
 */
#ifndef PROA_NOTIFY_NOTIFIED_H
#define PROA_NOTIFY_NOTIFIED_H

#include "bind/bind.h"

/* X(name, arguments): the operations with counts of type COUNT. */
#define PROA_NOTIFIED_OPERATIONS(X, COUNT, SUFFIX)                                                 \
    X(Put_notify##SUFFIX,                                                                          \
      (const void *, COUNT, MPI_Datatype, int, MPI_Aint, COUNT, MPI_Datatype, int, MPI_Win))       \
    X(Get_notify##SUFFIX,                                                                          \
      (void *, COUNT, MPI_Datatype, int, MPI_Aint, COUNT, MPI_Datatype, int, MPI_Win))             \
    X(Accumulate_notify##SUFFIX, (const void *, COUNT, MPI_Datatype, int, MPI_Aint, COUNT,         \
                                  MPI_Datatype, MPI_Op, int, MPI_Win))                             \
    X(Get_accumulate_notify##SUFFIX,                                                               \
      (const void *, COUNT, MPI_Datatype, void *, COUNT, MPI_Datatype, int, MPI_Aint, COUNT,       \
       MPI_Datatype, MPI_Op, int, MPI_Win))                                                        \
    X(Rput_notify##SUFFIX, (const void *, COUNT, MPI_Datatype, int, MPI_Aint, COUNT, MPI_Datatype, \
                            int, MPI_Win, MPI_Request *))                                          \
    X(Rget_notify##SUFFIX, (void *, COUNT, MPI_Datatype, int, MPI_Aint, COUNT, MPI_Datatype, int,  \
                            MPI_Win, MPI_Request *))                                               \
    X(Raccumulate_notify##SUFFIX, (const void *, COUNT, MPI_Datatype, int, MPI_Aint, COUNT,        \
                                   MPI_Datatype, MPI_Op, int, MPI_Win, MPI_Request *))             \
    X(Rget_accumulate_notify##SUFFIX,                                                              \
      (const void *, COUNT, MPI_Datatype, void *, COUNT, MPI_Datatype, int, MPI_Aint, COUNT,       \
       MPI_Datatype, MPI_Op, int, MPI_Win, MPI_Request *))

/* The calls on the counters of a window. */
#define PROA_NOTIFIED_COUNTERS(X)                          \
    X(Win_set_num_notify, (MPI_Win, MPI_Info, int))        \
    X(Win_get_num_notify, (MPI_Win, int, int *))           \
    X(Win_get_notify_value, (MPI_Win, int, MPI_Count *))   \
    X(Win_reset_notify_value, (MPI_Win, int, MPI_Count *)) \
    X(Win_notify_ithreshold, (MPI_Win, int, MPI_Count, MPI_Request *))

/* Beyond the draft: PROA_ names only. */
#define PROA_NOTIFIED_OWN(X)                                                             \
    X(Win_wait_notify, (MPI_Win, int, MPI_Count))                                        \
    X(Win_waitsome_notify, (MPI_Win, int, const int[], const MPI_Count[], int *, int[])) \
    X(Win_get_notify_address, (MPI_Win, int, void *))

#define PROA_NOTIFIED_OF_DRAFT(X)              \
    PROA_NOTIFIED_OPERATIONS(X, int, )         \
    PROA_NOTIFIED_OPERATIONS(X, MPI_Count, _c) \
    PROA_NOTIFIED_COUNTERS(X)

#define PROA_NOTIFIED_DECLARE(name, arguments) \
    int PMPI_##name arguments;                 \
    int MPI_##name arguments;                  \
    int proa_slow_##name arguments;
PROA_NOTIFIED_OF_DRAFT(PROA_NOTIFIED_DECLARE)
#undef PROA_NOTIFIED_DECLARE

#define PROA_NOTIFIED_DECLARE(name, arguments) int PROA_##name arguments;
PROA_NOTIFIED_OWN(PROA_NOTIFIED_DECLARE)
#undef PROA_NOTIFIED_DECLARE

/* The plain case of a put or a get whose counts and types are equal. The header's functions call
 * these first: few arguments, and none is needed afterwards. Returns 1 if it is done, or 0 if
 * nothing is done. */
int PROA_Notify_put(const void *origin, MPI_Count count, MPI_Datatype datatype, int rank,
                    MPI_Aint displacement, int index, MPI_Win handle);
int PROA_Notify_get(const void *origin, MPI_Count count, MPI_Datatype datatype, int rank,
                    MPI_Aint displacement, int index, MPI_Win handle);

/* Starts the definition of an exported function: PMPI_X, and weakly MPI_X and PROA_X. */
#define PROA_NOTIFIED_NAME(name)                           \
    PROA_EXPORT extern __typeof__(PMPI_##name) PROA_##name \
        __attribute__((weak, alias("PMPI_" #name)))

/* The result for a window that is not Proa's: of the host if it has the call, or an error on the
 * window's error handler. */
#define PROA_NOTIFIED_HOST_ANSWERS(name, handle, ...)                  \
    (proa_handle_is_freed(handle) ? proa_raise_freed(PROA_CALL_##name) \
     : PROA_PMPI_FIND(name)       ? PROA_PMPI_FIND(name)(__VA_ARGS__)  \
                                  : proa_raise_unserved(handle, PROA_CALL_##name))
#endif
