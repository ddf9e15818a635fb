/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_MODE_NOCHECK on locks: the program itself sees to it that no conflicting lock is held, here
 * by passing a token from rank to rank. Locks without it follow and must find nothing left behind:
 * a lock taken with NOCHECK is not taken, and must not be released.
 */
#include "window.h"

enum { rounds = 20 };

static void increment(struct area *a, int target, int type, int assert)
{
    long value;
    MPI_Win_lock(type, target, assert, a->win);
    MPI_Get(&value, 1, MPI_LONG, target, disp_at(a, target, 0), 1, MPI_LONG, a->win);
    MPI_Win_flush(target, a->win);
    value++;
    MPI_Put(&value, 1, MPI_LONG, target, disp_at(a, target, 0), 1, MPI_LONG, a->win);
    MPI_Win_unlock(target, a->win);
}

static void increment_everywhere(struct area *a, int assert)
{
    MPI_Win_lock_all(assert, a->win);
    for (int t = 0; t < nranks; t++) {
        long value;
        MPI_Get(&value, 1, MPI_LONG, t, disp_at(a, t, 0), 1, MPI_LONG, a->win);
        MPI_Win_flush(t, a->win);
        value++;
        MPI_Put(&value, 1, MPI_LONG, t, disp_at(a, t, 0), 1, MPI_LONG, a->win);
        MPI_Win_flush_local(t, a->win); /* the value goes */
    }
    MPI_Win_unlock_all(a->win);
}

/* Everything that rank does alone, as it has the token: 3 increments of rank 0's counter and 1 of
 * every other rank's. */
static void with_token(struct area *a)
{
    increment(a, 0, MPI_LOCK_EXCLUSIVE, MPI_MODE_NOCHECK);
    increment(a, 0, MPI_LOCK_SHARED, MPI_MODE_NOCHECK);
    increment_everywhere(a, MPI_MODE_NOCHECK);
}

static void pass_token(struct area *a)
{
    int left = (rank + nranks - 1) % nranks, right = (rank + 1) % nranks;
    if (rank > 0)
        MPI_Recv(NULL, 0, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    with_token(a);
    if (rank < nranks - 1)
        MPI_Send(NULL, 0, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, sizeof(long), sizeof(long), MPI_COMM_WORLD);
        for (int i = 0; i < rounds; i++) {
            pass_token(&a);
            increment(&a, 0, MPI_LOCK_EXCLUSIVE, 0); /* all at once */
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a.win);
        long found = *(long *)a.base, expected = (long)rounds * nranks * (rank == 0 ? 4 : 1);
        MPI_Win_unlock(rank, a.win);
        CHECK(found == expected, "%s: %ld instead of %ld", kind_names[kind], found, expected);
        close_area(&a);
    }
    return finish("lock_nocheck");
}
