/* SPDX-License-Identifier: BSD-3-Clause */
/* A lock convoy: convoy inside|outside. Each rank adds to a sum at rank 0 what takes 2 ms to
 * compute, ten times: by default while it has the lock, with "outside" before it asks for it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { TIMES = 10 };

static long compute(long value)
{
    for (double until = MPI_Wtime() + 0.002; MPI_Wtime() < until;)
        continue;
    return value + 1;
}

static void add(MPI_Win win, long more, int is_outside)
{
    long sum;

    if (is_outside)
        more = compute(more);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&sum, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
    if (!is_outside)
        more = compute(more);
    sum += more;
    MPI_Put(&sum, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
}

int main(int argc, char **argv)
{
    const int is_outside = argc > 1 && strcmp(argv[1], "outside") == 0;
    int rank, ranks, wrong = 0;
    long *sum;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(sizeof *sum, sizeof *sum, MPI_INFO_NULL, MPI_COMM_WORLD, &sum, &win);
    MPI_Win_set_name(win, "sum");
    *sum = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < TIMES; i++)
        add(win, i, is_outside);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        wrong = *sum != (long)ranks * TIMES * (TIMES + 1) / 2;
    if (wrong)
        printf("convoy: wrong sum %ld\n", *sum);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
