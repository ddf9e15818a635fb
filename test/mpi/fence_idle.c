/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fence starts an epoch only if operations follow it. So after a fence that no operation
 * followed, lock, start, post, another fence and free are legal, and so are those after the other
 * kinds of epoch. Open MPI 4.1.4 refuses several of these.
 */
#include "window.h"

static int left, right;
static MPI_Group origins, targets;

static void use_fence(struct area *a, int value)
{
    MPI_Put(&value, 1, MPI_INT, right, disp_at(a, right, 0), 1, MPI_INT, a->win);
    MPI_Win_fence(0, a->win);
}

static void use_lock(struct area *a, int value)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, a->win);
    MPI_Put(&value, 1, MPI_INT, right, disp_at(a, right, 0), 1, MPI_INT, a->win);
    MPI_Win_unlock(right, a->win);
}

static void use_lock_all(struct area *a, int value)
{
    MPI_Win_lock_all(0, a->win);
    MPI_Put(&value, 1, MPI_INT, right, disp_at(a, right, 0), 1, MPI_INT, a->win);
    MPI_Win_unlock_all(a->win);
}

static void use_pscw(struct area *a, int value)
{
    MPI_Win_post(origins, 0, a->win);
    MPI_Win_start(targets, 0, a->win);
    MPI_Put(&value, 1, MPI_INT, right, disp_at(a, right, 0), 1, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
}

static void use_nothing(struct area *a, int value)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a->win);
    *(int *)a->base = value;
    MPI_Win_unlock(rank, a->win);
}

static const struct {
    const char *name;
    void (*use)(struct area *, int);
} modes[] = {
    {"fence", use_fence}, {"lock", use_lock},       {"lock_all", use_lock_all},
    {"pscw", use_pscw},   {"nothing", use_nothing},
};
enum { nmodes = sizeof modes / sizeof modes[0] };

/* The barriers separate the modes between ranks, as the standard asks of the user. */
static void use_after_fence(struct area *a, int mode, int value)
{
    MPI_Win_fence(0, a->win);
    if (mode != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    modes[mode].use(a, value);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a->win);
    int found = *(int *)a->base;
    MPI_Win_unlock(rank, a->win);
    CHECK(found == value, "%s, %s after fence: %d instead of %d", kind_names[a->kind],
          modes[mode].name, found, value);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Every mode comes after every mode once: the edges of a complete directed graph, walked without
 * lifting the pen. */
static const int walk[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 2, 4,
                           1, 3, 0, 3, 1, 4, 2, 0, 4, 3, 2, 1, 0};

int main(int argc, char **argv)
{
    start(&argc, &argv);
    left = (rank + nranks - 1) % nranks;
    right = (rank + 1) % nranks;
    origins = group_of_one(left);
    targets = group_of_one(right);
    int value = 0;
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, sizeof(int), sizeof(int), MPI_COMM_WORLD);
        for (size_t i = 0; i < sizeof walk / sizeof walk[0]; i++)
            use_after_fence(&a, walk[i], ++value);
        MPI_Win_fence(0, a.win);
        MPI_Win_fence(0, a.win);
        close_area(&a); /* straight after a fence */
    }
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
    return finish("fence_idle");
}
