/* SPDX-License-Identifier: BSD-3-Clause */
/* The standard's example of fence: every rank updates its neighbours between two fences (a halo
 * exchange), by put and by get. */
#include "window.h"

enum { from_left, from_right, own, nslots }; /* slots of each window */

static void exchange_by_put(struct area *a, int value)
{
    int left = (rank + nranks - 1) % nranks, right = (rank + 1) % nranks,
        sent = value * nranks + rank;
    MPI_Win_fence(0, a->win);
    MPI_Put(&sent, 1, MPI_INT, left, disp_at(a, left, from_right), 1, MPI_INT, a->win);
    MPI_Put(&sent, 1, MPI_INT, right, disp_at(a, right, from_left), 1, MPI_INT, a->win);
    MPI_Win_fence(0, a->win);
    const int *slots = a->base;
    CHECK(slots[from_left] == value * nranks + left, "%s: %d", kind_names[a->kind],
          slots[from_left]);
    CHECK(slots[from_right] == value * nranks + right, "%s: %d", kind_names[a->kind],
          slots[from_right]);
}

static void exchange_by_get(struct area *a, int value)
{
    int left = (rank + nranks - 1) % nranks, right = (rank + 1) % nranks, got[2] = {-1, -1};
    ((int *)a->base)[own] = value * nranks + rank;
    MPI_Win_fence(0, a->win);
    MPI_Get(&got[0], 1, MPI_INT, left, disp_at(a, left, own), 1, MPI_INT, a->win);
    MPI_Get(&got[1], 1, MPI_INT, right, disp_at(a, right, own), 1, MPI_INT, a->win);
    MPI_Win_fence(0, a->win);
    CHECK(got[0] == value * nranks + left, "%s: %d", kind_names[a->kind], got[0]);
    CHECK(got[1] == value * nranks + right, "%s: %d", kind_names[a->kind], got[1]);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, nslots * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        for (int value = 1; value <= 10; value++) {
            exchange_by_put(&a, value);
            exchange_by_get(&a, value);
        }
        close_area(&a);
    }
    return finish("example_fence");
}
