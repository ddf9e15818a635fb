/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 31 of MPI-4.1: ranks 0 and 3 are origins, 1 and 2 targets. Rank 0 puts in the windows of 1
 * and 2, rank 3 in that of 2. Further ranks own parts of the window and do nothing.
 */
#include "window.h"

static void access_targets(struct area *a, int n, const int *targets, int value)
{
    MPI_Group group = group_of(MPI_COMM_WORLD, n, targets);
    MPI_Win_start(group, 0, a->win);
    for (int i = 0; i < n; i++)
        MPI_Put(&value, 1, MPI_INT, targets[i], disp_at(a, targets[i], rank), 1, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Group_free(&group);
}

static void expose_to(struct area *a, int n, const int *origins, int value)
{
    MPI_Group group = group_of(MPI_COMM_WORLD, n, origins);
    MPI_Win_post(group, 0, a->win);
    MPI_Win_wait(a->win);
    for (int i = 0; i < n; i++) {
        int found = ((int *)a->base)[origins[i]];
        CHECK(found == value, "%s: %d instead of %d from %d", kind_names[a->kind], found, value,
              origins[i]);
    }
    MPI_Group_free(&group);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks < 4)
        return skip("needs 4 ranks");
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 4 * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        for (int value = 1; value <= 50; value++) {
            if (rank == 0)
                access_targets(&a, 2, (const int[]){1, 2}, value);
            else if (rank == 1)
                expose_to(&a, 1, (const int[]){0}, value);
            else if (rank == 2)
                expose_to(&a, 2, (const int[]){0, 3}, value);
            else if (rank == 3)
                access_targets(&a, 1, (const int[]){2}, value);
        }
        close_area(&a);
    }
    return finish("figure_31");
}
