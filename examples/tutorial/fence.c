/* SPDX-License-Identifier: BSD-3-Clause */
/* Fences: every rank puts four numbers into the window of the rank on its right. */
#include <mpi.h>
#include <stdio.h>

enum { WORDS = 4 };

int main(int argc, char **argv)
{
    int rank, ranks, wrong = 0, numbers[WORDS], *mine;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;

    MPI_Win_allocate(WORDS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    for (int i = 0; i < WORDS; i++)
        numbers[i] = 100 * rank + i;

    MPI_Win_fence(0, win); /* the windows of all ranks are ready */
    MPI_Put(numbers, WORDS, MPI_INT, right, 0, WORDS, MPI_INT, win);
    MPI_Win_fence(0, win); /* the puts of all ranks have arrived */

    for (int i = 0; i < WORDS; i++)
        wrong |= mine[i] != 100 * left + i;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("fence: %d ranks have %s\n", ranks,
               wrong ? "something wrong" : "their left neighbour's numbers");
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
