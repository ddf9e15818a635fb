/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is counted of a window (PROA_STATS): a record for each, of this process, which outlives the
 * window. When the window is freed its rank 0 gets the records of all, and tells of them when MPI
 * ends (bind/report.h).
 */
#ifndef PROA_BIND_RECORD_H
#define PROA_BIND_RECORD_H

#include "base/calls.h"
#include "host/handle.h"
#include "proa.h"

#include <mpi.h>
#include <stdint.h>

struct proa_record {
    struct proa_win *win; /* as long as the table of handles knows the record */
    struct proa_stats numbers;
    int open;       /* the window has come to be, and is not freed yet */
    int rank, size; /* of its group */
    enum proa_flavor flavor;
    char name[64];
    MPI_Comm comm; /* to gather by; MPI_COMM_NULL: not all ranks count */
    /* nanoseconds waited, by the rank that was waited for, where one is known */
    unsigned long long waited_for[];
};

/* Are there records? Set before the first window, never changed. */
extern int proa_counting;

/* What the thread is in. */
struct proa_now {
    struct proa_record *record; /* NULL, or one that is not open: nothing that is counted */
    int row;                    /* PROA_STATS_* */
    int rank;                   /* of the target, or -1 */
};
extern _Thread_local struct proa_now proa_now __attribute__((tls_model("initial-exec")));

/* Begins to count, if the setting says so. Before the first window. */
void proa_record_start(void);

/* A record for a window that is being made for comm; NULL: nothing is counted, or there is no
 * memory. */
struct proa_record *proa_record_new(MPI_Comm comm);

/* The window has come to be: record->win. Collective over comm if all count. */
void proa_record_open(struct proa_record *record, MPI_Comm comm);

/* The window is about to be freed: nobody works on it any more. Collective if all count. */
void proa_record_close(struct proa_record *record, struct proa_win *win);

/* The thread is in no call that is counted. */
static inline void proa_record_leave(void)
{
    proa_now.record = NULL;
}

/* The numbers of a window that is not freed yet, with what only is known of it now. */
void proa_record_read(const struct proa_record *record, struct proa_stats *numbers);

/* ---- counting ---- */

/* By one thread, unless the window says that there are several. Without them it is a plain
 * addition, which is one instruction: nobody else looks meanwhile. */
static inline void proa_record_add(const struct proa_win *win, unsigned long long *number,
                                   unsigned long long more)
{
    if (__builtin_expect(win->threads, 0))
        __atomic_fetch_add(number, more, __ATOMIC_RELAXED);
    else
        *number += more;
}

static inline __attribute__((always_inline)) int proa_row_of(enum proa_call call)
{
    switch (call) {
#define PROA_ROW_OF(call, row) \
    case PROA_CALL_##call:     \
        return PROA_STATS_##row;
        PROA_ROW_OF(Put, PUT)
        PROA_ROW_OF(Put_c, PUT)
        PROA_ROW_OF(Rput, PUT)
        PROA_ROW_OF(Rput_c, PUT)
        PROA_ROW_OF(Get, GET)
        PROA_ROW_OF(Get_c, GET)
        PROA_ROW_OF(Rget, GET)
        PROA_ROW_OF(Rget_c, GET)
        PROA_ROW_OF(Accumulate, ACCUMULATE)
        PROA_ROW_OF(Accumulate_c, ACCUMULATE)
        PROA_ROW_OF(Raccumulate, ACCUMULATE)
        PROA_ROW_OF(Raccumulate_c, ACCUMULATE)
        PROA_ROW_OF(Get_accumulate, GET_ACCUMULATE)
        PROA_ROW_OF(Get_accumulate_c, GET_ACCUMULATE)
        PROA_ROW_OF(Rget_accumulate, GET_ACCUMULATE)
        PROA_ROW_OF(Rget_accumulate_c, GET_ACCUMULATE)
        PROA_ROW_OF(Fetch_and_op, FETCH_AND_OP)
        PROA_ROW_OF(Compare_and_swap, COMPARE_AND_SWAP)
        PROA_ROW_OF(Win_fence, FENCE)
        PROA_ROW_OF(Win_start, START)
        PROA_ROW_OF(Win_complete, COMPLETE)
        PROA_ROW_OF(Win_post, POST)
        PROA_ROW_OF(Win_wait, WAIT)
        PROA_ROW_OF(Win_test, TEST)
        PROA_ROW_OF(Win_lock, LOCK)
        PROA_ROW_OF(Win_unlock, UNLOCK)
        PROA_ROW_OF(Win_lock_all, LOCK_ALL)
        PROA_ROW_OF(Win_unlock_all, UNLOCK_ALL)
        PROA_ROW_OF(Win_flush, FLUSH)
        PROA_ROW_OF(Win_flush_all, FLUSH)
        PROA_ROW_OF(Win_flush_local, FLUSH)
        PROA_ROW_OF(Win_flush_local_all, FLUSH)
#undef PROA_ROW_OF
    default:
        return PROA_STATS_SYNC;
    }
}

/* A window of which nothing is counted; NULL: none of Proa's. The thread is in no call that is: it
 * has a record that nobody looks at, so that counting need not ask whether there is one. */
struct proa_win *proa_uncounted_window(MPI_Win handle) __attribute__((cold));

/* For the counted form: the window, and that the thread is in this call. Operations are counted
 * when they are done, by the way that they went. */
static inline __attribute__((always_inline)) struct proa_win *
proa_counted_window(MPI_Win handle, enum proa_call call, int rank)
{
    struct proa_record *record = proa_record_find(handle);
    struct proa_win *win;
    int row = proa_row_of(call);

    if (__builtin_expect(!record, 0))
        return proa_uncounted_window(handle);
    win = record->win;
    if (!win)
        __builtin_unreachable();
    if (row >= PROA_STATS_OPERATIONS)
        proa_record_add(win, &record->numbers.calls[row].count, 1);
    /* a flush on one node waits for nobody */
    if ((row != PROA_STATS_FLUSH && row != PROA_STATS_SYNC) || win->general)
        proa_now = (struct proa_now){record, row, rank};
    return win;
}

/* The operation that the thread is in was done that way. The row is a constant where this is
 * inlined. */
static inline __attribute__((always_inline)) void proa_record_way(const struct proa_win *win,
                                                                  enum proa_call call,
                                                                  enum proa_stats_way way,
                                                                  uint64_t bytes)
{
    struct proa_record *record = proa_now.record;
    int row = proa_row_of(call);

    proa_record_add(win, &record->numbers.operations[row][way].count, 1);
    proa_record_add(win, &record->numbers.operations[row][way].bytes, bytes);
}

/* An operation of this call was done in the general way. */
void proa_record_generally(const struct proa_win *win, enum proa_call call, int rank, int64_t count,
                           MPI_Datatype datatype);

#endif
