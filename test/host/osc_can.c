/* SPDX-License-Identifier: BSD-3-Clause */
/* Can this MPI, by itself, make a window on all its processes? The exit status tells. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Win win = MPI_WIN_NULL;
    void *base;
    int error;

    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    error = MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    if (error == MPI_SUCCESS)
        MPI_Win_free(&win);
    MPI_Finalize();
    return error != MPI_SUCCESS;
}
