/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Put_notify, Get_notify, Accumulate_notify, Get_accumulate_notify, their request forms, and
 * the large-count forms of all (draft of MPI-5.1, 12.6).
 *
 * Each is the operation of that name without "notify" (operation.h), between two calls that find
 * the target's counter and count it up (sync/counters.h).
 */
#include "notify/notified.h"
#include "bind/operation.h"
#include "sync/counters.h"

/* Checks that the operation has a counter to count up. A negative index is an error for
 * MPI_PROC_NULL as well. A rank out of range is left to the operation. Returns MPI_SUCCESS, or the
 * class that was raised. */
PROA_FORMS int begin(struct proa_win *win, enum proa_call call, int rank, int index)
{
    int error = proa_check_passive(win, call, rank, PROA_LAX_NOTIFIED, "notified");

    if (error != MPI_SUCCESS)
        return error;
    proa_watch_counter(index);
    if (proa_is_in(win, rank))
        return proa_return(win, call, proa_notified_begin(win, rank, index));
    return proa_return(win, call, index < 0 ? proa_counter_outside(rank, index, 0) : PROA_OK);
}

/* outcome: that of the operation */
PROA_FORMS int end(struct proa_win *win, enum proa_call call, int rank, int index, int outcome)
{
    int error;

    if (!proa_is_in(win, rank))
        return outcome;
    error = proa_notified_end(win, rank, (uint32_t)index, outcome == MPI_SUCCESS);
    return outcome == MPI_SUCCESS ? proa_return(win, call, error) : outcome;
}

/* The body of a function: `operation` is issued between the two. */
#define NOTIFY(win, call, rank, index, operation)         \
    int outcome = begin(win, call, rank, index);          \
                                                          \
    if (outcome == MPI_SUCCESS)                           \
        outcome = end(win, call, rank, index, operation); \
    return outcome

/* The same for a request form. The request covers only the data, not the counter. */
#define NOTIFY_REQUESTED(win, call, rank, index, request, operation) \
    int outcome = begin(win, call, rank, index);                     \
    struct proa_greq *given;                                         \
                                                                     \
    *request = MPI_REQUEST_NULL;                                     \
    if (outcome != MPI_SUCCESS)                                      \
        return outcome;                                              \
    given = proa_requested_begin(win, call, rank);                   \
    outcome = end(win, call, rank, index, operation);                \
    return proa_requested_end(win, call, rank, given, outcome, request)

/* ---- put and get ---- */

/* Shared body of both. */
PROA_FORMS int move(struct proa_win *win, enum proa_call call, enum proa_direction direction,
                    const void *origin, int64_t count, MPI_Datatype datatype, int rank,
                    MPI_Aint displacement, int64_t target_count, MPI_Datatype target_datatype,
                    int index)
{
    NOTIFY(win, call, rank, index,
           proa_do_move(win, call, direction, origin, count, datatype, rank, displacement,
                        target_count, target_datatype));
}

#ifdef PROA_SLOW /* the window is watched */
#define MAY_BE_PLAIN 0
#define NOTIFIED(name) PROA_ENTRY(name)
#define NEXT_FORM_OF(name, handle, ...) PROA_NOTIFIED_HOST_ANSWERS(name, handle, __VA_ARGS__)
#else
#define MAY_BE_PLAIN 1
#define NOTIFIED_OF(name)              \
    PROA_HOT PROA_NOTIFIED_NAME(name); \
    PROA_ENTRY(name)
#define NOTIFIED(name) NOTIFIED_OF(name)
#define NEXT_FORM_OF(name, handle, ...) proa_slow_##name(__VA_ARGS__)

static __attribute__((noinline)) void copy_long_and_count(void *to, const void *from,
                                                          uint64_t bytes,
                                                          const struct proa_target *target,
                                                          uint64_t *counter)
{
    memcpy(to, from, bytes);
    proa_counter_up_at(target, counter);
}

/* Copies a word, or nothing, without a call. */
PROA_FORMS void copy_and_count(void *to, const void *from, uint64_t bytes,
                               const struct proa_target *target, uint64_t *counter)
{
    if (bytes != 0 && bytes != sizeof(uint64_t)) {
        copy_long_and_count(to, from, bytes, target, counter);
        return;
    }
    if (bytes) {
        /* the atomic addition first waits for the word's line, and would then wait for its own */
        proa_line_prefetch(counter);
        memcpy(to, from, sizeof(uint64_t));
    }
    proa_counter_up_at(target, counter);
}

/* Like proa_move_plain, for a neighbour that is locked and has the counter. Calls come last, and
 * each result is used before the next look-up. So few registers have to be saved, which would take
 * a good part of the time. */
PROA_FORMS int move_plain(enum proa_direction direction, const void *origin, int64_t count,
                          MPI_Datatype datatype, int rank, MPI_Aint displacement, int index,
                          MPI_Win handle)
{
    struct proa_win *win = proa_win_find_fast(handle);
    const struct proa_target *target;
    const struct proa_type *type;
    uint64_t *counter, bytes;
    char *at = NULL;

    if (!win || !proa_is_in(win, rank))
        return 0;
    type = proa_table_find(&proa_types, PROA_TABLE_KEY(datatype));
    if (!type || !type->plain_bytes || (uint64_t)count > INT32_MAX ||
        (proa_epoch_towards(win, rank) & (PROA_EPOCH_LOCK | PROA_EPOCH_AWAITED)) != PROA_EPOCH_LOCK)
        return 0;
    bytes = (uint64_t)count * type->plain_bytes;
    target = &win->targets[rank];
    if (bytes) {
        at = proa_ready_address(target, displacement, bytes);
        if (!at || !origin)
            return 0;
    }
    counter = proa_counter_fetched(win, rank, index);
    if (!counter)
        return 0;
    if (direction == PROA_PUT)
        proa_touch_store(win);
    else
        proa_touch_load(win);
    copy_and_count(direction == PROA_PUT ? at : (void *)(uintptr_t)origin,
                   direction == PROA_PUT ? origin : at, bytes, target, counter);
    return 1;
}

PROA_EXPORT PROA_HOT int PROA_Notify_put(const void *origin, MPI_Count count, MPI_Datatype datatype,
                                         int rank, MPI_Aint displacement, int index, MPI_Win handle)
{
    return move_plain(PROA_PUT, origin, count, datatype, rank, displacement, index, handle);
}

PROA_EXPORT PROA_HOT int PROA_Notify_get(const void *origin, MPI_Count count, MPI_Datatype datatype,
                                         int rank, MPI_Aint displacement, int index, MPI_Win handle)
{
    return move_plain(PROA_GET, origin, count, datatype, rank, displacement, index, handle);
}
#endif
#define NEXT_FORM(name, handle, ...) NEXT_FORM_OF(name, handle, __VA_ARGS__)

#include "notify/notified_calls.h" /* with counts of int */
#define PROA_LARGE
#include "notify/notified_calls.h" /* with counts of MPI_Count */
