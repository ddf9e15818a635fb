/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's messages and collectives, as the watchdog sees them (hang/waits.h): what each waits
 * for. Files and calls that are not understood count as work. */
#ifndef PROA_WATCH_HOST_WAITS_H
#define PROA_WATCH_HOST_WAITS_H

#include "check/messages.h"
#include "check/ordering.h"
#include "hang/waits.h"
#include "usage/requests.h"

/* Are the host's calls of interest: for order, for the watchdog, or for usage rules? */
static inline int proa_host_calls_are_seen(void)
{
    return proa_ordering_is_on() || proa_thread_calls_on || proa_rma_requests_on;
}

/* A call, as instruments/host_calls.h has it. */
struct proa_host_call {
    const char *name;
    enum proa_message_kind kind;
    int comm, peer;    /* indices of its arguments; -1: there is none */
    const long *words; /* its arguments */
    const void *caller;
};

/* From the beginning of a call to its end. */
struct proa_host_wait {
    struct proa_awaited_message messages[2];
    int count;
    int is_inside; /* it counts as one that waits */
    uint64_t id;   /* of a collective call: of the members; else 0 */
};

/* The call has succeeded: it may have made a communicator. */
void proa_host_wait_made(const struct proa_host_call *call);

void proa_host_wait_begin(struct proa_host_wait *wait, const struct proa_host_call *call);
void proa_host_wait_end(const struct proa_host_wait *wait, const struct proa_host_call *call);

#endif
