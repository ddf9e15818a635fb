/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of operations on other nodes (remote/request.c): the thread of the program, and the one
 * that moves the network. */
#include "network.h"
#include "window.h"
#include "remote/request.c"
#include "sync/bypass.h"

static struct shared {
    struct proa_request request;
    int is_begun; /* under the mutex: the request has a part */
    int buffer;   /* of the user: the operation's result */
} * s;

/* ---- requests ---- */

void requests_share(void)
{
    explore_share(&open_requests, sizeof open_requests);
    explore_share(&done, sizeof done);
    explore_share(&done_any, sizeof done_any);
}

static void prepare(void)
{
    window_prepare();
    requests_share();
}

static void setup(void)
{
    window_make(2);
    network_make(NULL);
    s = explore_new(sizeof *s, 64);
}

/* Both threads are of one process. */
static void part_begin(void)
{
    window_enter(0);
    proa_request_begin(&s->request, window[0]);
    proa_progress_enter();
    s->request.remote = (void *)window[0]; /* any */
    proa_request_part(&s->request);
    s->is_begun = 1;
    proa_progress_leave();
}

/* The other thread moves the network once the part has begun. */
static void part_end(int code)
{
    int begun = 0;

    window_enter(0);
    while (!begun) {
        proa_progress_enter();
        begun = s->is_begun;
        if (begun) {
            s->buffer = 1;
            proa_request_part_done(&s->request, code, code ? "refused" : NULL);
        }
        proa_progress_leave();
        if (!begun)
            explore_yield();
    }
}

static void take_done(void)
{
    struct proa_request *q;

    while (!(q = proa_request_take_done()))
        explore_yield();
    explore_check(q == &s->request && s->buffer == 1);
}

static void completed(int thread)
{
    if (thread) {
        part_end(PROA_OK);
        return;
    }
    part_begin();
    if (!proa_request_is_issued(&s->request)) {
        proa_request_let_go(&s->request);
        take_done();
    }
    explore_check(s->buffer == 1);
    memset(&s->request, 0, sizeof s->request); /* its memory is the caller's again */
}

/* The operation fails while it is issued, and its part is still in flight. */
static void awaited(int thread)
{
    if (thread) {
        part_end(PROA_ERR_OTHER);
        return;
    }
    part_begin();
    if (!proa_request_is_issued(&s->request))
        proa_request_await(&s->request);
    explore_check(s->buffer == 1);
    memset(&s->request, 0, sizeof s->request);
}

/* Sleeps until one is done, as MPI_Wait does. */
static int any(void *unused)
{
    (void)unused;
    return proa_request_any_done();
}

static void slept_for(int thread)
{
    if (thread) {
        part_end(PROA_OK);
        return;
    }
    part_begin();
    if (proa_request_is_issued(&s->request))
        return;
    proa_request_let_go(&s->request);
    proa_wait(any, NULL, &proa_self->ctl->bell);
    take_done();
}

const struct explore_scenario explore_requests[] = {
    {.name = "requests.completed",
     .threads = 2,
     .prepare = prepare,
     .setup = setup,
     .body = completed},
    {.name = "requests.awaited", .threads = 2, .prepare = prepare, .setup = setup, .body = awaited},
    {.name = "requests.slept_for",
     .threads = 2,
     .prepare = prepare,
     .setup = setup,
     .body = slept_for},
    {0},
};
