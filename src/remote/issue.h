/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Issuing an operation to a target on another node, step by step: a step is what fits into one
 * message, or one put or get of the transport.
 *
 * A call without a request makes step after step, and waits where one cannot be made. What has a
 * request does not wait: what cannot be issued at once is kept in its target's queue, which whoever
 * moves the network goes on with. Operations are issued in the order of their calls, so those that
 * come later stand behind the queue. Everything here is inside the agent.
 */
#ifndef PROA_REMOTE_ISSUE_H
#define PROA_REMOTE_ISSUE_H

#include "rma/combine.h"
#include "rma/road.h"
#include "remote/spread.h"

enum { PROA_ISSUE_MORE = 2 }; /* a step is done, and there are more */

struct proa_issue {
    /* Makes the next step: PROA_OK, it was the last; PROA_ISSUE_MORE; PROA_NET_AGAIN, it cannot be
     * made now; or a negative code. */
    int (*step)(struct proa_remote *r, struct proa_issue *issue);
    uint64_t done; /* bytes, runs or elements so far, as the step counts */
    struct proa_request *request;
    union {
        struct {
            struct proa_runs runs;
            int put;
        } move;
        struct {
            struct proa_elements run;
            uint64_t position, total;
        } combine;
    } what;
    struct proa_issue *prev, *next;
};

/* Issues it, for the request of this thread if there is one; `issue` may be gone then. PROA_OK or a
 * code. */
int proa_issue(struct proa_remote *r, struct proa_issue *issue);

/* Returns once nothing is queued any more. */
void proa_issue_drain(struct proa_remote *r);

/* What has been gathered is waited for by requests: it goes off as soon as nothing else is on its
 * way. */
void proa_batch_press(struct proa_remote *r);

/* Goes on with all queues, as far as may be; hurry: sends what is gathered for requests in any
 * case. Is there something that only another try can find out to be possible? */
int proa_issues_push(int hurry);
int proa_issues_are_stuck(void);

/* Its process is gone; or the window goes: nothing of that will be issued. */
void proa_issue_lose(struct proa_remote *r);

#endif
