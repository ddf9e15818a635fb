/* SPDX-License-Identifier: BSD-3-Clause */
/* See exchange.h. Window creation is collective over comm, so these calls cannot meet others of the
 * user's on it. */
#include "host/exchange.h"
#include "base/fail.h"
#include "host/absent.h"
#include "host/patience.h"
#include "host/pmpi.h"

/* The first to meet the others: who runs without Proa, and could not be known to, never comes. */
static int allgather(void *context, const void *mine, void *all, size_t bytes)
{
    const MPI_Comm *comm = context;
    int is_sure = proa_absent_is_sure(*comm), error;
    struct proa_patience patience;

    if (!is_sure)
        proa_patience_begin(&patience);
    error = proa_pmpi()->Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, *comm);
    if (!is_sure)
        proa_patience_end(&patience);
    if (!is_sure && error == MPI_SUCCESS)
        proa_absent_answered(*comm);
    return error == MPI_SUCCESS ? PROA_OK
                                : proa_fail(PROA_ERR_OTHER, "the host's MPI_Allgather failed");
}

static int max(void *context, int *value)
{
    const MPI_Comm *comm = context;
    int mine = *value;

    if (proa_pmpi()->Allreduce(&mine, value, 1, MPI_INT, MPI_MAX, *comm) != MPI_SUCCESS)
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
