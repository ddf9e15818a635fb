/* SPDX-License-Identifier: BSD-3-Clause */
/* See notice.h. */
#include "remote/notice.h"
#include "base/fail.h"
#include "progress/progress.h"
#include "remote/batch.h"
#include "remote/request.h"
#include "sync/counters.h"
#include "sync/peer_failure.h"

#include <stdlib.h>
#include <utlist.h>

/* The notified operation that this thread issues. */
static _Thread_local struct {
    const struct proa_win *win; /* NULL if there is none */
    uint32_t index;
    struct proa_notice *notice; /* NULL if no part is left when its call returns */
} current;

int proa_notice_is_due(const struct proa_win *win)
{
    return current.win == win;
}

/* ---- the order to count ---- */

static int order(struct proa_remote *r, uint32_t index)
{
    int outcome = proa_batch_try_count(r, index);

    if (outcome == PROA_OK)
        proa_batch_flush_pending(r);
    return outcome;
}

static int step_order(struct proa_remote *r, struct proa_queued *queued)
{
    return order(r, ((struct proa_notice *)queued)->index);
}

/* ---- parts ---- */

struct proa_notice *proa_notice_of(struct proa_remote *r)
{
    struct proa_notice *notice = current.notice;

    if (notice)
        return notice;
    notice = calloc(1, sizeof *notice);
    if (!notice) {
        proa_fail(PROA_ERR_NO_MEM, "out of memory for a notification");
        return NULL;
    }
    notice->queued.step = step_order;
    notice->remote = r;
    notice->request = proa_request_current(r->process->win);
    notice->index = current.index;
    notice->parts = 1;
    return current.notice = notice;
}

void proa_notice_part(struct proa_notice *notice)
{
    notice->parts++;
}

void proa_notice_part_done(struct proa_notice *notice, int code)
{
    notice->has_failed |= code != PROA_OK;
    if (--notice->parts > 0)
        return;
    if (notice->has_failed || proa_remote_is_lost(notice->remote))
        free(notice);
    else
        proa_queue_append(notice->remote, &notice->queued);
}

/* ---- the number of a target's counters ---- */

static int ask(struct proa_remote *r, uint64_t *number)
{
    const struct proa_wire_op op = {.code = PROA_WIRE_NUMBER};
    const struct proa_wanted wanted = {
        .to = (char *)number, .stride = 8, .bytes = 8, .count = 1, .basic = PROA_MIXED};
    int outcome;

    while (!proa_batch_try_add(r, &op, 0, sizeof *number, &outcome) && outcome == PROA_NET_AGAIN)
        proa_batch_unblock(r);
    if (!outcome)
        outcome = proa_batch_want(r, &wanted);
    while (!outcome && r->batch.used && !proa_remote_is_lost(r))
        outcome = proa_batch_send(r, PROA_WIRE_ANSWERED);
    if (!outcome)
        proa_batch_await(r, proa_batch_is_answered);
    return outcome;
}

/* Asks the target once for the number of its counters. A process that is lost has not answered. */
static int learn(struct proa_win *win, int rank, uint32_t *number)
{
    struct proa_counters_of *of = &win->counters->of[rank];
    struct proa_remote *r = proa_remote_make(win, rank);
    uint64_t told = UINT64_MAX;
    int error = PROA_OK;

    if (!r)
        return PROA_ERR_NO_MEM;
    if (!of->is_known)
        error = ask(r, &told);
    if (error)
        return error;
    if (!of->is_known && told > INT32_MAX)
        return proa_failed_report(win, rank);
    if (!of->is_known) {
        of->count = (uint32_t)told;
        of->is_known = 1;
    }
    *number = of->count;
    return PROA_OK;
}

int proa_notice_number(struct proa_win *win, int rank, uint32_t *number)
{
    int error;

    *number = 0;
    if (!win->counters)
        return PROA_OK;
    proa_progress_enter();
    error = learn(win, rank, number);
    proa_progress_leave();
    return error;
}

/* ---- around an operation ---- */

int proa_notice_begin(struct proa_win *win, int rank, int64_t index)
{
    uint32_t number = 0;
    int error = proa_notice_number(win, rank, &number);

    if (!error)
        error = proa_counter_check(rank, index, number);
    current.win = error ? NULL : win;
    current.index = (uint32_t)index;
    current.notice = NULL;
    return error;
}

/* The order is the operation's last step. If there is no room for it now, or parts of the operation
 * are in flight, it follows later. */
static int end(struct proa_remote *r, int is_issued)
{
    struct proa_notice *notice = current.notice;
    int outcome = PROA_OK;

    if (!notice && is_issued) {
        proa_batch_want_grant(r);
        outcome = r->flight.issues ? PROA_NET_AGAIN : order(r, current.index);
        if (outcome == PROA_NET_AGAIN)
            notice = proa_notice_of(r);
        outcome = outcome == PROA_NET_AGAIN ? notice ? PROA_OK : PROA_ERR_NO_MEM : outcome;
    }
    if (notice)
        proa_notice_part_done(notice, is_issued ? PROA_OK : PROA_ERR_OTHER);
    if (!outcome)
        proa_batch_push(r);
    return outcome;
}

int proa_notice_end(struct proa_win *win, int rank, int is_issued)
{
    struct proa_remote *r = proa_remote_of(win, rank);
    int outcome;

    proa_progress_enter();
    outcome = end(r, is_issued);
    current.win = NULL;
    current.notice = NULL;
    proa_progress_leave();
    return outcome;
}
