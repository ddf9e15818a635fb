/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One origin holds locks on several targets at once: exclusive, shared, mixed, released in another
 * order than they were taken. Locks are taken in ascending order of rank, so that the ranks cannot
 * wait for each other in a circle.
 */
#include "window.h"

enum { rounds = 30, max_ranks = 64 };

/* Exclusive locks on all ranks: their holder may change all counters without atomics. */
static void exclusive_all(struct area *a, int round)
{
    long values[max_ranks];
    for (int t = 0; t < nranks; t++)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, a->win);
    for (int t = 0; t < nranks; t++)
        MPI_Get(&values[t], 1, MPI_LONG, t, disp_at(a, t, 0), 1, MPI_LONG, a->win);
    MPI_Win_flush_all(a->win);
    for (int t = 1; t < nranks; t++)
        CHECK(values[t] == values[0], "%s: counters differ: %ld and %ld", kind_names[a->kind],
              values[0], values[t]);
    for (int t = 0; t < nranks; t++) {
        values[t]++;
        MPI_Put(&values[t], 1, MPI_LONG, t, disp_at(a, t, 0), 1, MPI_LONG, a->win);
    }
    for (int i = 0; i < nranks; i++)
        MPI_Win_unlock((i + round) % nranks, a->win);
}

/* Shared on all but one, exclusive on that one: its second counter is changed without atomics, the
 * others' third one with. */
static void mixed(struct area *a, int round)
{
    const int chosen = (rank + round) % nranks;
    const long one = 1;
    long value;
    for (int t = 0; t < nranks; t++)
        MPI_Win_lock(t == chosen ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, t, 0, a->win);
    MPI_Get(&value, 1, MPI_LONG, chosen, disp_at(a, chosen, 1), 1, MPI_LONG, a->win);
    MPI_Win_flush_local(chosen, a->win);
    value++;
    MPI_Put(&value, 1, MPI_LONG, chosen, disp_at(a, chosen, 1), 1, MPI_LONG, a->win);
    for (int t = 0; t < nranks; t++)
        if (t != chosen)
            MPI_Accumulate(&one, 1, MPI_LONG, t, disp_at(a, t, 2), 1, MPI_LONG, MPI_SUM, a->win);
    for (int t = nranks - 1; t >= 0; t--)
        MPI_Win_unlock(t, a->win);
}

static void verify(struct area *a)
{
    long chosen = 0;
    for (int origin = 0; origin < nranks; origin++)
        for (int round = 0; round < rounds; round++)
            chosen += (origin + round) % nranks == rank;
    const long expected[] = {(long)rounds * nranks, chosen, (long)rounds * nranks - chosen};
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a->win);
    for (int i = 0; i < 3; i++)
        CHECK(((long *)a->base)[i] == expected[i], "%s, counter %d: %ld instead of %ld",
              kind_names[a->kind], i, ((long *)a->base)[i], expected[i]);
    MPI_Win_unlock(rank, a->win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks > max_ranks)
        return skip("needs at most 64 ranks");
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 3 * sizeof(long), sizeof(long), MPI_COMM_WORLD);
        for (int round = 0; round < rounds; round++) {
            exclusive_all(&a, round);
            mixed(&a, round);
        }
        verify(&a);
        close_area(&a);
    }
    return finish("lock_many");
}
