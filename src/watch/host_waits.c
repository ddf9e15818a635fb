/* SPDX-License-Identifier: BSD-3-Clause */
/* See host_waits.h. */
#include "watch/host_waits.h"
#include "hang/requests.h"

#include <stdint.h>
#include <string.h>

static MPI_Comm comm_of(const struct proa_host_call *call)
{
    return call->comm < 0 ? MPI_COMM_NULL : (MPI_Comm)(intptr_t)call->words[call->comm];
}

/* The tag is the argument after the peer. A message to MPI_PROC_NULL is not added. */
static void add(struct proa_host_wait *wait, const struct proa_host_call *call, int peer,
                enum proa_way way)
{
    const struct proa_members *members = proa_members_of_comm(comm_of(call));
    const int rank = (int)call->words[peer], tag = (int)call->words[peer + 1];

    if (rank == MPI_PROC_NULL)
        return;
    wait->messages[wait->count++] = (struct proa_awaited_message){
        .rank = members && rank >= 0 && rank < members->count ? members->rank[rank] : -1,
        .tag = tag < 0 ? -1 : tag, /* MPI_ANY_TAG */
        .way = way};
}

/* Returns "MPI_Recv" for "PMPI_Recv" as well. */
static const char *name_of(const struct proa_host_call *call)
{
    return call->name + (call->name[0] == 'P');
}

static void enter_messages(struct proa_host_wait *wait, const struct proa_host_call *call)
{
    wait->is_inside = wait->count > 0;
    if (wait->is_inside)
        proa_waits_begin_messages(name_of(call), wait->messages, wait->count, call->caller);
}

/* The two groups of an intercommunicator make different calls. */
static void enter_all(struct proa_host_wait *wait, const struct proa_host_call *call)
{
    const MPI_Comm comm = comm_of(call);
    const struct proa_members *members = proa_members_of_comm(comm);

    wait->is_inside = members && !members->is_inter;
    wait->id = wait->is_inside ? members->id : 0;
    if (wait->is_inside)
        proa_waits_begin_host(name_of(call), comm, call->caller);
}

void proa_host_wait_begin(struct proa_host_wait *wait, const struct proa_host_call *call)
{
    wait->count = wait->is_inside = 0;
    wait->id = 0;
    if (!proa_thread_calls_on)
        return;
    switch (call->kind) {
    case PROA_MESSAGE_TO:
        add(wait, call, call->peer, PROA_SENDS);
        enter_messages(wait, call);
        break;
    case PROA_MESSAGE_FROM:
        add(wait, call, call->peer, PROA_RECEIVES);
        enter_messages(wait, call);
        break;
    case PROA_MESSAGE_SWAP: /* source and its tag are the two arguments before the communicator */
        add(wait, call, call->comm - 2, PROA_RECEIVES);
        add(wait, call, call->peer, PROA_SENDS);
        enter_messages(wait, call);
        break;
    case PROA_MESSAGE_MEET:
    case PROA_MESSAGE_SPREAD:
    case PROA_MESSAGE_OUT:
    case PROA_MESSAGE_IN:
        enter_all(wait, call);
        break;
    case PROA_MESSAGE_LATER_TO:
        add(wait, call, call->peer, PROA_SENDS);
        break;
    case PROA_MESSAGE_LATER_FROM:
        add(wait, call, call->peer, PROA_RECEIVES);
        break;
    default:
        break;
    }
}

/* The request is the argument after the communicator. */
void proa_host_wait_end(const struct proa_host_wait *wait, const struct proa_host_call *call)
{
    if (wait->id)
        proa_members_did(wait->id);
    if (wait->is_inside)
        proa_waits_end();
    else if (wait->count > 0)
        proa_requests_note(*(const MPI_Request *)call->words[call->comm + 1], &wait->messages[0]);
}

/* ---- communicators ---- */

/* Calls that create a communicator, and the index of its argument. The communicator of
 * MPI_Comm_idup does not exist yet at the return. */
static const struct maker {
    const char *name; /* name after "MPI_" */
    int result;
} makers[] = {{"Comm_dup", 1},
              {"Comm_dup_with_info", 2},
              {"Comm_create", 2},
              {"Comm_create_group", 3},
              {"Comm_create_from_group", 4},
              {"Comm_split", 3},
              {"Comm_split_type", 4},
              {"Intercomm_merge", 2},
              {"Cart_create", 5},
              {"Cart_sub", 2},
              {"Graph_create", 5},
              {"Dist_graph_create", 8},
              {"Dist_graph_create_adjacent", 9}};

void proa_host_wait_made(const struct proa_host_call *call)
{
    const char *name = name_of(call) + strlen("MPI_");

    if (!proa_thread_calls_on || !strchr("CIGD", name[0]))
        return;
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strcmp(name, makers[i].name) == 0)
            proa_members_created(*(const MPI_Comm *)call->words[makers[i].result]);
}
