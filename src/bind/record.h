/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counts of a window (PROA_STATS): each window has a record in this process, which outlives the
 * window. When the window is freed its rank 0 gets the records of all, and tells of them when MPI
 * ends (bind/report.h).
 */
#ifndef PROA_BIND_RECORD_H
#define PROA_BIND_RECORD_H

#include "base/calls.h"
#include "base/hidden.h"
#include "host/handle.h"
#include "proa.h"
#include "type/basic.h"

#include <mpi.h>
#include <stdint.h>

struct proa_record {
    struct proa_win *win;      /* as long as the table of handles knows the record */
    struct proa_stats numbers; /* except for those of: */
    unsigned long long ones[PROA_STATS_OPERATIONS - PROA_STATS_FETCH_AND_OP][PROA_BASIC_COUNT];
    int open;       /* the window has come to be, and is not freed yet */
    int rank, size; /* of its group */
    enum proa_flavor flavor;
    char name[64];
    MPI_Comm comm; /* to gather by; MPI_COMM_NULL: not all ranks count */
    unsigned uses; /* of its memory by earlier windows, which a thread may still refer to */
    int room;      /* for so many ranks */
    struct proa_record *next_spare;
    /* nanoseconds waited, by the rank that was waited for, where one is known */
    unsigned long long waited_for[];
};

/* Are there records? Set before the first window, never changed. */
extern PROA_HIDDEN int proa_counting;

/* The reasons not to count in the fast path: several threads may call at once, which never changes
 * back; or some thread has waited, and has not yet told for which call. Usually 0, and the fast
 * path checks only that. */
enum { PROA_RECORD_THREADS = 1, PROA_RECORD_WAITED = 2 };
extern PROA_HIDDEN unsigned proa_record_slowly;

/* Begins to count, if the setting says so. Before the first window. */
void proa_record_start(void);

/* A record for a window that is being made for comm; NULL: nothing is counted, or there is no
 * memory. */
struct proa_record *proa_record_new(MPI_Comm comm);

/* Operations on the window are counted in this record from now on. NULL: they are counted in a
 * place that is never read, so that counting need not check for a record. */
void proa_record_of_window(struct proa_record *record, struct proa_win *win);

/* The window has come to be: record->win. Collective over comm if all count. */
void proa_record_open(struct proa_record *record, MPI_Comm comm);

/* The window is about to be freed: no thread works on it any more. Collective if all count. */
void proa_record_close(struct proa_record *record, struct proa_win *win);

/* Puts the record on the free list, for another window. NULL: does nothing. */
void proa_record_drop(struct proa_record *record);

/* The numbers of a window that is not freed yet, with those that are known only now. */
void proa_record_read(const struct proa_record *record, struct proa_stats *numbers);

/* ---- counting ---- */

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

/* Each call is counted when it is over, and so are its waits: the thread keeps them until it tells
 * which call it was in. So nothing has to be noted before a call. */

/* Counts in the slow path: adds one to *count, and the bytes to *bytes (if that is not NULL).
 * Assigns the thread's waits to this call. row: PROA_STATS_*; rank: the target's, or -1. */
void proa_record_count_slowly(const struct proa_win *win, int row, int rank,
                              unsigned long long *count, unsigned long long *bytes, uint64_t more)
    __attribute__((cold));

/* bytes: NULL, or where more is added. */
static inline __attribute__((always_inline)) void
proa_record_count(const struct proa_win *win, int row, int rank, unsigned long long *count,
                  unsigned long long *bytes, uint64_t more)
{
    if (__builtin_expect(__atomic_load_n(&proa_record_slowly, __ATOMIC_RELAXED) != 0, 0)) {
        proa_record_count_slowly(win, row, rank, count, bytes, more);
        return;
    }
    ++*count; /* one instruction, and no other thread looks meanwhile */
    if (bytes)
        *bytes += more;
}

/* A call of synchronization. The row is a constant where these are inlined. */
static inline __attribute__((always_inline)) void proa_record_call(const struct proa_win *win,
                                                                   enum proa_call call, int rank)
{
    struct proa_record *record = win->counter;
    int row = proa_row_of(call);

    proa_record_count(win, row, rank, &record->numbers.calls[row].count, NULL, 0);
}

/* A flush with one thread and no process to wait for. */
static inline __attribute__((always_inline)) void proa_record_flush(const struct proa_win *win)
{
    struct proa_record *record = win->counter;

    ++record->numbers.calls[PROA_STATS_FLUSH].count;
}

/* An operation that was done in that way. */
static inline __attribute__((always_inline)) void proa_record_way(const struct proa_win *win,
                                                                  enum proa_call call, int rank,
                                                                  enum proa_stats_way way,
                                                                  uint64_t bytes)
{
    struct proa_record *record = win->counter;
    int row = proa_row_of(call);

    proa_record_count(win, row, rank, &record->numbers.operations[row][way].count,
                      &record->numbers.operations[row][way].bytes, bytes);
}

/* A fetch-and-op or compare-and-swap that was done in the plain way, on one element of a basic
 * type: the type is all there is to keep, as it tells the bytes too. */
static inline __attribute__((always_inline)) void
proa_record_one(const struct proa_win *win, enum proa_call call, int rank, uint8_t basic)
{
    struct proa_record *record = win->counter;
    int row = proa_row_of(call);

    proa_record_count(win, row, rank, &record->ones[row - PROA_STATS_FETCH_AND_OP][basic], NULL, 0);
}

/* An operation of this call has gone the general way, and was done unless outcome says that it
 * failed. */
void proa_record_generally(const struct proa_win *win, enum proa_call call, int rank, int64_t count,
                           MPI_Datatype datatype, int outcome);

/* Assigns the thread's waits to an operation of this call that is counted already. */
void proa_record_waited(const struct proa_win *win, enum proa_call call, int rank);

/* The same in the call that completes its request: the thread's waits there are for the last
 * operation that it was given a request for. */
void proa_record_request(const struct proa_win *win, enum proa_call call, int rank);
void proa_record_waited_for_request(void);

/* Forgets the thread's waits: they belong to no counted call. */
void proa_record_forget(void);

#endif
