/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's messages and collectives for the watchdog (hang/waits.h): each call, and its wait.
 * Files and unknown calls count as work. */
#ifndef PROA_WATCH_HOST_WAITS_H
#define PROA_WATCH_HOST_WAITS_H

#include "check/messages.h"
#include "check/ordering.h"
#include "hang/waits.h"
#include "usage/requests.h"

/* Returns true if the host's calls are observed: for order, for the watchdog, or for usage
 * rules. */
static inline int proa_host_calls_are_seen(void)
{
    return proa_ordering_is_on() || proa_thread_calls_on || proa_rma_requests_on;
}

/* A call, as in instruments/host_calls.h. */
struct proa_host_call {
    const char *name;
    enum proa_message_kind kind;
    int comm, peer;    /* indices of its arguments; -1 for none */
    const long *words; /* its arguments */
    const void *caller;
};

/* State from the start of a call to its end. */
struct proa_host_wait {
    struct proa_awaited_message messages[2];
    int count;
    int is_inside; /* the call counts as waiting */
    uint64_t id;   /* of a collective call: id of the members; else 0 */
};

/* The call succeeded: it may have created a communicator. */
void proa_host_wait_made(const struct proa_host_call *call);

void proa_host_wait_begin(struct proa_host_wait *wait, const struct proa_host_call *call);
void proa_host_wait_end(const struct proa_host_wait *wait, const struct proa_host_call *call);

#endif
