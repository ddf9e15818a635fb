/* SPDX-License-Identifier: BSD-3-Clause */
/* See issue.h. */
#include "remote/issue.h"
#include "base/fail.h"
#include "remote/agent.h"
#include "remote/batch.h"
#include "remote/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

static struct proa_remote *pushed; /* targets with a queue, or a batch that requests wait for */
static int stuck;

/* ---- the list of such targets ---- */

static void push_add(struct proa_remote *r)
{
    if (!r->pushed)
        DL_APPEND2(pushed, r, push_before, push_after);
    r->pushed = 1;
}

static void push_remove(struct proa_remote *r)
{
    if (r->pushed)
        DL_DELETE2(pushed, r, push_before, push_after);
    r->pushed = 0;
}

void proa_batch_press(struct proa_remote *r)
{
    r->pressing = 1;
    push_add(r);
}

/* ---- the queue of one ---- */

static void issue_end(struct proa_remote *r, struct proa_issue *i, int code)
{
    DL_DELETE(r->issues, i);
    proa_request_part_done(i->request, code, proa_failure());
    free(i);
}

static int steps(struct proa_remote *r, struct proa_issue *i)
{
    int outcome;

    while ((outcome = i->step(r, i)) == PROA_ISSUE_MORE)
        ;
    return outcome;
}

/* Returns whether a step is blocked only by lack of room in the network. */
static int queue_push(struct proa_remote *r)
{
    while (r->issues) {
        int outcome = steps(r, r->issues);

        if (outcome == PROA_NET_AGAIN)
            return proa_batch_may_send(r);
        issue_end(r, r->issues, outcome);
    }
    return 0;
}

/* A batch that a request waits for is not held back for more operations. But while an answer is
 * outstanding, the operations after it are aggregated (Nagle 1984). */
static int batch_push(struct proa_remote *r, int hurry)
{
    if (!r->pressing || (!hurry && !proa_batch_is_answered(r)))
        return 0;
    return proa_batch_try_send(r, 0) == PROA_NET_AGAIN && proa_batch_may_send(r);
}

int proa_issues_push(int hurry)
{
    struct proa_remote *r, *next;

    stuck = 0;
    DL_FOREACH_SAFE2(pushed, r, next, push_after) {
        stuck |= queue_push(r);
        stuck |= batch_push(r, hurry);
        if (!r->issues && !r->pressing)
            push_remove(r);
    }
    return stuck;
}

int proa_issues_are_stuck(void)
{
    return stuck;
}

void proa_issue_drain(struct proa_remote *r)
{
    while (r->issues) {
        queue_push(r);
        if (r->issues)
            proa_batch_unblock(r);
    }
}

void proa_issue_lose(struct proa_remote *r)
{
    while (r->issues) {
        proa_fail(PROA_ERR_OTHER, "the process of rank %d is gone", r->rank);
        issue_end(r, r->issues, PROA_ERR_OTHER);
    }
    r->pressing = 0;
    push_remove(r);
}

/* ---- issuing ---- */

static int now(struct proa_remote *r, struct proa_issue *i)
{
    int outcome;

    proa_issue_drain(r);
    while ((outcome = steps(r, i)) == PROA_NET_AGAIN)
        proa_batch_unblock(r);
    return outcome;
}

static int later(struct proa_remote *r, const struct proa_issue *i)
{
    struct proa_issue *kept = malloc(sizeof *kept);

    if (!kept)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to remember an operation");
    *kept = *i;
    DL_APPEND(r->issues, kept);
    proa_request_part(kept->request);
    proa_batch_list(r);
    push_add(r);
    return PROA_OK;
}

int proa_issue(struct proa_remote *r, struct proa_issue *i)
{
    int outcome = PROA_NET_AGAIN;

    i->request = proa_request_current();
    if (!i->request)
        return now(r, i);
    i->request->remote = r;
    i->request->rank = r->rank;
    if (!r->issues)
        outcome = steps(r, i);
    if (outcome == PROA_NET_AGAIN)
        return later(r, i);
    batch_push(r, 0); /* where that cannot be, the thread that makes progress tries again */
    return outcome;
}
