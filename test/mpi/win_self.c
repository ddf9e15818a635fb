/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of one process, on MPI_COMM_SELF and on a communicator split down to one rank: every
 * kind, every synchronization. Open MPI 4.1.4 cannot create some of them.
 */
#include "window.h"

static void put_value(MPI_Win win, MPI_Aint disp, const int *value)
{
    MPI_Put(value, 1, MPI_INT, 0, disp, 1, MPI_INT, win);
}

static void check_value(const volatile int *memory, int value, const char *kind, const char *how)
{
    CHECK(*memory == value, "%s, %s: %d instead of %d", kind, how, *memory, value);
}

static void all_modes(MPI_Win win, MPI_Aint disp, volatile int *memory, MPI_Comm comm,
                      const char *kind)
{
    MPI_Group self;
    const int values[] = {11, 12, 13}, one = 1;
    int old = -1, got = -1;
    MPI_Comm_group(comm, &self);
    MPI_Win_fence(0, win);
    put_value(win, disp, &values[0]);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    check_value(memory, 11, kind, "fence");

    MPI_Win_post(self, 0, win);
    MPI_Win_start(self, 0, win);
    put_value(win, disp, &values[1]);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    check_value(memory, 12, kind, "post and start");
    MPI_Group_free(&self);

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    put_value(win, disp, &values[2]);
    MPI_Win_flush(0, win);
    MPI_Get(&got, 1, MPI_INT, 0, disp, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    CHECK(got == 13, "%s, lock: got %d", kind, got);

    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &old, MPI_INT, 0, disp, MPI_SUM, win);
    MPI_Win_flush_all(win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, disp, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock_all(win);
    CHECK(old == 13, "%s, lock_all: fetched %d", kind, old);
    check_value(memory, 15, kind, "lock_all");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm alone;
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
    for (int i = 0; i < 2; i++)
        for (int kind = 0; kind < nkinds; kind++) {
            MPI_Comm comm = i ? alone : MPI_COMM_SELF;
            struct area a = open_area(kind, 100 * sizeof(int), sizeof(int), comm);
            all_modes(a.win, disp_at(&a, 0, 7), (int *)a.base + 7, comm, kind_names[kind]);
            close_area(&a);
        }
    MPI_Comm_free(&alone);
    return finish("win_self");
}
