/* SPDX-License-Identifier: BSD-3-Clause */
/* See greq.h. */
#include "bind/greq.h"
#include "base/atomic.h"
#include "remote/request.h"
#include "window/win.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

struct proa_greq {
    struct proa_request request; /* first member: core knows only this */
    MPI_Request handle;
    enum proa_call call;
    uint8_t owners; /* reference count: the host's request, and the thread that reports its
                       completion */
};

/* The failure of a request's operation. */
struct failure {
    struct proa_win *win;
    MPI_Request handle;
    enum proa_call call;
    int code, rank;
    char why[PROA_REQUEST_WHY_MOST];
    struct failure *prev, *next;
};

uint32_t proa_greqs;
static _Thread_local struct failure *failures;

/* Requests whose failure the host knows, but the user may not: they may outlive their window. */
static struct proa_request *failed;
static pthread_mutex_t failed_mutex = PTHREAD_MUTEX_INITIALIZER;

static void count(int by)
{
    proa_atomic_fetch_add(&proa_greqs, (uint32_t)by, PROA_RELAXED);
}

/* A failed request is open until its user has received the failure. */
static void disown(struct proa_greq *g)
{
    if (proa_atomic_sub_fetch(&g->owners, 1, PROA_ACQ_REL) > 0)
        return;
    if (g->request.code) {
        pthread_mutex_lock(&failed_mutex);
        DL_DELETE(failed, &g->request);
        pthread_mutex_unlock(&failed_mutex);
        count(-1);
    }
    free(g);
}

/* ---- functions that the host calls ---- */

static void failure_add(const struct proa_greq *g)
{
    const struct proa_request *q = &g->request;
    struct failure *f = malloc(sizeof *f);

    if (!f)
        return;
    *f = (struct failure){.handle = g->handle, .call = g->call, .code = q->code, .rank = q->rank};
    pthread_mutex_lock(&failed_mutex);
    f->win = q->win;
    pthread_mutex_unlock(&failed_mutex);
    snprintf(f->why, sizeof f->why, "%s", q->why);
    DL_APPEND(failures, f);
}

/* Errors are raised on the window's handler, not on the one that the host would call. So no error
 * is reported to the host. */
static int query(void *given, MPI_Status *status)
{
    const struct proa_greq *g = given;

    proa_pmpi()->Status_set_elements(status, MPI_BYTE, 0);
    proa_pmpi()->Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    if (g->request.code)
        failure_add(g);
    return MPI_SUCCESS;
}

static int release(void *given)
{
    disown(given);
    return MPI_SUCCESS;
}

/* It is erroneous to cancel an operation (MPI-4.1, 12.3.5): both hosts refuse it, and the operation
 * continues. */
static int cancel(void *given, int complete)
{
    (void)given;
    (void)complete;
    return MPI_ERR_REQUEST;
}

/* ---- creation ---- */

/* Creates a request without the engine's part. Returns NULL if there is no memory. */
static struct proa_greq *greq_new(enum proa_call call)
{
    struct proa_greq *g = malloc(sizeof *g);

    if (!g)
        return NULL;
    g->call = call;
    g->owners = 2;
    return g;
}

struct proa_greq *proa_greq_begin(struct proa_win *win, enum proa_call call, int rank)
{
    struct proa_greq *g;

    if ((unsigned)rank >= (unsigned)win->size || win->targets[rank].ctl)
        return NULL;
    g = greq_new(call);
    if (g)
        proa_request_begin(&g->request, win);
    return g;
}

static int start_request(struct proa_greq *g)
{
    return proa_pmpi()->Grequest_start(query, release, cancel, g, &g->handle);
}

/* Ends the call with a complete request. */
static int end_now(struct proa_greq *g, int outcome, MPI_Request *request)
{
    struct proa_win *win = g->request.win;
    enum proa_call call = g->call;
    int code = g->request.code;

    if (outcome == MPI_SUCCESS && code)
        outcome = proa_raise(win, call, proa_fail(code, "%s", g->request.why));
    free(g);
    if (outcome != MPI_SUCCESS)
        return outcome;
    return proa_handle_of(win)->rules ? proa_greq_complete_apart(request)
                                      : proa_greq_complete(request);
}

int proa_greq_end(struct proa_greq *g, int outcome, MPI_Request *request)
{
    proa_greq_tell_host(); /* of earlier requests, so that they do not pile up */
    if (proa_request_is_issued(&g->request))
        return end_now(g, outcome, request);
    if (outcome == MPI_SUCCESS)
        outcome = start_request(g);
    if (outcome != MPI_SUCCESS) { /* the part that has begun must end before the call does */
        proa_request_await(&g->request);
        free(g);
        return outcome;
    }
    *request = g->handle;
    count(1);
    proa_request_let_go(&g->request);
    return MPI_SUCCESS;
}

int proa_greq_open(struct proa_win *win, enum proa_call call, struct proa_greq **greq,
                   MPI_Request *request)
{
    struct proa_greq *g = greq_new(call);

    if (!g)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for a request");
    g->request = (struct proa_request){.win = win, .rank = -1};
    if (start_request(g) != MPI_SUCCESS) {
        free(g);
        return proa_fail(PROA_ERR_OTHER, "the host MPI gives no request");
    }
    *request = g->handle;
    *greq = g;
    count(1);
    return PROA_OK;
}

/* ---- complete from the start ---- */

static int query_nothing(void *given, MPI_Status *status)
{
    (void)given;
    proa_pmpi()->Status_set_elements(status, MPI_BYTE, 0);
    proa_pmpi()->Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release_nothing(void *given)
{
    (void)given;
    return MPI_SUCCESS;
}

/* Without check mode, the host's request that stands for a complete one accepts this too. */
static int cancel_nothing(void *given, int complete)
{
    (void)given;
    (void)complete;
    return MPI_SUCCESS;
}

int proa_greq_complete_apart(MPI_Request *request)
{
    const int error =
        proa_pmpi()->Grequest_start(query_nothing, release_nothing, cancel_nothing, NULL, request);

    return error == MPI_SUCCESS ? proa_pmpi()->Grequest_complete(*request) : error;
}

/* ---- completed requests ---- */

static const struct proa_greq_waits *waits;

void proa_greq_set_waits(const struct proa_greq_waits *given)
{
    proa_atomic_store(&waits, given, PROA_RELEASE); /* partner: the loads below */
}

void proa_greq_close(const struct proa_win *win)
{
    const struct proa_greq_waits *set = proa_atomic_load(&waits, PROA_ACQUIRE);

    if (set)
        set->forget(win);
}

void proa_greq_forget(const struct proa_win *win)
{
    struct proa_request *q;

    pthread_mutex_lock(&failed_mutex);
    DL_FOREACH(failed, q)
        if (q->win == win)
            q->win = NULL;
    pthread_mutex_unlock(&failed_mutex);
}

/* A failed request is in one of the lists at any time, for the thread that frees its window. */
static struct proa_request *take_done(void)
{
    struct proa_request *q;

    if (!proa_request_any_done())
        return NULL;
    pthread_mutex_lock(&failed_mutex);
    q = proa_request_take_done();
    if (q && q->code)
        DL_APPEND(failed, q);
    pthread_mutex_unlock(&failed_mutex);
    return q;
}

static void tell(struct proa_greq *g)
{
    MPI_Request handle = g->handle;

    if (!g->request.code)
        count(-1);
    proa_pmpi()->Grequest_complete(handle);
    disown(g);
}

void proa_greq_done(struct proa_greq *g, int code, const char *why)
{
    g->request.code = code;
    snprintf(g->request.why, sizeof g->request.why, "%s", why);
    if (code) {
        pthread_mutex_lock(&failed_mutex);
        DL_APPEND(failed, &g->request);
        pthread_mutex_unlock(&failed_mutex);
    }
    tell(g);
}

void proa_greq_tell_host(void)
{
    const struct proa_greq_waits *set = proa_atomic_load(&waits, PROA_ACQUIRE);
    struct proa_request *q;

    if (set)
        set->look();
    while ((q = take_done()))
        tell((struct proa_greq *)q);
}

/* ---- errors ---- */

int proa_greq_failed(void)
{
    return failures != NULL;
}

int proa_greq_error_of(MPI_Request before)
{
    const struct failure *f;

    DL_FOREACH(failures, f)
        if (f->handle == before)
            return proa_class_of(f->code);
    return MPI_SUCCESS;
}

void proa_greq_forget_errors(void)
{
    struct failure *f, *next;

    DL_FOREACH_SAFE(failures, f, next) {
        DL_DELETE(failures, f);
        free(f);
    }
}

int proa_greq_raise(void)
{
    struct failure first = *failures;
    int code = first.rank < 0
                   ? proa_fail(first.code, "%s", first.why)
                   : proa_fail(first.code, "%s (at target rank %d)", first.why, first.rank);

    proa_greq_forget_errors();
    if (!first.win) /* the window has been freed, with its error handler */
        return proa_raise_on_comm(MPI_COMM_NULL, first.call, code);
    return proa_raise(first.win, first.call, code);
}
