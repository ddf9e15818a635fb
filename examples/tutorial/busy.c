/* SPDX-License-Identifier: BSD-3-Clause */
/* A target that computes: rank 0 calls no MPI for 200 ms, and rank 1 meanwhile locks, puts and
 * unlocks. How long that takes tells whether the target has to help. */
#include <mpi.h>
#include <stdio.h>

static void compute(double seconds)
{
    for (double until = MPI_Wtime() + seconds; MPI_Wtime() < until;)
        continue;
}

static double lock_put_unlock(const int *value, MPI_Win win)
{
    double began = MPI_Wtime();

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    return MPI_Wtime() - began;
}

int main(int argc, char **argv)
{
    int rank, *window, wrong = 0;
    const int value = 42;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    if (rank == 1)
        lock_put_unlock(&value, win); /* the first one makes connections: not the one to time */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        compute(0.2);
    if (rank == 1) {
        compute(0.01);
        printf("busy: lock, put and unlock took %.3f ms\n", lock_put_unlock(&value, win) * 1e3);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        wrong = *window != value;
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
