/* SPDX-License-Identifier: BSD-3-Clause */
/* The library half of a program that is linked to MPI only through a library of its own. */
#include <mpi.h>

int through_run(int argc, char **argv);

int through_run(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
