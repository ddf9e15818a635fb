/* SPDX-License-Identifier: BSD-3-Clause */
/* See observe.h. */
#include "watch/observe.h"
#include "check/begin.h"
#include "findings/source.h"
#include "host/pmpi.h"
#include "usage/requests.h"

#include <string.h>

/* Checks the request of MPI_Request_free and MPI_Cancel. */
static void look_at_request(const struct proa_host_call *call)
{
    const char *name = call->name + (call->name[0] == 'P');

    proa_rma_request_misused(*(const MPI_Request *)call->words[0], name,
                             strcmp(name, "MPI_Request_free") == 0, call->caller);
}

/* Matches names such as MPI_Isend, MPI_File_iread and MPI_File_read_all_begin. */
static int is_begun_only(const char *name)
{
    const char *verb = strchr(name, '_') + 1;
    const size_t length = strlen(verb);

    return verb[0] == 'I' || strncmp(verb, "File_i", 6) == 0 || strstr(verb, "_begin") ||
           (length > 5 && strstr(verb, "_init"));
}

static void begin(struct proa_host_seen *seen, struct proa_host_buffers buffers)
{
    struct proa_host_call *call = &seen->call;
    const MPI_Comm comm =
        call->comm < 0 ? MPI_COMM_NULL : (MPI_Comm)(intptr_t)call->words[call->comm];

    call->caller = proa_source_program(call->caller);
    seen->is_begun_only = is_begun_only(call->name);
    if (call->kind == PROA_MESSAGE_NONE && !seen->is_begun_only)
        look_at_request(call);
    proa_host_buffers_begin(call, buffers, seen->is_begun_only);
    proa_message_before(&seen->message, call->kind, comm,
                        call->peer < 0 ? -1 : (int)call->words[call->peer]);
    seen->message.caller = call->caller;
    proa_host_wait_begin(&seen->wait, call);
}

static void end(const struct proa_host_seen *seen, struct proa_host_buffers buffers, int error)
{
    proa_host_wait_end(&seen->wait, &seen->call);
    proa_message_after(&seen->message);
    if (error != MPI_SUCCESS)
        return;
    if (!seen->is_begun_only)
        proa_host_buffers_end(&seen->call, buffers);
    proa_host_wait_made(&seen->call);
}

const struct proa_observe *proa_observe(const char *build)
{
    static const struct proa_observe observe = {proa_host_calls_are_seen, proa_pmpi_symbol,
                                                proa_host_buffers_of, begin, end};

    return strcmp(build, PROA_BUILD) == 0 ? &observe : NULL;
}
