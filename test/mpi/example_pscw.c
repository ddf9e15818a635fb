/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The standard's first example of general active target synchronization: start, put, complete
 * against post, wait. First in pairs, where one side is only origin and the other only target; then
 * in a ring, where every rank is both.
 */
#include "window.h"

static void pair_round(struct area *a, int value)
{
    int partner = rank ^ 1;
    if (partner >= nranks)
        return;
    MPI_Group group = group_of_one(partner);
    if (rank % 2 == 0) {
        MPI_Win_start(group, 0, a->win);
        MPI_Put(&value, 1, MPI_INT, partner, disp_at(a, partner, 0), 1, MPI_INT, a->win);
        MPI_Win_complete(a->win);
    } else {
        MPI_Win_post(group, 0, a->win);
        MPI_Win_wait(a->win);
        CHECK(*(int *)a->base == value, "%s: %d instead of %d", kind_names[a->kind],
              *(int *)a->base, value);
    }
    MPI_Group_free(&group);
}

static void ring_round(struct area *a, int value)
{
    int left = (rank + nranks - 1) % nranks, right = (rank + 1) % nranks,
        sent = value * nranks + rank;
    MPI_Group origins = group_of_one(left), targets = group_of_one(right);
    MPI_Win_post(origins, 0, a->win);
    MPI_Win_start(targets, 0, a->win);
    MPI_Put(&sent, 1, MPI_INT, right, disp_at(a, right, 1), 1, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    int found = ((int *)a->base)[1];
    CHECK(found == value * nranks + left, "%s: %d instead of %d", kind_names[a->kind], found,
          value * nranks + left);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 2 * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        for (int value = 1; value <= 20; value++)
            pair_round(&a, value);
        for (int value = 1; value <= 20; value++)
            ring_round(&a, value);
        close_area(&a);
    }
    return finish("example_pscw");
}
