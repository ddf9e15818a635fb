/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates: all ranks count into one histogram, which lies in pieces in the windows of all. */
#include <mpi.h>
#include <stdio.h>

enum { BINS = 10, DRAWS = 20000 };

/* The same numbers in every run: a small generator of its own for each rank. */
static unsigned next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

int main(int argc, char **argv)
{
    int rank, ranks, wrong;
    const long one = 1;
    long *mine, total = 0;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    MPI_Win_allocate(BINS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    for (int bin = 0; bin < BINS; bin++)
        mine[bin] = 0;

    unsigned state = (unsigned)rank + 1;
    MPI_Win_fence(0, win);
    for (int draw = 0; draw < DRAWS; draw++) {
        int bin = (int)(next(&state) % (unsigned)(BINS * ranks));
        MPI_Accumulate(&one, 1, MPI_LONG, bin / BINS, bin % BINS, 1, MPI_LONG, MPI_SUM, win);
    }
    MPI_Win_fence(0, win);

    for (int bin = 0; bin < BINS; bin++)
        total += mine[bin];
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    wrong = total != (long)ranks * DRAWS;
    if (rank == 0)
        printf("histogram: %ld draws counted, %ld made\n", total, (long)ranks * DRAWS);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
