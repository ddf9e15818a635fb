/* SPDX-License-Identifier: BSD-3-Clause */
/* A mistake that no MPI notices: MPI_Win_flush_local makes the buffer of a put free again, and the
 * put may still be on its way. So the value that stays is the first one or the second. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, *window;
    const int first = 1, second = 2;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    MPI_Win_set_name(win, "halo");

    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        MPI_Put(&first, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_flush_local(1, win);
        MPI_Put(&second, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        printf("race: %d\n", *window);

    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
