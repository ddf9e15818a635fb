/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulates of one origin to one place happen in the order in which they were issued, without
 * synchronization between them: read after read, read after write, write after read, write after
 * write, for whole arrays as for single elements.
 */
#include "window.h"

enum { words = 300, steps = 20 };

/* A chain of REPLACE: each call must find what the one before has written. */
static void chain_of_replace(struct area *a, int target)
{
    static int sent[steps][words], got[steps][words];
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < words; i++)
            sent[s][i] = 1000 * (s + 1) + i;
        MPI_Get_accumulate(sent[s], words, MPI_INT, got[s], words, MPI_INT, target,
                           disp_at(a, target, 0), words, MPI_INT, MPI_REPLACE, a->win);
    }
    MPI_Win_unlock(target, a->win);
    for (int s = 1; s < steps; s++)
        for (int i = 0; i < words; i++)
            CHECK(got[s][i] == 1000 * s + i, "%s: step %d found %d at %d", kind_names[a->kind], s,
                  got[s][i], i);
}

/* Writes of overlapping ranges, then single elements on top; the last writer of each element
 * wins. */
static void overlapping_writes(struct area *a, int target)
{
    static int sent[steps][words], expected[words], got[words];
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
    for (int s = 0; s < steps; s++) {
        int first = s * 7 % (words / 2), n = s % 3 ? words - first : 1;
        for (int i = 0; i < n; i++)
            sent[s][i] = expected[first + i] = 100000 * (s + 1) + i;
        if (s == 0) /* every element once, so that all have a known value */
            for (int i = 0; i < words; i++)
                sent[s][i] = expected[i] = i;
        MPI_Accumulate(sent[s], s == 0 ? words : n, MPI_INT, target,
                       disp_at(a, target, s == 0 ? 0 : first), s == 0 ? words : n, MPI_INT,
                       MPI_REPLACE, a->win);
    }
    MPI_Get_accumulate(NULL, 0, MPI_INT, got, words, MPI_INT, target, disp_at(a, target, 0), words,
                       MPI_INT, MPI_NO_OP, a->win);
    MPI_Win_unlock(target, a->win);
    for (int i = 0; i < words; i++)
        CHECK(got[i] == expected[i], "%s: %d instead of %d at %d", kind_names[a->kind], got[i],
              expected[i], i);
}

/* fetch_and_op and accumulate on one element: x -> REPLACE 5 -> SUM 3 -> read 8 -> REPLACE 1 ->
 * read 1. */
static void single_element(struct area *a, int target)
{
    const int five = 5, three = 3, one = 1;
    int read_8 = -1, read_1 = -1;
    MPI_Aint at = disp_at(a, target, 0);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
    MPI_Accumulate(&five, 1, MPI_INT, target, at, 1, MPI_INT, MPI_REPLACE, a->win);
    MPI_Accumulate(&three, 1, MPI_INT, target, at, 1, MPI_INT, MPI_SUM, a->win);
    MPI_Fetch_and_op(NULL, &read_8, MPI_INT, target, at, MPI_NO_OP, a->win);
    MPI_Accumulate(&one, 1, MPI_INT, target, at, 1, MPI_INT, MPI_REPLACE, a->win);
    MPI_Fetch_and_op(NULL, &read_1, MPI_INT, target, at, MPI_NO_OP, a->win);
    MPI_Win_unlock(target, a->win);
    CHECK(read_8 == 8 && read_1 == 1, "%s: read %d and %d", kind_names[a->kind], read_8, read_1);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, words * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        for (int hop = 0; hop < 2; hop++) {
            int target = (rank + hop) % nranks; /* each rank has a target of its own */
            chain_of_replace(&a, target);
            overlapping_writes(&a, target);
            single_element(&a, target);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        close_area(&a);
    }
    return finish("op_order");
}
