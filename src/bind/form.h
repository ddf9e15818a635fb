/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The forms of the calls that programs make often: operations and synchronization.
 *
 * The library exports the fast form. The slow form (PROA_SLOW: the same sources, compiled once
 * more) handles all windows that the fast form does not know. For a watched window it makes the
 * call, and reports it to the observers (watch/watch.h). It passes a handle that is not Proa's to
 * the host. So a window that is not watched pays nothing for those that are. And asking the host
 * costs the fast form no registers, in which its arguments would have to be kept.
 *
 * Operations and flushes have a form between the two (PROA_RULED), for windows with usage rules
 * alone. It handles what takes the plain way, and so breaks no rule and does not wait. It leaves
 * the rest to the slow form.
 */
#ifndef PROA_BIND_FORM_H
#define PROA_BIND_FORM_H

#include "bind/bind.h"
#include "usage/rules.h"
#include "findings/source.h"
#include "watch/watch.h"
#include "host/types.h"

/* Starts the definition of a function of that call, preceded by its other names. The name may be a
 * macro of its own (bind/width.h). */
#if defined PROA_SLOW
#define PROA_ENTRY_OF(name) int proa_slow_##name
#elif defined PROA_RULED
#define PROA_ENTRY_OF(name) int proa_ruled_##name
#else
#define PROA_ENTRY_OF(name)    \
    PROA_HOT PROA_ALIAS(name); \
    PROA_EXPORT PROA_HOT int PMPI_##name
#endif
#define PROA_ENTRY(name) PROA_ENTRY_OF(name)

/* Returns the window of a handle, or NULL if this form knows none. Then the function returns the
 * result of the next form, or of the host, for the same arguments. */
#if defined PROA_SLOW
#define PROA_WIN_OF(handle) (proa_trace_begin(PROA_CALLER), proa_win_find(handle))
#define PROA_NEXT_FORM_OF(name, handle, ...) PROA_HOST_ANSWERS(name, handle, __VA_ARGS__)
#elif defined PROA_RULED
#define PROA_WIN_OF(handle) proa_win_find_ruled(handle)
#define PROA_NEXT_FORM_OF(name, handle, ...) proa_slow_##name(__VA_ARGS__)
#else
#define PROA_WIN_OF(handle) proa_win_find_fast(handle)
#ifdef PROA_HAS_RULED_FORM
#define PROA_NEXT_FORM_OF(name, handle, ...) proa_ruled_##name(__VA_ARGS__)
#else
#define PROA_NEXT_FORM_OF(name, handle, ...) proa_slow_##name(__VA_ARGS__)
#endif
#endif
#define PROA_NEXT_FORM(name, handle, ...) PROA_NEXT_FORM_OF(name, handle, __VA_ARGS__)

#define PROA_DECLARE_FORMS(name) extern __typeof__(PMPI_##name) proa_slow_##name, proa_ruled_##name;
PROA_PMPI_CHAPTER(PROA_DECLARE_FORMS)
#undef PROA_DECLARE_FORMS

/* An outcome of no call: the ruled form leaves the operation to the slow one. */
enum { PROA_LEFT = -1 };

/* Called after a call: reports it to the observers in the slow form, and costs the fast one
 * nothing. Arguments as of proa_watched. */
PROA_FORMS void proa_watch(const struct proa_win *win, enum proa_call call, int rank, int way,
                           uint64_t bytes)
{
#ifdef PROA_SLOW
    proa_watched(win, call, rank, way, bytes);
#else
    (void)win, (void)call, (void)rank, (void)way, (void)bytes;
#endif
}

/* Called before an operation: records its origin buffer. */
PROA_FORMS void proa_origin(const struct proa_win *win, const void *origin, int64_t count,
                            MPI_Datatype datatype)
{
#ifdef PROA_SLOW
    if (PROA_RARELY(proa_handle_of(win)->check))
        proa_check_origin(origin, count, datatype);
#else
    (void)win, (void)origin, (void)count, (void)datatype;
#endif
}

/* The same for its result buffer. */
PROA_FORMS void proa_result(const struct proa_win *win, const void *result, int64_t count,
                            MPI_Datatype datatype)
{
#ifdef PROA_SLOW
    if (PROA_RARELY(proa_handle_of(win)->check))
        proa_check_result(result, count, datatype);
#else
    (void)win, (void)result, (void)count, (void)datatype;
#endif
}

/* Called before a call: reports it to check mode and the trace in the slow form. rank: the
 * target's, or -1. assert: as it was given, 0 for calls without. */
PROA_FORMS void proa_before(const struct proa_win *win, enum proa_call call, int rank, int assert)
{
#ifdef PROA_SLOW
    const struct proa_handle *handle = proa_handle_of(win);

    if (PROA_RARELY(handle->rules || handle->check))
        proa_source_here = proa_source_program(PROA_CALLER);
    if (PROA_RARELY(handle->rules))
        proa_rules_enter(handle->rules, call, rank, assert, proa_source_here);
    if (PROA_RARELY(handle->traced))
        proa_traced_enter(win, call, rank);
    if (PROA_RARELY(handle->check)) {
        proa_has_raised = 0;
        proa_check_enter(handle->check, call, rank);
    }
#else
    (void)win, (void)call, (void)rank, (void)assert;
#endif
}

/* Called after the call. code: one of core's. */
PROA_FORMS void proa_after(const struct proa_win *win, enum proa_call call, int rank, int code)
{
#ifdef PROA_SLOW
    struct proa_rules *rules = proa_handle_of(win)->rules;

    if (PROA_RARELY(rules))
        proa_rules_leave(rules, call, rank, code);
#else
    (void)win, (void)call, (void)rank, (void)code;
#endif
}

/* Called after an operation took the general way. Arguments as of proa_watched_slow. Returns its
 * outcome. */
PROA_FORMS int proa_watch_slow(const struct proa_win *win, enum proa_call call, int rank,
                               int64_t count, MPI_Datatype datatype, int outcome)
{
#ifdef PROA_SLOW
    proa_watched_slow(win, call, rank, count, datatype, outcome);
#else
    (void)win, (void)call, (void)rank, (void)count, (void)datatype;
#endif
    if (outcome == PROA_LEFT) /* so that callers need no check */
        __builtin_unreachable();
    return outcome;
}

/* Called after an operation: reports it to check mode in the slow form. The operation was done if
 * its outcome is MPI_SUCCESS and no error was raised, which a handler of C++ hides. Arguments as of
 * proa_check_operation, and the op, or MPI_OP_NULL. Returns the outcome. */
PROA_FORMS int proa_checked(const struct proa_win *win, enum proa_call call, int rank,
                            MPI_Aint displacement, int64_t count, MPI_Datatype datatype, MPI_Op op,
                            int outcome)
{
#ifdef PROA_SLOW
    struct proa_check *check = proa_handle_of(win)->check;
    int is_done = outcome == MPI_SUCCESS;

    if (PROA_RARELY(check))
        is_done &= !proa_has_raised;
    if (PROA_RARELY(check) && is_done)
        proa_check_operation(check, win, call, rank, displacement, count, datatype, op,
                             proa_source_here);
    proa_after(win, call, rank, is_done ? PROA_OK : PROA_ERR_OTHER);
#else
    (void)win, (void)call, (void)rank, (void)displacement, (void)count, (void)datatype, (void)op;
#endif
    return outcome;
}

/* Records the assertions of a call (PROA_MODE_*), for a trace. */
PROA_FORMS void proa_watch_mode(int mode)
{
#ifdef PROA_SLOW
    proa_trace_thread.mode = (uint8_t)mode;
#else
    (void)mode;
#endif
}

/* Records the index of the counter of a notified operation or wait, for a trace. */
PROA_FORMS void proa_watch_counter(int index)
{
#ifdef PROA_SLOW
    proa_trace_thread.value = 1 + (uint64_t)(uint32_t)index;
#else
    (void)index;
#endif
}

/* Called after a call of synchronization. rank: the target's, or -1. Returns the call's return
 * value. */
PROA_FORMS int proa_finish(const struct proa_win *win, enum proa_call call, int rank, int code)
{
#ifdef PROA_SLOW
    if (code < 0)
        proa_trace_thread.mode |= PROA_TRACE_FAILED;
#endif
    proa_watch(win, call, rank, PROA_WATCHED_NO_WAY, 0);
    proa_after(win, call, rank, code);
    return proa_return(win, call, code);
}

/* A call of synchronization whose only argument is the window. */
#define PROA_ENTRY_ON_WINDOW(name, function)                          \
    PROA_ENTRY(name)(MPI_Win handle)                                  \
    {                                                                 \
        struct proa_win *win = PROA_WIN_OF(handle);                   \
                                                                      \
        if (PROA_RARELY(!win))                                        \
            return PROA_NEXT_FORM(name, handle, handle);              \
        proa_before(win, PROA_CALL_##name, -1, 0);                    \
        return proa_finish(win, PROA_CALL_##name, -1, function(win)); \
    }

/* The same for a call whose arguments are a target and the window. */
#define PROA_ENTRY_AT_TARGET(name, function)                    \
    PROA_ENTRY(name)(int rank, MPI_Win handle)                  \
    {                                                           \
        struct proa_win *win = PROA_WIN_OF(handle);             \
        int error;                                              \
                                                                \
        if (PROA_RARELY(!win))                                  \
            return PROA_NEXT_FORM(name, handle, rank, handle);  \
        proa_before(win, PROA_CALL_##name, rank, 0);            \
        error = proa_check_rank(win, rank);                     \
        if (!error)                                             \
            error = function(win, rank);                        \
        return proa_finish(win, PROA_CALL_##name, rank, error); \
    }

#endif
