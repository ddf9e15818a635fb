/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters kept without atomic operations: get, add one, put, under an exclusive lock. Every rank
 * counts at every target; nothing may be lost. The flush makes the value usable inside the epoch.
 */
#include "window.h"

enum { rounds = 100 };

static void increment(struct area *a, int target, MPI_Aint index)
{
    long value = -1;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, a->win);
    MPI_Get(&value, 1, MPI_LONG, target, disp_at(a, target, index), 1, MPI_LONG, a->win);
    MPI_Win_flush(target, a->win);
    value++;
    MPI_Put(&value, 1, MPI_LONG, target, disp_at(a, target, index), 1, MPI_LONG, a->win);
    MPI_Win_unlock(target, a->win);
}

/* The same on memory that this rank can reach with load and store. */
static void increment_own(struct area *a, MPI_Aint index)
{
    volatile long *memory = a->base;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a->win);
    memory[index] = memory[index] + 1;
    MPI_Win_unlock(rank, a->win);
}

static void verify(struct area *a, MPI_Aint index, long expected, const char *what)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a->win);
    long found = ((volatile long *)a->base)[index];
    MPI_Win_unlock(rank, a->win);
    CHECK(found == expected, "%s, %s: %ld instead of %ld", kind_names[a->kind], what, found,
          expected);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 3 * sizeof(long), sizeof(long), MPI_COMM_WORLD);
        for (int i = 0; i < rounds; i++)
            increment(&a, 0, 0);
        verify(&a, 0, rank == 0 ? (long)rounds * nranks : 0, "all count at rank 0");
        for (int i = 0; i < rounds; i++)
            increment(&a, (rank + i) % nranks, 1);
        long share = 0;
        for (int origin = 0; origin < nranks; origin++)
            for (int i = 0; i < rounds; i++)
                share += (origin + i) % nranks == rank;
        verify(&a, 1, share, "all count at all");
        for (int i = 0; i < rounds; i++)
            if (i % 2)
                increment_own(&a, 2);
            else
                increment(&a, (rank + 1) % nranks, 2);
        verify(&a, 2, rounds, "load and store against get and put");
        close_area(&a);
    }
    return finish("lock_counter");
}
