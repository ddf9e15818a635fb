/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_THREAD_MULTIPLE and windows in which some ranks have no memory: as with a counter that one
 * rank has for all. Programs in Python ask for that level unless told otherwise.
 */
#include "window.h"

enum { counts = 20 };

static void count_up(const struct area *a, int owner)
{
    const int one = 1;
    int before;
    MPI_Win_lock_all(0, a->win);
    for (int i = 0; i < counts; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_INT, owner, disp_at(a, owner, 0), MPI_SUM, a->win);
        MPI_Win_flush(owner, a->win);
    }
    MPI_Win_unlock_all(a->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run_kind(enum kind kind, int owner)
{
    struct area a = open_area(kind, rank == owner ? sizeof(int) : 0, sizeof(int), MPI_COMM_WORLD);
    count_up(&a, owner);
    if (rank == owner) {
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a.win);
        int found = *(int *)a.base;
        MPI_Win_unlock(rank, a.win);
        CHECK(found == counts * nranks, "%s, memory on rank %d alone: %d instead of %d",
              kind_names[kind], owner, found, counts * nranks);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    close_area(&a);
}

int main(int argc, char **argv)
{
    if (!start_threads(&argc, &argv))
        return skip("the host has no MPI_THREAD_MULTIPLE");
    for (int kind = 0; kind < nkinds; kind++) {
        run_kind((enum kind)kind, 0);
        run_kind((enum kind)kind, nranks - 1);
    }
    return finish("thread_empty");
}
