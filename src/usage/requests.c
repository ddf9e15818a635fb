/* SPDX-License-Identifier: BSD-3-Clause */
/* See requests.h. */
#include "usage/requests.h"
#include "base/atomic.h"
#include "host/handle.h"
#include "usage/misuse.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct given {
    uint64_t request;
    enum proa_call call;
    const void *caller;
    char window[64]; /* name of the window: the request may outlive it */
    UT_hash_handle hh;
};

int proa_rma_requests_on;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct given *all;
static uint32_t number; /* number of requests */

static uint64_t key_of(MPI_Request request)
{
    uint64_t key = 0;

    memcpy(&key, &request, sizeof request);
    return key;
}

/* The caller holds the mutex. */
static struct given *find(uint64_t request)
{
    struct given *given;

    HASH_FIND(hh, all, &request, sizeof request, given);
    return given;
}

static void add(struct given *given)
{
    pthread_mutex_lock(&mutex);
    if (number < PROA_RMA_REQUESTS_MOST && !find(given->request)) {
        HASH_ADD(hh, all, request, sizeof given->request, given);
        proa_atomic_store(&number, number + 1, PROA_RELAXED);
        given = NULL;
    }
    pthread_mutex_unlock(&mutex);
    free(given);
}

void proa_rma_request_given(const struct proa_win *win, enum proa_call call, const void *caller,
                            MPI_Request request)
{
    struct given *given = proa_rma_requests_on ? calloc(1, sizeof *given) : NULL;

    if (!given)
        return;
    given->request = key_of(request);
    given->call = call;
    given->caller = caller;
    snprintf(given->window, sizeof given->window, "%s", proa_handle_of(win)->name);
    add(given);
}

static void drop(struct given *given)
{
    HASH_DEL(all, given);
    proa_atomic_store(&number, number - 1, PROA_RELAXED);
    free(given);
}

/* ---- completion ---- */

void proa_rma_requests_before(struct proa_rma_requests *these, const MPI_Request *requests,
                              int count)
{
    const size_t bytes = (size_t)(count > 0 ? count : 0) * sizeof *requests;

    these->before = NULL;
    these->count = count;
    if (bytes == 0 || proa_atomic_load(&number, PROA_RELAXED) == 0)
        return;
    these->before = bytes <= sizeof these->few ? these->few : malloc(bytes);
    if (these->before)
        memcpy(these->before, requests, bytes);
}

void proa_rma_requests_after(struct proa_rma_requests *these, const MPI_Request *requests)
{
    if (!these->before)
        return;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < these->count; i++) {
        struct given *given =
            requests[i] == MPI_REQUEST_NULL && these->before[i] != MPI_REQUEST_NULL
                ? find(key_of(these->before[i]))
                : NULL;

        if (given)
            drop(given);
    }
    pthread_mutex_unlock(&mutex);
    if (these->before != these->few)
        free(these->before);
}

/* ---- findings ---- */

void proa_rma_request_misused(MPI_Request request, const char *call, int frees, const void *caller)
{
    struct given *given, copy = {0};

    if (!proa_rma_requests_on || proa_atomic_load(&number, PROA_RELAXED) == 0)
        return;
    pthread_mutex_lock(&mutex);
    given = find(key_of(request));
    if (given)
        copy = *given;
    if (given && frees)
        drop(given);
    pthread_mutex_unlock(&mutex);
    if (copy.caller)
        proa_misuse_request(PROA_MISUSE_REQUEST, copy.window, call, caller,
                            &(struct proa_finding_call){.call = proa_call_name(copy.call),
                                                        .caller = proa_source_program(copy.caller)},
                            "%s gets the request of %s", call, proa_call_name(copy.call));
}

void proa_rma_requests_tell_leaks(void)
{
    struct given *given, *next;

    pthread_mutex_lock(&mutex);
    HASH_ITER(hh, all, given, next) {
        proa_misuse_request(PROA_MISUSE_REQUEST_LEAK, given->window, proa_call_name(given->call),
                            given->caller, NULL, "a request is not completed before MPI_Finalize");
        drop(given);
    }
    pthread_mutex_unlock(&mutex);
}
