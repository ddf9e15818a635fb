/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The standard's first example of passive target synchronization: lock, put, unlock. The data is at
 * the target when unlock returns: the target reads its own window after a message that the origin
 * sends after its unlock.
 */
#include "window.h"

static void round_of(struct area *a, int lock_type, int value)
{
    int left = (rank + nranks - 1) % nranks, right = (rank + 1) % nranks,
        sent = value * nranks + rank;
    MPI_Win_lock(lock_type, right, 0, a->win);
    MPI_Put(&sent, 1, MPI_INT, right, disp_at(a, right, 0), 1, MPI_INT, a->win);
    MPI_Win_unlock(right, a->win);
    MPI_Sendrecv(NULL, 0, MPI_INT, right, 0, NULL, 0, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);

    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a->win);
    int found = *(int *)a->base;
    MPI_Win_unlock(rank, a->win);
    CHECK(found == value * nranks + left, "%s: %d instead of %d", kind_names[a->kind], found,
          value * nranks + left);
    /* The right neighbour has looked before the next value goes there. */
    MPI_Sendrecv(NULL, 0, MPI_INT, left, 0, NULL, 0, MPI_INT, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, sizeof(int), sizeof(int), MPI_COMM_WORLD);
        for (int value = 1; value <= 10; value++)
            round_of(&a, value % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, value);
        close_area(&a);
    }
    return finish("example_lock");
}
