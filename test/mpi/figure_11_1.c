/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 11.1 of MPI-2.2: active target communication with strong synchronization. The post comes
 * before the start, the complete before the wait: messages outside the window force that order. The
 * target stores, exposes, waits and loads.
 */
#include "window.h"

enum { rounds = 10, words = 1000 };

static void origin(struct area *a, int target, int round)
{
    static int sent[words], got[words];
    MPI_Group group = group_of_one(target);
    for (int i = 0; i < words; i++)
        sent[i] = round * words + i;
    MPI_Recv(NULL, 0, MPI_INT, target, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* it has posted */
    MPI_Win_start(group, 0, a->win);
    MPI_Put(sent, words, MPI_INT, target, disp_at(a, target, 0), words, MPI_INT, a->win);
    MPI_Get(got, words, MPI_INT, target, disp_at(a, target, words), words, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Send(NULL, 0, MPI_INT, target, 2, MPI_COMM_WORLD);
    for (int i = 0; i < words; i++)
        CHECK(got[i] == -round * words - i, "round %d: got %d at %d", round, got[i], i);
    MPI_Group_free(&group);
}

static void target(struct area *a, int from, int round)
{
    int *memory = a->base;
    MPI_Group group = group_of_one(from);
    for (int i = 0; i < words; i++)
        memory[words + i] = -round * words - i;
    MPI_Win_post(group, 0, a->win);
    MPI_Send(NULL, 0, MPI_INT, from, 1, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* it has completed */
    MPI_Win_wait(a->win);
    for (int i = 0; i < words; i++)
        CHECK(memory[i] == round * words + i, "round %d: %d at %d", round, memory[i], i);
    MPI_Group_free(&group);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 2 * words * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        int partner = rank ^ 1;
        for (int round = 1; round <= rounds && partner < nranks; round++) {
            if ((rank + round) % 2 == 0)
                origin(&a, partner, round);
            else
                target(&a, partner, round);
        }
        close_area(&a);
    }
    return finish("figure_11_1");
}
