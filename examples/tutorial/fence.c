/* SPDX-License-Identifier: BSD-3-Clause */
/* Fences: every rank puts its number into the window of the rank on its right. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, ranks, wrong, *mine;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    *mine = -1;

    MPI_Win_fence(0, win); /* everybody's window is ready */
    MPI_Put(&rank, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win); /* everybody's put has arrived */

    wrong = *mine != left;
    if (wrong)
        fprintf(stderr, "fence: rank %d has %d, not %d\n", rank, *mine, left);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && !wrong)
        printf("fence: each of %d ranks has its left neighbour's number\n", ranks);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
