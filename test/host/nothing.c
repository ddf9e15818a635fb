/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes so many windows as the argument says, for nothing.sh. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (long left = argc > 1 ? strtol(argv[1], NULL, 10) : 0; left > 0; left--) {
        MPI_Win win;
        void *base;

        MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        MPI_Win_free(&win);
    }
    MPI_Finalize();
    return 0;
}
