/* SPDX-License-Identifier: BSD-3-Clause */
/* See world.h. */
#include "findings/world.h"
#include "host/pmpi.h"

static int rank, size = 1;
static MPI_Comm comm = MPI_COMM_NULL;

void proa_world_begin(MPI_Comm all, int with_rank, int with_size)
{
    rank = with_rank;
    size = with_size;
    /* split, not copied: the user's attributes must not be copied */
    if (all == MPI_COMM_NULL || proa_pmpi()->Comm_split(all, 0, rank, &comm) != MPI_SUCCESS)
        comm = MPI_COMM_NULL;
}

void proa_world_end(void)
{
    if (comm != MPI_COMM_NULL)
        proa_pmpi()->Comm_free(&comm);
}

void proa_world_leave(void)
{
    comm = MPI_COMM_NULL;
}

int proa_world_group(MPI_Group *group)
{
    return proa_pmpi()->Comm_group(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm, group);
}

int proa_world_rank(void)
{
    return rank;
}

int proa_world_size(void)
{
    return size;
}

MPI_Comm proa_world_comm(void)
{
    return comm;
}
