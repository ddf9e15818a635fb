/* SPDX-License-Identifier: BSD-3-Clause */
/* See world.h. */
#include "findings/world.h"
#include "host/pmpi.h"

static int rank, size = 1;
static MPI_Comm comm = MPI_COMM_NULL;

void proa_world_begin(int all_have_proa)
{
    const struct proa_pmpi *mpi = proa_pmpi();

    mpi->Comm_rank(MPI_COMM_WORLD, &rank);
    mpi->Comm_size(MPI_COMM_WORLD, &size);
    /* split, not copied: the user's attributes are none of its business */
    if (!all_have_proa || mpi->Comm_split(MPI_COMM_WORLD, 0, rank, &comm) != MPI_SUCCESS)
        comm = MPI_COMM_NULL;
}

void proa_world_end(void)
{
    if (comm != MPI_COMM_NULL)
        proa_pmpi()->Comm_free(&comm);
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
