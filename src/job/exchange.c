/* SPDX-License-Identifier: BSD-3-Clause */
/* See exchange.h. Window creation is collective over comm, so these calls cannot meet others of the
 * user's on it. */
#include "job/exchange.h"
#include "base/fail.h"
#include "base/wait.h"
#include "job/presence.h"
#include "job/creation_watchdog.h"
#include "host/pmpi.h"

/* A host that waits by itself may keep the processor from the very rank that it waits for: in an
 * oversubscribed job MPICH's wait does so for slices of milliseconds. With two ranks the host's own
 * way is quicker. All ranks must take the same way, so it depends only on values that all know. */
enum { HOST_WAITS_UP_TO = 2 };

static int host_waits(MPI_Comm comm)
{
    int size;

    return proa_pmpi()->Comm_size(comm, &size) != MPI_SUCCESS || size <= HOST_WAITS_UP_TO;
}

/* A collective call in progress. */
struct under_way {
    MPI_Request request;
    int error;
};

static int has_ended(void *arg)
{
    struct under_way *call = arg;
    int done = 0;

    call->error = proa_pmpi()->Test(&call->request, &done, MPI_STATUS_IGNORE);
    return done || call->error != MPI_SUCCESS;
}

static int end_of(struct under_way *call)
{
    if (call->error == MPI_SUCCESS)
        proa_wait(has_ended, call, NULL);
    return call->error;
}

static int host_allgather(const void *mine, void *all, int bytes, MPI_Comm comm)
{
    struct under_way call;

    if (host_waits(comm))
        return proa_pmpi()->Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm);
    call.error =
        proa_pmpi()->Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm, &call.request);
    return end_of(&call);
}

static int host_max(const int *mine, int *value, MPI_Comm comm)
{
    struct under_way call;

    if (host_waits(comm))
        return proa_pmpi()->Allreduce(mine, value, 1, MPI_INT, MPI_MAX, comm);
    call.error = proa_pmpi()->Iallreduce(mine, value, 1, MPI_INT, MPI_MAX, comm, &call.request);
    return end_of(&call);
}

/* The first call in which the processes meet. A process without Proa that was not known as such
 * never joins it. */
static int allgather(void *context, const void *mine, void *all, size_t bytes)
{
    const MPI_Comm *comm = context;
    int is_sure = proa_presence_is_sure(*comm), error;
    struct proa_creation_watchdog patience;

    if (!is_sure)
        proa_creation_watchdog_begin(&patience);
    error = host_allgather(mine, all, (int)bytes, *comm);
    if (!is_sure)
        proa_creation_watchdog_end(&patience);
    if (!is_sure && error == MPI_SUCCESS)
        proa_presence_answered(*comm);
    return error == MPI_SUCCESS ? PROA_OK
                                : proa_fail(PROA_ERR_OTHER, "the host's MPI_Allgather failed");
}

static int max(void *context, int *value)
{
    const MPI_Comm *comm = context;
    int mine = *value;

    if (host_max(&mine, value, *comm) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_OTHER, "the host's MPI_Allreduce failed");
    return PROA_OK;
}

static int tell(void *context, int rank, char *text, size_t bytes)
{
    const MPI_Comm *comm = context;

    if (proa_pmpi()->Bcast(text, (int)bytes, MPI_CHAR, rank, *comm) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_OTHER, "the host's MPI_Bcast failed");
    return PROA_OK;
}

void proa_exchange_over(MPI_Comm *comm, struct proa_group *group)
{
    proa_pmpi()->Comm_size(*comm, &group->size);
    proa_pmpi()->Comm_rank(*comm, &group->rank);
    group->context = comm;
    group->allgather = allgather;
    group->max = max;
    group->tell = tell;
}
