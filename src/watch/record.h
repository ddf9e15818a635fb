/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counts of a window (PROA_STATS): each window has a record in this process. When the window is
 * freed, its rank 0 gathers the records of all ranks, and reports them when MPI ends
 * (watch/report.h).
 */
#ifndef PROA_WATCH_RECORD_H
#define PROA_WATCH_RECORD_H

#include "base/atomic.h"
#include "base/calls.h"
#include "base/hidden.h"
#include "host/handle.h"
#include "proa.h"
#include "watch/waits.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>
#include <uthash.h>

struct proa_record {
    struct proa_win *win; /* valid while the table of handles has the record */
    struct proa_stats numbers;
    int open;       /* the window was created and is not freed yet */
    int rank, size; /* rank and size in its group */
    enum proa_flavor flavor;
    char name[PROA_HANDLE_NAME_BYTES];
    MPI_Comm comm;        /* for gathering; MPI_COMM_NULL if some ranks do not count */
    unsigned long number; /* unique number, not 0 */
    UT_hash_handle hh;
    /* nanoseconds waited, by the awaited rank, where it is known */
    unsigned long long waited_for[];
};

/* Starts counting, if the setting asks for it. Called before the first window. */
void proa_record_start(void);

/* Returns a record for a new window on comm. Returns NULL if nothing is counted, or without
 * memory. */
struct proa_record *proa_record_new(MPI_Comm comm);

/* Counts operations on the window in this record from now on. record: record, or NULL to count in
 * memory that is never read, so that counting need not check for a record. */
void proa_record_of_window(struct proa_record *record, struct proa_win *win);

/* The window was created: sets record->win. Collective over comm if all ranks count. */
void proa_record_open(struct proa_record *record, MPI_Comm comm);

/* The window is about to be freed: no thread uses it any more. Collective if all ranks count. */
void proa_record_close(struct proa_record *record, struct proa_win *win);

/* Frees the record. NULL is a no-op. */
void proa_record_drop(struct proa_record *record);

/* Reads the counts of a window that is not freed yet, with those that are computed only now. */
void proa_record_read(const struct proa_record *record, struct proa_stats *numbers);

/* Returns the way to a target's memory, other than the fast path's. For a dynamic window, the
 * region that was found last decides. */
enum proa_stats_way proa_way_to(const struct proa_target *target);

/* ---- counting ---- */

/* The way of a call (enum proa_stats_way), or one of these. NO_WAY: no operation was done, as the
 * call synchronizes, failed, or was reported already. REQUEST: the same, and its request is
 * returned to the user for a later wait. */
enum { PROA_WATCHED_NO_WAY = PROA_STATS_WAYS, PROA_WATCHED_REQUEST };

/* The row that counts a call. Request forms and those with large counts use the row of the plain
 * form. */
#define PROA_RECORD_WIDE(call, row) \
    [PROA_CALL_##call] = PROA_STATS_##row, [PROA_CALL_##call##_c] = PROA_STATS_##row
static const uint8_t proa_record_rows[PROA_CALL_COUNT] = {
    PROA_RECORD_WIDE(Put, PUT),
    PROA_RECORD_WIDE(Rput, PUT),
    PROA_RECORD_WIDE(Get, GET),
    PROA_RECORD_WIDE(Rget, GET),
    PROA_RECORD_WIDE(Accumulate, ACCUMULATE),
    PROA_RECORD_WIDE(Raccumulate, ACCUMULATE),
    PROA_RECORD_WIDE(Get_accumulate, GET_ACCUMULATE),
    PROA_RECORD_WIDE(Rget_accumulate, GET_ACCUMULATE),
    [PROA_CALL_Fetch_and_op] = PROA_STATS_FETCH_AND_OP,
    [PROA_CALL_Compare_and_swap] = PROA_STATS_COMPARE_AND_SWAP,
    [PROA_CALL_Win_fence] = PROA_STATS_FENCE,
    [PROA_CALL_Win_start] = PROA_STATS_START,
    [PROA_CALL_Win_complete] = PROA_STATS_COMPLETE,
    [PROA_CALL_Win_post] = PROA_STATS_POST,
    [PROA_CALL_Win_wait] = PROA_STATS_WAIT,
    [PROA_CALL_Win_test] = PROA_STATS_TEST,
    [PROA_CALL_Win_lock] = PROA_STATS_LOCK,
    [PROA_CALL_Win_unlock] = PROA_STATS_UNLOCK,
    [PROA_CALL_Win_lock_all] = PROA_STATS_LOCK_ALL,
    [PROA_CALL_Win_unlock_all] = PROA_STATS_UNLOCK_ALL,
    [PROA_CALL_Win_flush] = PROA_STATS_FLUSH,
    [PROA_CALL_Win_flush_all] = PROA_STATS_FLUSH,
    [PROA_CALL_Win_flush_local] = PROA_STATS_FLUSH,
    [PROA_CALL_Win_flush_local_all] = PROA_STATS_FLUSH,
    [PROA_CALL_Win_sync] = PROA_STATS_SYNC,
    PROA_RECORD_WIDE(Put_notify, PUT),
    PROA_RECORD_WIDE(Rput_notify, PUT),
    PROA_RECORD_WIDE(Get_notify, GET),
    PROA_RECORD_WIDE(Rget_notify, GET),
    PROA_RECORD_WIDE(Accumulate_notify, ACCUMULATE),
    PROA_RECORD_WIDE(Raccumulate_notify, ACCUMULATE),
    PROA_RECORD_WIDE(Get_accumulate_notify, GET_ACCUMULATE),
    PROA_RECORD_WIDE(Rget_accumulate_notify, GET_ACCUMULATE),
    [PROA_CALL_Win_wait_notify] = PROA_STATS_WAIT_NOTIFY,
    [PROA_CALL_Win_waitsome_notify] = PROA_STATS_WAIT_NOTIFY,
};
#undef PROA_RECORD_WIDE

/* Counts a call in the row `row` on the slow path, or a call with a request. Assigns the thread's
 * waits to it. Other arguments as for proa_watched. */
void proa_record_carefully(struct proa_record *record, int row, int rank, int way, uint64_t bytes)
    __attribute__((cold));

/* The observer of statistics (watch/watch.h). Each call and its waits are counted when the call
 * returns; the thread stores its waits until then. So nothing has to be recorded before a call. */
static inline __attribute__((always_inline)) void proa_record_observe(const struct proa_win *win,
                                                                      enum proa_call call, int rank,
                                                                      int way, uint64_t bytes)
{
    struct proa_record *record = win->counter;
    int row = proa_record_rows[call];

    if (call >= PROA_CALL_Put_notify && way < PROA_STATS_WAYS)
        proa_atomic_fetch_add(&record->numbers.notified, 1, PROA_RELAXED);
    if (__builtin_expect(way == PROA_WATCHED_REQUEST ||
                             proa_atomic_load(&proa_record_care, PROA_RELAXED) != 0,
                         0))
        proa_record_carefully(record, row, rank, way, bytes);
    else if (row >= PROA_STATS_OPERATIONS)
        /* one instruction, and no other thread reads meanwhile */
        ++record->numbers.calls[row].count;
    else if (way < PROA_STATS_WAYS) {
        ++record->numbers.operations[row][way].count;
        record->numbers.operations[row][way].bytes += bytes;
    }
}

/* This thread is in the call that completes requests. Its waits there belong to the last operation
 * that returned a request to it. */
void proa_record_waited_for_request(void);

#endif
