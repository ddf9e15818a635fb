/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Put_notify, Get_notify, Accumulate_notify, Get_accumulate_notify, their request forms, and
 * the large-count forms of all (draft of MPI-5.1, 12.6).
 *
 * Each is the operation of that name without "notify" (operation.h), between two calls that look
 * for the target's counter and count it up (sync/counters.h).
 */
#include "notify/notified.h"
#include "bind/operation.h"
#include "sync/counters.h"

/* Has the operation a counter to count up? MPI_SUCCESS, or the class that was raised. A negative
 * index is an error towards MPI_PROC_NULL as well. A rank outside is the operation's error. */
PROA_FORMS int begin(struct proa_win *win, enum proa_call call, int rank, int index)
{
    int error = proa_check_passive(win, call, rank, PROA_LAX_NOTIFIED, "notified");

    if (error != MPI_SUCCESS)
        return error;
    if (proa_is_in(win, rank))
        return proa_return(win, call, proa_notified_begin(win, rank, index));
    return proa_return(win, call, index < 0 ? proa_counter_outside(rank, index, 0) : PROA_OK);
}

/* outcome: the operation's. */
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

/* The same of a request form. The request speaks of the data alone: the counter is not a part. */
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

#ifdef PROA_SLOW
#define NOTIFIED(name) PROA_ENTRY(name)
#define NEXT_FORM_OF(name, handle, ...) PROA_NOTIFIED_HOST_ANSWERS(name, handle, __VA_ARGS__)
#else
#define NOTIFIED_OF(name)              \
    PROA_HOT PROA_NOTIFIED_NAME(name); \
    PROA_ENTRY(name)
#define NOTIFIED(name) NOTIFIED_OF(name)
#define NEXT_FORM_OF(name, handle, ...) proa_slow_##name(__VA_ARGS__)
#endif
#define NEXT_FORM(name, handle, ...) NEXT_FORM_OF(name, handle, __VA_ARGS__)

#include "notify/notified_calls.h" /* with counts of int */
#define PROA_LARGE
#include "notify/notified_calls.h" /* and of MPI_Count */
