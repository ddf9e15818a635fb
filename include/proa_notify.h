/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notified one-sided communication, as the draft of MPI-5.1 (12.6) has it: an operation that counts
 * up a counter of its target when its data are in place there. So the target need not poll for a
 * flag, nor the origin wait until it may set one. doc/NOTIFY.md shows how it is used.
 *
 * Each function has the name of the draft with PROA_ for MPI_. With PROA_MPI_NAMES defined before
 * this header, the names of the draft are there too, where the host's mpi.h has none.
 *
 * A program needs no library for this header. Where it runs with Proa (proa run, or linked with
 * -lproa-mpich, -lproa-openmpi or -lproa-abi), Proa does the work. Without Proa, and for windows
 * that Proa leaves to the host, plain MPI does (proa_notify_plain.h), which is slow.
 *
 * All functions return an MPI error class; Proa raises errors on the window's error handler. For C
 * and C++ with GCC's or clang's extensions, MPI-3 and later.
 */
#ifndef PROA_NOTIFY_H
#define PROA_NOTIFY_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether Proa itself serves notified operations on this window: 1; or 0, plain MPI does. */
int PROA_Notify_is_native(MPI_Win win);

/* MPI_ERR_RMA_NOTIFICATION: the class of an index that is negative, or not below the target's
 * number of counters. A number that MPI_Add_error_class gives. */
int PROA_Notify_error_class(void);

/* Keyvals for MPI_Win_get_attr: the number of counters that is served well, and the most that a
 * process may have, both by an int *, and a counter's largest value, by an MPI_Count *. Without
 * Proa a window has them once its number of counters was set. */
int PROA_Notify_keyval(int which);
#define PROA_WIN_NOTIFICATION_NUM_SB PROA_Notify_keyval(0)
#define PROA_WIN_NOTIFICATION_NUM_UB PROA_Notify_keyval(1)
#define PROA_WIN_NOTIFICATION_VALUE_UB PROA_Notify_keyval(2)

/* ---- counters ---- */

/* Gives this process num counters from now on, with the indices 0 to num - 1; each process may give
 * another number. All counters of the window are zero after it. Collective over the window;
 * erroneous while an access epoch of the caller is open. MPI_ERR_ARG: num is negative, or more than
 * the window's info key mpi_assert_max_num_notify allows; MPI_ERR_RMA_SYNC; MPI_ERR_NO_MEM: on all
 * processes alike, and all counters stay as they were. info: hints, or MPI_INFO_NULL. */
int PROA_Win_set_num_notify(MPI_Win win, MPI_Info info, int num);

/* *num: of the counters of that rank. */
int PROA_Win_get_num_notify(MPI_Win win, int rank, int *num);

/* *value: of this process's counter. The data of the operations that it counts are there. */
int PROA_Win_get_notify_value(MPI_Win win, int notification_idx, MPI_Count *value);

/* The same, and sets it to zero in the same atomic step. */
int PROA_Win_reset_notify_value(MPI_Win win, int notification_idx, MPI_Count *value);

/* *request is complete once this process's counter is at least `expected`: for MPI_Wait, MPI_Test
 * and their kin. Without Proa: at most 256 of a window are open, and MPI_ERR_NO_MEM. */
int PROA_Win_notify_ithreshold(MPI_Win win, int notification_idx, MPI_Count expected,
                               MPI_Request *request);

/* ---- beyond the draft ---- */

/* Returns once this process's counter is at least `expected`. */
int PROA_Win_wait_notify(MPI_Win win, int notification_idx, MPI_Count expected);

/* Returns once one of `count` counters has come to its value: indices and expected have `count`
 * elements. which[]: the places of all that have, *outcount of them; room for `count`. */
int PROA_Win_waitsome_notify(MPI_Win win, int count, const int indices[],
                             const MPI_Count expected[], int *outcount, int which[]);

/* *(uint64_t **)address: this process's counter, to be read by atomic loads that acquire, until the
 * number is set again or the window is freed. Without Proa it may rise only while this process
 * calls MPI; or MPI_ERR_UNSUPPORTED_OPERATION: the host's windows are not of the unified model. */
int PROA_Win_get_notify_address(MPI_Win win, int notification_idx, void *address);

/* ---- operations: arguments as of MPI_Put and its kin, and the index of the target's counter ----
 */

static inline int PROA_Put_notify(const void *origin_addr, int origin_count,
                                  MPI_Datatype origin_datatype, int target_rank,
                                  MPI_Aint target_disp, int target_count,
                                  MPI_Datatype target_datatype, int notification_idx, MPI_Win win);
static inline int PROA_Get_notify(void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                                  int target_rank, MPI_Aint target_disp, int target_count,
                                  MPI_Datatype target_datatype, int notification_idx, MPI_Win win);
int PROA_Accumulate_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                           int target_rank, MPI_Aint target_disp, int target_count,
                           MPI_Datatype target_datatype, MPI_Op op, int notification_idx,
                           MPI_Win win);
int PROA_Get_accumulate_notify(const void *origin_addr, int origin_count,
                               MPI_Datatype origin_datatype, void *result_addr, int result_count,
                               MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                               int target_count, MPI_Datatype target_datatype, MPI_Op op,
                               int notification_idx, MPI_Win win);
int PROA_Rput_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, int target_count,
                     MPI_Datatype target_datatype, int notification_idx, MPI_Win win,
                     MPI_Request *request);
int PROA_Rget_notify(void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                     int target_rank, MPI_Aint target_disp, int target_count,
                     MPI_Datatype target_datatype, int notification_idx, MPI_Win win,
                     MPI_Request *request);
int PROA_Raccumulate_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                            int target_rank, MPI_Aint target_disp, int target_count,
                            MPI_Datatype target_datatype, MPI_Op op, int notification_idx,
                            MPI_Win win, MPI_Request *request);
int PROA_Rget_accumulate_notify(const void *origin_addr, int origin_count,
                                MPI_Datatype origin_datatype, void *result_addr, int result_count,
                                MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                                int target_count, MPI_Datatype target_datatype, MPI_Op op,
                                int notification_idx, MPI_Win win, MPI_Request *request);

/* With counts of MPI_Count. */
static inline int PROA_Put_notify_c(const void *origin_addr, MPI_Count origin_count,
                                    MPI_Datatype origin_datatype, int target_rank,
                                    MPI_Aint target_disp, MPI_Count target_count,
                                    MPI_Datatype target_datatype, int notification_idx,
                                    MPI_Win win);
static inline int PROA_Get_notify_c(void *origin_addr, MPI_Count origin_count,
                                    MPI_Datatype origin_datatype, int target_rank,
                                    MPI_Aint target_disp, MPI_Count target_count,
                                    MPI_Datatype target_datatype, int notification_idx,
                                    MPI_Win win);
int PROA_Accumulate_notify_c(const void *origin_addr, MPI_Count origin_count,
                             MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                             MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                             int notification_idx, MPI_Win win);
int PROA_Get_accumulate_notify_c(const void *origin_addr, MPI_Count origin_count,
                                 MPI_Datatype origin_datatype, void *result_addr,
                                 MPI_Count result_count, MPI_Datatype result_datatype,
                                 int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                 MPI_Datatype target_datatype, MPI_Op op, int notification_idx,
                                 MPI_Win win);
int PROA_Rput_notify_c(const void *origin_addr, MPI_Count origin_count,
                       MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                       MPI_Count target_count, MPI_Datatype target_datatype, int notification_idx,
                       MPI_Win win, MPI_Request *request);
int PROA_Rget_notify_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                       int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                       MPI_Datatype target_datatype, int notification_idx, MPI_Win win,
                       MPI_Request *request);
int PROA_Raccumulate_notify_c(const void *origin_addr, MPI_Count origin_count,
                              MPI_Datatype origin_datatype, int target_rank, MPI_Aint target_disp,
                              MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                              int notification_idx, MPI_Win win, MPI_Request *request);
int PROA_Rget_accumulate_notify_c(const void *origin_addr, MPI_Count origin_count,
                                  MPI_Datatype origin_datatype, void *result_addr,
                                  MPI_Count result_count, MPI_Datatype result_datatype,
                                  int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                  MPI_Datatype target_datatype, MPI_Op op, int notification_idx,
                                  MPI_Win win, MPI_Request *request);

/* ---- the names of the draft ---- */

#if defined(PROA_MPI_NAMES) && MPI_VERSION * 10 + MPI_SUBVERSION < 51
#define MPI_Put_notify PROA_Put_notify
#define MPI_Get_notify PROA_Get_notify
#define MPI_Accumulate_notify PROA_Accumulate_notify
#define MPI_Get_accumulate_notify PROA_Get_accumulate_notify
#define MPI_Rput_notify PROA_Rput_notify
#define MPI_Rget_notify PROA_Rget_notify
#define MPI_Raccumulate_notify PROA_Raccumulate_notify
#define MPI_Rget_accumulate_notify PROA_Rget_accumulate_notify
#define MPI_Put_notify_c PROA_Put_notify_c
#define MPI_Get_notify_c PROA_Get_notify_c
#define MPI_Accumulate_notify_c PROA_Accumulate_notify_c
#define MPI_Get_accumulate_notify_c PROA_Get_accumulate_notify_c
#define MPI_Rput_notify_c PROA_Rput_notify_c
#define MPI_Rget_notify_c PROA_Rget_notify_c
#define MPI_Raccumulate_notify_c PROA_Raccumulate_notify_c
#define MPI_Rget_accumulate_notify_c PROA_Rget_accumulate_notify_c
#define MPI_Win_set_num_notify PROA_Win_set_num_notify
#define MPI_Win_get_num_notify PROA_Win_get_num_notify
#define MPI_Win_get_notify_value PROA_Win_get_notify_value
#define MPI_Win_reset_notify_value PROA_Win_reset_notify_value
#define MPI_Win_notify_ithreshold PROA_Win_notify_ithreshold
#define MPI_ERR_RMA_NOTIFICATION PROA_Notify_error_class()
#define MPI_WIN_NOTIFICATION_NUM_SB PROA_WIN_NOTIFICATION_NUM_SB
#define MPI_WIN_NOTIFICATION_NUM_UB PROA_WIN_NOTIFICATION_NUM_UB
#define MPI_WIN_NOTIFICATION_VALUE_UB PROA_WIN_NOTIFICATION_VALUE_UB
#endif

#ifdef __cplusplus
}
#endif

#include "proa_notify_plain.h"

#endif
