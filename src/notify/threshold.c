/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests that are complete once a notification counter has reached a value
 * (MPI_Win_notify_ithreshold, draft of MPI-5.1, 12.6). They are generalized requests of the host
 * (bind/greq.h). The calls that wait, test or ask for requests check the counters.
 */
#include "notify/notified.h"
#include "bind/greq.h"
#include "remote/request.h"
#include "sync/counters.h"
#include "sync/peer_failure.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

struct threshold {
    struct proa_greq *greq;
    struct proa_win *win;
    uint32_t index;
    uint64_t least;
    struct proa_vigil vigil;
    int code; /* of a failed wait, with the reason */
    char why[PROA_REQUEST_WHY_MOST];
    struct threshold *prev, *next;
};

static uint32_t open_count; /* lets a check cost one load while there are no requests */
static struct threshold *open_list;
static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;

static void fail(struct threshold *t, int code)
{
    t->code = code;
    snprintf(t->why, sizeof t->why, "%s", proa_failure());
}

/* Returns whether the request is complete, or can never be. The number of counters may have
 * changed. */
static int is_over(struct threshold *t)
{
    const int rank = t->win->rank;
    int error = proa_counter_check(rank, t->index, proa_counters_near(t->win, rank));

    if (!error && proa_counter_value(t->win, t->index) >= t->least)
        return 1;
    if (!error && proa_vigil_is_over(&t->vigil))
        error = proa_failed_report(t->win, -1);
    if (error)
        fail(t, error);
    return error != PROA_OK;
}

/* Moves the requests that are over, or those of that window, to a list of the caller. */
static struct threshold *take(const struct proa_win *win)
{
    struct threshold *t, *next, *taken = NULL;

    pthread_mutex_lock(&list_mutex);
    DL_FOREACH_SAFE(open_list, t, next) {
        if (win ? t->win != win : !is_over(t))
            continue;
        DL_DELETE(open_list, t);
        DL_APPEND(taken, t);
        proa_atomic_fetch_sub(&open_count, 1, PROA_RELAXED);
    }
    pthread_mutex_unlock(&list_mutex);
    return taken;
}

static void complete(struct threshold *taken)
{
    struct threshold *t, *next;

    DL_FOREACH_SAFE(taken, t, next) {
        DL_DELETE(taken, t);
        proa_greq_done(t->greq, t->code, t->why);
        free(t);
    }
}

static void look(void)
{
    if (proa_atomic_load(&open_count, PROA_RELAXED))
        complete(take(NULL));
}

static void forget(const struct proa_win *win)
{
    struct threshold *t, *taken;

    if (!proa_atomic_load(&open_count, PROA_RELAXED))
        return;
    complete(take(NULL)); /* counters may have reached values since the last check */
    taken = take(win);
    DL_FOREACH(taken, t)
        fail(t, proa_fail(PROA_ERR_WIN, "the window has been freed"));
    complete(taken);
}

static const struct proa_greq_waits waits = {.look = look, .forget = forget};

static int open_one(struct proa_win *win, uint32_t index, uint64_t least, MPI_Request *request)
{
    struct threshold *t = calloc(1, sizeof *t);
    int error;

    if (!t)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a request");
    proa_greq_set_waits(&waits);
    t->win = win;
    t->index = index;
    t->least = least;
    t->vigil = (struct proa_vigil){.win = win, .from = -1};
    error = proa_greq_open(win, PROA_CALL_Win_notify_ithreshold, &t->greq, request);
    if (error) {
        free(t);
        return error;
    }
    pthread_mutex_lock(&list_mutex);
    DL_APPEND(open_list, t);
    proa_atomic_fetch_add(&open_count, 1, PROA_RELAXED);
    pthread_mutex_unlock(&list_mutex);
    return PROA_OK;
}

PROA_NOTIFIED_NAME(Win_notify_ithreshold);
PROA_MPI(Win_notify_ithreshold)
(MPI_Win handle, int index, MPI_Count expected, MPI_Request *request)
{
    struct proa_win *win = proa_win_find(handle);
    uint64_t least = expected > 0 ? (uint64_t)expected : 0;
    int error;

    if (!win)
        return PROA_NOTIFIED_HOST_ANSWERS(Win_notify_ithreshold, handle, handle, index, expected,
                                          request);
    *request = MPI_REQUEST_NULL;
    error = proa_counter_check(win->rank, index, proa_counters_near(win, win->rank));
    if (error)
        return proa_return(win, PROA_CALL_Win_notify_ithreshold, error);
    if (proa_counter_value(win, (uint32_t)index) >= least) {
        proa_polled(&win->polls);
        return proa_greq_complete(request);
    }
    return proa_return(win, PROA_CALL_Win_notify_ithreshold,
                       open_one(win, (uint32_t)index, least, request));
}
