/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Win_create, allocate, allocate_shared, create_dynamic, free (MPI-4.1, 13.2). */
#include "base/log.h"
#include "bind/bind.h"
#include "bind/greq.h"
#include "check/local.h"
#include "check/messages.h"
#include "check/ordering.h"
#include "create/create.h"
#include "usage/rules.h"
#include "hang/waits.h"
#include "watch/watch.h"
#include "host/hints.h"
#include "host/left.h"
#include "sync/barrier.h"
#include "sync/sync.h"
#include "job/presence.h"
#include "job/exchange.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The arguments of a call that creates a window. */
struct request {
    enum proa_call call;
    enum proa_flavor flavor;
    void *base;
    MPI_Aint bytes;
    MPI_Aint disp_unit;
    MPI_Info info;
    MPI_Comm comm;
    MPI_Win *win;
    const void *caller; /* the return address */
};

/* ---- checks ---- */

/* Checks the arguments of this process. An error is shown to all processes, and becomes the error
 * of each. */
static int request_check(const struct request *r)
{
    if (r->bytes < 0)
        return proa_fail(PROA_ERR_SIZE, "size %lld is negative", (long long)r->bytes);
    if (r->disp_unit <= 0)
        return proa_fail(PROA_ERR_DISP, "disp_unit %lld is not positive", (long long)r->disp_unit);
    if (r->flavor == PROA_FLAVOR_CREATE && !r->base && r->bytes > 0)
        return proa_fail(PROA_ERR_BASE, "base is NULL, but size is %lld", (long long)r->bytes);
    return PROA_OK;
}

/* Checks the communicator: without a valid one no other process can be informed. */
static int comm_check(MPI_Comm comm)
{
    int inter = 0;

    if (comm == MPI_COMM_NULL)
        return proa_fail(PROA_ERR_COMM, "the communicator is MPI_COMM_NULL");
    if (proa_pmpi()->Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_COMM, "the communicator is not valid");
    if (inter)
        return proa_fail(PROA_ERR_COMM, "the communicator is an intercommunicator");
    return PROA_OK;
}

/* ---- creation ---- */

static void args_fill(struct proa_create_args *args, const struct request *r,
                      const struct proa_hints *hints, int error)
{
    *args = (struct proa_create_args){.flavor = r->flavor,
                                      .base = r->base,
                                      .bytes = (uint64_t)r->bytes,
                                      .disp_unit = r->disp_unit};
    args->align = (size_t)strtol(hints->alignment, NULL, 10);
    args->noncontig = strcasecmp(hints->noncontig, "true") == 0;
    args->threads = proa_has_threads();
    args->adopt = proa_hints_adopt(hints);
    args->error = error;
    if (error)
        args->bytes = 0;
}

static void attributes_fill(struct proa_handle *handle, const struct request *r)
{
    static const int flavors[] = {[PROA_FLAVOR_CREATE] = MPI_WIN_FLAVOR_CREATE,
                                  [PROA_FLAVOR_ALLOCATE] = MPI_WIN_FLAVOR_ALLOCATE,
                                  [PROA_FLAVOR_DYNAMIC] = MPI_WIN_FLAVOR_DYNAMIC,
                                  [PROA_FLAVOR_SHARED] = MPI_WIN_FLAVOR_SHARED};

    handle->bytes = r->bytes;
    handle->disp_unit = r->disp_unit <= INT_MAX ? (int)r->disp_unit : MPI_UNDEFINED;
    handle->flavor = flavors[r->flavor];
    handle->model = MPI_WIN_UNIFIED;
    handle->notify_value_most = INT64_MAX;
}

/* A host has about 2,000 communicators. Windows beyond this number get none: each process reports
 * only its own part. */
enum { GATHERED_MOST = 256 };

/* The first window determines whether there are records at all. */
static struct proa_record *record_for_window(MPI_Comm comm)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, proa_watch_start);
    return proa_record_new(comm);
}

/* Creates the objects of the host that this process needs. Returns PROA_OK, PROA_ELSEWHERE or a
 * negative code. By the exchange the result becomes the outcome of all processes. */
static int handle_prepare(const struct request *r, struct proa_handle **handle)
{
    int error;

    if (!proa_is_on(r->comm))
        return proa_fail(PROA_ELSEWHERE, "%s", proa_why_off());
    error = request_check(r);
    if (!error)
        error = proa_handle_new(r->comm, handle);
    if (!error) {
        attributes_fill(*handle, r);
        (*handle)->record = record_for_window(r->comm);
        (*handle)->check = proa_check_new(r->comm);
        (*handle)->traced = proa_traced_new();
    }
    return error;
}

/* The last step that may fail: it precedes the last agreement. */
static int handle_finish(struct proa_win *win, void *user)
{
    struct proa_handle *handle = user;

    proa_record_of_window(handle->record, win);
    win->traced = proa_traced_number(handle->traced);
    return proa_handle_enter(handle, win);
}

/* Returns PROA_OK, PROA_ELSEWHERE if the host has to create the window, or a negative code. */
static int create(const struct request *r)
{
    struct proa_handle *handle = NULL;
    MPI_Comm comm = r->comm;
    struct proa_create_args args;
    struct proa_hints hints;
    struct proa_group group;
    struct proa_win *win;
    struct proa_message message;
    int outcome = handle_prepare(r, &handle);

    proa_message_before(&message, PROA_MESSAGE_MEET, comm, -1);
    proa_hints_read(r->info, &hints);
    args_fill(&args, r, &hints, outcome);
    args.finish = handle_finish;
    args.user = handle;
    if (handle && handle->record && proa_handles_alive() < GATHERED_MOST)
        args.counted |= PROA_COUNTED_STATS;
    if (handle && proa_settings()->check)
        args.counted |= PROA_COUNTED_CHECK;
    if (handle && handle->traced && proa_handles_alive() < GATHERED_MOST)
        args.counted |= PROA_COUNTED_TRACE;
    proa_exchange_over(&comm, &group);
    outcome = proa_win_create(&args, &group, &win);
    if (outcome == PROA_OK) {
        /* without a handle, the outcome is an error on all ranks */
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
        handle->hints = hints;
        handle->notify_num_most = proa_hints_notify_most(&hints);
        if (win->contiguous)
            strcpy(handle->hints.noncontig, "false"); /* regardless of this rank's info */
        proa_handle_opened(handle);
        proa_record_open(handle->record, comm);
        proa_traced_open(handle->traced, win, r->call, comm);
        handle->rules = proa_rules_new(win, r->call, r->caller);
        proa_check_open(handle->check, win, comm);
        *r->win = handle->value;
    } else if (handle) {
        struct proa_record *record = handle->record;
        struct proa_check *check = handle->check;
        struct proa_traced *traced = handle->traced;

        proa_handle_free(handle);
        proa_record_drop(record);
        proa_check_drop(check);
        proa_traced_drop(traced);
    }
    proa_message_after(&message);
    proa_waits_forget();
    return outcome;
}

/* Creates the window. base: result, the address of its memory, unless base is NULL. outcome:
 * result, the call's return value. Returns 0 if the caller has to pass the call to the host. */
static int is_taken(const struct request *r, void **base, int *outcome)
{
    int error;

    if (!proa_takes_part(r->comm))
        return 0;
    error = comm_check(r->comm);
    if (error && !proa_is_on(r->comm))
        return 0; /* the host has its own error for such communicators */
    if (!error)
        error = proa_presence_check(r->comm);
    if (!error) {
        proa_waits_begin(r->call, r->comm, r->caller);
        error = create(r);
        proa_waits_end();
    }
    if (error == PROA_ELSEWHERE) {
        proa_left_because(proa_failure());
        proa_log(PROA_LOG_INFO, "%s is left to the host MPI: %s", proa_call_name(r->call),
                 proa_failure());
        return 0;
    }
    if (!error && base)
        *base = proa_win_find(*r->win)->base;
    *outcome = error ? proa_raise_on_comm(r->comm, r->call, error) : MPI_SUCCESS;
    return 1;
}

/* Set once there are windows that the host serves. Functions of include/proa_notify.h ask Proa
 * about each window only then. */
PROA_EXPORT int PROA_Notify_others;

/* Without an error the host has created a window: its handle may have been one of ours before. */
static int by_host(int error, const MPI_Win *win)
{
    if (error != MPI_SUCCESS)
        return error;
    proa_atomic_store(&PROA_Notify_others, 1, PROA_RELAXED);
    proa_handle_forget(*win);
    proa_left_count();
    return error;
}

PROA_MPI(Win_create_dynamic)(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    struct request r = {
        PROA_CALL_Win_create_dynamic, PROA_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1, info, comm, win,
        __builtin_return_address(0)};
    int outcome;

    if (!is_taken(&r, NULL, &outcome))
        outcome = by_host(proa_pmpi()->Win_create_dynamic(info, comm, win), win);
    return outcome;
}

#include "bind/create_calls.h" /* with displacement units of int */
#if MPI_VERSION >= 4
#define PROA_LARGE
#include "bind/create_calls.h" /* with displacement units of MPI_Aint */
#endif

/* ---- freeing ---- */

/* Synchronizes with the other processes, and notifies observers of the window. frame: stack frame
 * of the program's call. */
static int leave(struct proa_win *win, const void *caller, const void *frame)
{
    struct proa_handle *own = proa_handle_of(win);
    struct proa_rules *rules = own->rules;
    struct proa_check *check = own->check;
    int error = proa_win_may_free(win);

    if (error)
        return error;
    proa_traced_enter(win, PROA_CALL_Win_free, -1);
    if (rules)
        proa_rules_enter(rules, PROA_CALL_Win_free, -1, 0, caller);
    if (win->counted & PROA_COUNTED_CHECK)
        proa_rules_compare(win, rules);
    if (check)
        proa_check_before(check, PROA_CALL_Win_free, -1);
    error = proa_barrier_last(win);
    proa_traced_close(own->traced, win);
    proa_waits_forget(); /* statistics do not count this call */
    if (rules)
        proa_rules_leave(rules, PROA_CALL_Win_free, -1, error);
    if (rules && !error)
        proa_rules_free(rules, caller, frame);
    if (error)
        return error;
    if (check)
        proa_check_complete(check, PROA_CALL_Win_free, -1, caller);
    proa_record_close(own->record, win);
    return PROA_OK;
}

/* Delete functions of the user's attributes run between the barrier and the release, while the
 * memory still exists. If one fails and the host keeps its window, Proa keeps its own too. The next
 * call then frees it without the others, which have left. */
PROA_MPI(Win_free)(MPI_Win *handle)
{
    struct proa_win *win = proa_win_find(*handle);
    struct proa_handle gone;
    int error;

    proa_trace_begin(__builtin_return_address(0));
    if (!win)
        return PROA_HOST_ANSWERS(Win_free, *handle, handle);
    error = proa_handle_of(win)->left
                ? PROA_OK
                : leave(win, __builtin_return_address(0), __builtin_frame_address(0));
    if (error)
        return proa_raise(win, PROA_CALL_Win_free, error);
    proa_handle_of(win)->left = 1;
    gone = *proa_handle_of(win);
    error = proa_handle_free(proa_handle_of(win));
    if (error != MPI_SUCCESS)
        return error;
    proa_rules_drop(gone.rules);
    proa_greq_close(win);
    proa_win_release(win);
    proa_greq_forget(win);
    proa_record_drop(gone.record);
    proa_check_drop(gone.check);
    proa_traced_drop(gone.traced);
    proa_greq_tell_host(); /* completions of requests for which no thread waits */
    *handle = MPI_WIN_NULL;
    return MPI_SUCCESS;
}
