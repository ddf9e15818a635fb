/* SPDX-License-Identifier: BSD-3-Clause */
/* The notification counters of a window (draft of MPI-5.1, 12.6.1): their number, their values, and
 * waits for them (sync/counters.h). */
#include "notify/notified.h"
#include "sync/counters.h"
#include "usage/rules.h"
#include "watch/watch.h"

#include <stdlib.h>

/* Called when the program polls for a value. Lets the network and other processes make progress,
 * which may change the value. */
static void polled(struct proa_win *win)
{
    if (win->remote_window)
        proa_wait_idle();
    else
        proa_polled(&win->polls);
}

static int check_own(const struct proa_win *win, int index)
{
    return proa_counter_check(win->rank, index, proa_counters_near(win, win->rank));
}

/* The info is not read: the draft's one hint, mpi_assert_same_num_notifications, saves nothing. */
PROA_NOTIFIED_NAME(Win_set_num_notify);
PROA_MPI(Win_set_num_notify)(MPI_Win handle, MPI_Info info, int number)
{
    struct proa_win *win = proa_win_find(handle);

    int error;

    if (!win)
        return PROA_NOTIFIED_HOST_ANSWERS(Win_set_num_notify, handle, handle, info, number);
    proa_trace_begin(__builtin_return_address(0));
    error = proa_counters_set(win, number, proa_handle_of(win)->notify_num_most);
    proa_traced_put(win, PROA_CALL_Win_set_num_notify, 0, (uint64_t)number);
    proa_waits_forget(); /* statistics do not count this call */
    return proa_return(win, PROA_CALL_Win_set_num_notify, error);
}

PROA_NOTIFIED_NAME(Win_get_num_notify);
PROA_MPI(Win_get_num_notify)(MPI_Win handle, int rank, int *number)
{
    struct proa_win *win = proa_win_find(handle);
    uint32_t found = 0;
    int error;

    if (!win)
        return PROA_NOTIFIED_HOST_ANSWERS(Win_get_num_notify, handle, handle, rank, number);
    error = proa_check_rank(win, rank);
    if (error == PROA_OK)
        error = proa_counters_number(win, rank, &found);
    *number = (int)found; /* 0 for MPI_PROC_NULL */
    if (proa_waits.count) /* a wait for an answer: statistics do not count this call */
        proa_waits_forget();
    return proa_return(win, PROA_CALL_Win_get_num_notify, error);
}

PROA_NOTIFIED_NAME(Win_get_notify_value);
PROA_MPI(Win_get_notify_value)(MPI_Win handle, int index, MPI_Count *value)
{
    struct proa_win *win = proa_win_find(handle);
    int error;

    if (!win)
        return PROA_NOTIFIED_HOST_ANSWERS(Win_get_notify_value, handle, handle, index, value);
    error = check_own(win, index);
    if (error)
        return proa_return(win, PROA_CALL_Win_get_notify_value, error);
    polled(win);
    *value = (MPI_Count)proa_counter_value(win, (uint32_t)index);
    return MPI_SUCCESS;
}

PROA_NOTIFIED_NAME(Win_reset_notify_value);
PROA_MPI(Win_reset_notify_value)(MPI_Win handle, int index, MPI_Count *value)
{
    struct proa_win *win = proa_win_find(handle);
    int error;

    if (!win)
        return PROA_NOTIFIED_HOST_ANSWERS(Win_reset_notify_value, handle, handle, index, value);
    proa_trace_begin(__builtin_return_address(0));
    error = check_own(win, index);
    if (error)
        return proa_return(win, PROA_CALL_Win_reset_notify_value, error);
    polled(win);
    *value = (MPI_Count)proa_counter_reset(win, (uint32_t)index);
    if (*value) /* programs poll with this call */
        proa_traced_put(win, PROA_CALL_Win_reset_notify_value, 1 + (uint64_t)index,
                        (uint64_t)*value);
    return MPI_SUCCESS;
}

/* ---- waits: beyond the draft ---- */

/* Returns the least value to wait for: a value below 1 has been reached. */
static uint64_t least(MPI_Count expected)
{
    return expected > 0 ? (uint64_t)expected : 0;
}

/* Reports the begin of a wait to check mode and the trace. index: counter; -1 for several. */
static void begin(const struct proa_win *win, enum proa_call call, int index, void *caller)
{
    struct proa_rules *rules = proa_handle_of(win)->rules;

    proa_trace_begin(caller);
    if (proa_handle_of(win)->traced) {
        proa_trace_thread.value = index < 0 ? 0 : 1 + (uint64_t)index;
        proa_traced_enter(win, call, -1);
    }
    if (rules)
        proa_rules_enter(rules, call, -1, 0, caller);
}

/* Adds the counter and its value to the record of a wait. */
static void trace(const struct proa_win *win, int index, int error)
{
    if (error)
        proa_trace_thread.mode |= PROA_TRACE_FAILED;
    if (error || index < 0)
        return;
    proa_trace_thread.value = 1 + (uint64_t)index;
    proa_trace_thread.place = proa_counter_value(win, (uint32_t)index);
}

/* Reports the end of a wait to the observers of a watched window. index: counter; -1 for none. */
static int finish(const struct proa_win *win, enum proa_call call, int index, int error)
{
    struct proa_rules *rules = proa_handle_of(win)->rules;

    if (proa_handle_of(win)->traced)
        trace(win, index, error);
    if (proa_handle_of(win)->record || proa_handle_of(win)->traced)
        proa_watched(win, call, -1, PROA_WATCHED_NO_WAY, 0);
    if (rules)
        proa_rules_leave(rules, call, -1, error);
    return proa_return(win, call, error);
}

static int await_own(struct proa_win *win, int index, MPI_Count expected)
{
    int error = check_own(win, index);

    return error ? error : proa_counter_await(win, (uint32_t)index, least(expected));
}

/* For a window that is watched, or not Proa's. */
static __attribute__((noinline)) int wait_observed(MPI_Win handle, int index, MPI_Count expected,
                                                   void *caller)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return proa_raise_unserved(handle, PROA_CALL_Win_wait_notify);
    begin(win, PROA_CALL_Win_wait_notify, index, caller);
    return finish(win, PROA_CALL_Win_wait_notify, index, await_own(win, index, expected));
}

/* For a counter that has not reached the value, or does not exist. */
static __attribute__((noinline)) PROA_HOT int wait_long(struct proa_win *win, int index,
                                                        MPI_Count expected)
{
    return proa_return(win, PROA_CALL_Win_wait_notify, await_own(win, index, expected));
}

/* The other functions are tail calls: a neighbour answers sooner than they would return. */
PROA_HOT PROA_EXPORT int PROA_Win_wait_notify(MPI_Win handle, int index, MPI_Count expected)
{
    struct proa_win *win = proa_win_find_fast(handle);
    const uint64_t *word;

    if (PROA_RARELY(!win))
        return wait_observed(handle, index, expected, __builtin_return_address(0));
    word = proa_counter_fetched(win, win->rank, index);
    return word && proa_counter_comes(word, least(expected)) ? MPI_SUCCESS
                                                             : wait_long(win, index, expected);
}

/* thresholds: room for `count`; NULL if there was no memory. */
static int await_some(struct proa_win *win, struct proa_threshold *thresholds, int count,
                      const int indices[], const MPI_Count expected[], int *outcount, int which[])
{
    if (!thresholds)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a wait");
    for (int i = 0; i < count; i++) {
        int error = check_own(win, indices[i]);

        if (error)
            return error;
        thresholds[i] = (struct proa_threshold){(uint32_t)indices[i], least(expected[i])};
    }
    return count ? proa_counters_await_some(win, thresholds, count, outcount, which) : PROA_OK;
}

PROA_EXPORT int PROA_Win_waitsome_notify(MPI_Win handle, int count, const int indices[],
                                         const MPI_Count expected[], int *outcount, int which[])
{
    struct proa_win *win = proa_win_find(handle);
    struct proa_threshold *thresholds;
    int error;

    if (!win)
        return proa_raise_unserved(handle, PROA_CALL_Win_waitsome_notify);
    *outcount = 0;
    if (count < 0)
        return proa_return(
            win, PROA_CALL_Win_waitsome_notify,
            proa_fail(PROA_ERR_COUNT, "the count of counters, %d, is negative", count));
    begin(win, PROA_CALL_Win_waitsome_notify, -1, __builtin_return_address(0));
    thresholds = calloc((size_t)count + 1, sizeof *thresholds);
    error = await_some(win, thresholds, count, indices, expected, outcount, which);
    free(thresholds);
    return finish(win, PROA_CALL_Win_waitsome_notify, *outcount > 0 ? indices[which[0]] : -1,
                  error);
}

PROA_EXPORT int PROA_Win_get_notify_address(MPI_Win handle, int index, void *address)
{
    struct proa_win *win = proa_win_find(handle);
    int error;

    if (!win)
        return proa_raise_unserved(handle, PROA_CALL_Win_get_notify_address);
    error = check_own(win, index);
    if (!error)
        *(uint64_t **)address = proa_counter_of(win, win->rank, (uint32_t)index);
    return proa_return(win, PROA_CALL_Win_get_notify_address, error);
}

/* ---- include/proa_notify.h ---- */

PROA_EXPORT int PROA_Notify_is_native(MPI_Win handle);
PROA_EXPORT int PROA_Notify_is_native(MPI_Win handle)
{
    return proa_win_find(handle) != NULL || PROA_PMPI_FIND(Put_notify) != NULL;
}

PROA_EXPORT int PROA_Notify_error_class(void);
PROA_EXPORT int PROA_Notify_error_class(void)
{
    return proa_class_of_notification();
}

PROA_EXPORT int PROA_Notify_keyval(int which);
PROA_EXPORT int PROA_Notify_keyval(int which)
{
    return which >= 0 && which < PROA_NOTIFY_KEYVALS
               ? proa_notify_keyval((enum proa_notify_keyval)which)
               : MPI_KEYVAL_INVALID;
}
