/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Win_lock_all against exclusive locks. They exclude each other: a reader under lock_all never
 * sees the two words differ that a writer changes one after the other under an exclusive lock. And
 * neither side starves: every rank goes on until all ranks have done their rounds, so those that
 * finish first keep up the pressure on those that have not.
 */
#include "window.h"

enum { rounds = 50 };

static void write_pair(struct area *a, int target, long value)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, a->win);
    MPI_Put(&value, 1, MPI_LONG, target, disp_at(a, target, 0), 1, MPI_LONG, a->win);
    MPI_Win_flush(target, a->win);
    MPI_Put(&value, 1, MPI_LONG, target, disp_at(a, target, 1), 1, MPI_LONG, a->win);
    MPI_Win_unlock(target, a->win);
}

static void read_pairs(struct area *a)
{
    long(*pairs)[2] = need(calloc((size_t)nranks, sizeof *pairs));
    MPI_Win_lock_all(0, a->win);
    for (int t = 0; t < nranks; t++)
        MPI_Get(pairs[t], 2, MPI_LONG, t, disp_at(a, t, 0), 2, MPI_LONG, a->win);
    MPI_Win_unlock_all(a->win);
    for (int t = 0; t < nranks; t++)
        CHECK(pairs[t][0] == pairs[t][1], "%s: saw %ld and %ld of rank %d", kind_names[a->kind],
              pairs[t][0], pairs[t][1], t);
    free(pairs);
}

/* Shared locks on one target beside lock_all and exclusive locks. */
static void read_one(struct area *a, int target)
{
    long pair[2];
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
    MPI_Get(pair, 2, MPI_LONG, target, disp_at(a, target, 0), 2, MPI_LONG, a->win);
    MPI_Win_unlock(target, a->win);
    CHECK(pair[0] == pair[1], "%s: saw %ld and %ld of rank %d", kind_names[a->kind], pair[0],
          pair[1], target);
}

/* Odd ranks write. Even ranks read, all of them by lock_all or alternately by both ways. A rank
 * alone does all. */
static void one_round(struct area *a, int i)
{
    if (rank % 2 || nranks == 1)
        write_pair(a, i % nranks, (long)i * nranks + rank);
    if (rank % 2)
        return;
    if (rank % 4 == 0 || i % 2)
        read_pairs(a);
    else
        read_one(a, i % nranks);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 2 * sizeof(long), sizeof(long), MPI_COMM_WORLD);
        MPI_Request all_done;
        int i = 0, done = 0;
        for (; i < rounds; i++)
            one_round(&a, i);
        MPI_Ibarrier(MPI_COMM_WORLD, &all_done);
        while (!done) {
            one_round(&a, i++);
            MPI_Test(&all_done, &done, MPI_STATUS_IGNORE);
        }
        close_area(&a);
    }
    return finish("lock_all");
}
