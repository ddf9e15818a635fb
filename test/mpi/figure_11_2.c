/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figure 11.2 of MPI-2.2: active target communication with weak synchronization. The start returns
 * before the target has posted; only the access waits for the post. Here the target posts after a
 * message that the origin sends after its start, so an implementation whose start waits for the
 * post hangs. The standard allows that ("is allowed to delay its return"); Proa's design does not,
 * and this test holds it to that. MPICH 4.0.2 and Open MPI 4.1.4 hang here.
 */
#include "window.h"

enum { nwindows = 3, rounds = 10 };

static int left, right;

static void put_right(struct area *a, int index, int value)
{
    int sent = value * nranks + rank;
    MPI_Put(&sent, 1, MPI_INT, right, disp_at(a, right, index), 1, MPI_INT, a->win);
}

static void check_left(struct area *a, int index, int value)
{
    int found = ((int *)a->base)[index];
    CHECK(found == value * nranks + left, "%s: %d instead of %d", kind_names[a->kind], found,
          value * nranks + left);
}

static void start_then_tell(MPI_Group targets, int n, struct area *areas)
{
    for (int w = 0; w < n; w++)
        MPI_Win_start(targets, 0, areas[w].win);
    MPI_Sendrecv(NULL, 0, MPI_INT, right, 0, NULL, 0, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* The figure: one window, one start ahead of its post. Every rank is the origin of its right
 * neighbour. */
static void one_start(MPI_Group origins, MPI_Group targets, struct area *a, int value)
{
    start_then_tell(targets, 1, a);
    MPI_Win_post(origins, 0, a->win);
    put_right(a, 0, value);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    check_left(a, 0, value);
}

/* Several starts ahead of all posts; the posts come in the opposite order. */
static void many_starts(MPI_Group origins, MPI_Group targets, struct area *areas, int value)
{
    start_then_tell(targets, nwindows, areas);
    for (int w = nwindows - 1; w >= 0; w--)
        MPI_Win_post(origins, 0, areas[w].win);
    for (int w = 0; w < nwindows; w++) {
        put_right(&areas[w], 1, value + w);
        MPI_Win_complete(areas[w].win);
    }
    for (int w = 0; w < nwindows; w++) {
        MPI_Win_wait(areas[w].win);
        check_left(&areas[w], 1, value + w);
    }
}

/* The start names all other ranks, and each of them posts only after its own message. No operation
 * goes to most of them. */
static void start_to_all(struct area *a, int value)
{
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_start(world, 0, a->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_post(world, 0, a->win);
    put_right(a, 2, value);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    check_left(a, 2, value);
    MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    left = (rank + nranks - 1) % nranks;
    right = (rank + 1) % nranks;
    MPI_Group origins = group_of_one(left), targets = group_of_one(right);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area areas[nwindows];
        for (int w = 0; w < nwindows; w++)
            areas[w] = open_area(kind, 3 * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        for (int value = 1; value <= rounds; value++) {
            one_start(origins, targets, &areas[0], value);
            many_starts(origins, targets, areas, value);
            if (value <= 2)
                start_to_all(&areas[1], value);
        }
        for (int w = 0; w < nwindows; w++)
            close_area(&areas[w]);
    }
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
    return finish("figure_11_2");
}
