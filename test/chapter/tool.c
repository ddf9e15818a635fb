/* SPDX-License-Identifier: BSD-3-Clause */
/* A small profiling tool as MPI-4.1, 15.2, has them: MPI_Put is the tool's, PMPI_Put does the
 * work. */
#include <mpi.h>

int proa_test_puts_seen(void);

static int seen;

int proa_test_puts_seen(void)
{
    return seen;
}

int MPI_Put(const void *origin, int count, MPI_Datatype datatype, int rank, MPI_Aint displacement,
            int target_count, MPI_Datatype target_datatype, MPI_Win win)
{
    seen++;
    return PMPI_Put(origin, count, datatype, rank, displacement, target_count, target_datatype,
                    win);
}
