/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations that move nothing: MPI_PROC_NULL as target, and count 0. Legal in every kind of epoch,
 * with any buffer and displacement. */
#include "window.h"

static void all_operations(MPI_Win win, int target, int count, MPI_Aint disp)
{
    int in[4] = {1, 2, 3, 4}, out[4] = {-1, -1, -1, -1}, old = 9;
    MPI_Put(in, count, MPI_INT, target, disp, count, MPI_INT, win);
    MPI_Get(out, count, MPI_INT, target, disp, count, MPI_INT, win);
    MPI_Accumulate(in, count, MPI_INT, target, disp, count, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(in, count, MPI_INT, out, count, MPI_INT, target, disp, count, MPI_INT,
                       MPI_SUM, win);
    if (target == MPI_PROC_NULL) {
        MPI_Fetch_and_op(in, &old, MPI_INT, target, disp, MPI_SUM, win);
        MPI_Compare_and_swap(in, in + 1, &old, MPI_INT, target, disp, win);
    }
    for (int i = 0; i < 4; i++)
        CHECK(out[i] == -1, "an operation of count %d on target %d wrote %d", count, target,
              out[i]);
}

static void all_requests(MPI_Win win, int target, int count, MPI_Aint disp)
{
    int in[4] = {1, 2, 3, 4}, out[4] = {-1, -1, -1, -1};
    MPI_Request requests[4];
    MPI_Status statuses[4];
    MPI_Rput(in, count, MPI_INT, target, disp, count, MPI_INT, win, &requests[0]);
    MPI_Rget(out, count, MPI_INT, target, disp, count, MPI_INT, win, &requests[1]);
    MPI_Raccumulate(in, count, MPI_INT, target, disp, count, MPI_INT, MPI_SUM, win, &requests[2]);
    MPI_Rget_accumulate(in, count, MPI_INT, out, count, MPI_INT, target, disp, count, MPI_INT,
                        MPI_SUM, win, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    for (int i = 0; i < 4; i++)
        CHECK(requests[i] == MPI_REQUEST_NULL, "request %d survives MPI_Waitall", i);
}

static void nothing_everywhere(MPI_Win win, int requests)
{
    all_operations(win, MPI_PROC_NULL, 3, 1 << 20);
    for (int target = 0; target < nranks; target++)
        all_operations(win, target, 0, 0);
    if (!requests)
        return;
    all_requests(win, MPI_PROC_NULL, 3, 1 << 20);
    for (int target = 0; target < nranks; target++)
        all_requests(win, target, 0, 0);
}

static void in_every_epoch(MPI_Win win)
{
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_fence(0, win);
    nothing_everywhere(win, 0);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

    MPI_Win_post(world, 0, win);
    MPI_Win_start(world, 0, win);
    nothing_everywhere(win, 0);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&world);
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_lock_all(0, win);
    nothing_everywhere(win, 1);
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, MPI_PROC_NULL, 0, win);
    all_operations(win, MPI_PROC_NULL, 3, 1 << 20);
    MPI_Win_flush(MPI_PROC_NULL, win);
    MPI_Win_flush_local(MPI_PROC_NULL, win);
    MPI_Win_unlock(MPI_PROC_NULL, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 4 * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        in_every_epoch(a.win);
        for (int i = 0; i < 4; i++)
            CHECK(((int *)a.base)[i] == 0, "%s: the window changed", kind_names[kind]);
        close_area(&a);
    }
    return finish("op_nothing");
}
