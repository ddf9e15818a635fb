/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 11.3 of MPI-2.2: passive target communication. One origin puts into the memory of a third
 * process under a lock, another origin gets it from there under a lock. The locks exclude each
 * other but do not order the two: a message between the origins does. The target takes no part; it
 * may be anywhere, here in a receive that ends when both origins are done.
 */
#include "window.h"

enum { words = 500 };

static void put_at(struct area *a, int target, int round)
{
    int sent[words];
    for (int i = 0; i < words; i++)
        sent[i] = round * words + i;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, a->win);
    MPI_Put(sent, words, MPI_INT, target, disp_at(a, target, 0), words, MPI_INT, a->win);
    MPI_Win_unlock(target, a->win);
}

static void get_from(struct area *a, int target, int round)
{
    int got[words];
    memset(got, -1, sizeof got);
    MPI_Win_lock(round % 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, a->win);
    MPI_Get(got, words, MPI_INT, target, disp_at(a, target, 0), words, MPI_INT, a->win);
    MPI_Win_unlock(target, a->win);
    for (int i = 0; i < words; i++)
        CHECK(got[i] == round * words + i, "%s, round %d: %d at %d", kind_names[a->kind], round,
              got[i], i);
}

/* Ranks `first`, `target` and `second` play; the others wait in the barrier of main. */
static void play(struct area *a, int first, int target, int second, int round)
{
    if (rank == first) {
        put_at(a, target, round);
        MPI_Send(NULL, 0, MPI_INT, second, 0, MPI_COMM_WORLD);
    } else if (rank == second) {
        MPI_Recv(NULL, 0, MPI_INT, first, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        get_from(a, target, round);
        MPI_Send(NULL, 0, MPI_INT, target, 0, MPI_COMM_WORLD);
    } else if (rank == target) {
        MPI_Recv(NULL, 0, MPI_INT, second, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks < 3)
        return skip("needs 3 ranks");
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, words * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        for (int round = 1; round <= nranks; round++) {
            play(&a, round % nranks, (round + 1) % nranks, (round + 2) % nranks, round);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        close_area(&a);
    }
    return finish("figure_11_3");
}
