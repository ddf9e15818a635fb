/* SPDX-License-Identifier: BSD-3-Clause */
/* See request.h. */
#include "remote/request.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/wait.h"
#include "progress/progress.h"
#include "remote/operation_queue.h"

#include <stdio.h>
#include <string.h>
#include <utlist.h>

static struct proa_request *open_requests, *done;
static uint32_t done_any;
static _Thread_local struct proa_request *current;

void proa_request_begin(struct proa_request *q, struct proa_win *win)
{
    memset(q, 0, sizeof *q);
    q->win = win;
    q->parts = 1;
    current = q;
}

int proa_request_is_issued(struct proa_request *q)
{
    int is_done;

    current = NULL;
    if (!q->remote) /* no part of it has begun */
        return 1;
    proa_progress_enter();
    is_done = q->parts == 1;
    if (!is_done)
        DL_APPEND(open_requests, q);
    proa_progress_leave();
    return is_done;
}

void proa_request_let_go(struct proa_request *q)
{
    proa_progress_enter();
    proa_request_part_done(q, PROA_OK, NULL);
    proa_progress_leave();
}

static int is_alone(void *request)
{
    const struct proa_request *q = request;

    /* only the progress engine's mutex orders what was written before */
    return proa_atomic_load(&q->parts, PROA_RELAXED) == 1;
}

void proa_request_await(struct proa_request *q)
{
    proa_wait(is_alone, q, &proa_self->ctl->bell);
    proa_progress_enter();
    DL_DELETE(open_requests, q);
    proa_progress_leave();
}

int proa_request_any_done(void)
{
    return (int)proa_atomic_load(&done_any, PROA_RELAXED); /* the mutex orders the rest */
}

struct proa_request *proa_request_take_done(void)
{
    struct proa_request *q;

    if (!proa_request_any_done())
        return NULL;
    proa_progress_enter();
    q = done;
    if (q)
        DL_DELETE(done, q);
    if (!done)
        proa_atomic_store(&done_any, 0, PROA_RELAXED);
    proa_progress_leave();
    return q;
}

void proa_request_hurry(void)
{
    proa_progress_enter();
    proa_queues_push(1);
    proa_progress_leave();
}

/* ---- inside ---- */

struct proa_request *proa_request_current(const struct proa_win *win)
{
    return current && current->win == win ? current : NULL;
}

void proa_request_part(struct proa_request *q)
{
    proa_atomic_store(&q->parts, q->parts + 1, PROA_RELAXED);
}

void proa_request_part_done(struct proa_request *q, int code, const char *why)
{
    if (code && !q->code) {
        q->code = code;
        snprintf(q->why, sizeof q->why, "%s", why);
    }
    proa_atomic_store(&q->parts, q->parts - 1, PROA_RELAXED);
    if (q->parts > 1)
        return;
    if (q->parts == 0) {
        DL_DELETE(open_requests, q);
        DL_APPEND(done, q);
        proa_atomic_store(&done_any, 1, PROA_RELAXED);
    }
    proa_doorbell_ring(&proa_self->ctl->bell); /* 1 is left for proa_request_await */
}

void proa_request_forget(const struct proa_win *win)
{
    struct proa_request *q;

    DL_FOREACH(open_requests, q)
        if (q->win == win)
            q->win = NULL;
    DL_FOREACH(done, q)
        if (q->win == win)
            q->win = NULL;
}
