/* SPDX-License-Identifier: BSD-3-Clause */
/* Four ranks that stand still until a file is there: held FILE. Rank 0 has waited in a fence, holds
 * the lock of rank 2 and puts to it, rank 1 waits for that lock, rank 2 waits for rank 0 to
 * complete an epoch, and rank 3 waits for a notification. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#define PROA_MPI_NAMES
#include <proa_notify.h>

enum { HOLDER, WAITER, TARGET, NOTIFIED, RANKS, COUNTERS = 3, COUNTER = 2 };

static int rank;

static MPI_Win window_named(const char *name)
{
    MPI_Win win;
    long *memory;

    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, name);
    return win;
}

static MPI_Group group_of(int member)
{
    MPI_Group all, group;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &member, &group);
    MPI_Group_free(&all);
    return group;
}

static void hold(MPI_Win queue, MPI_Win step, const char *path)
{
    MPI_Group group = group_of(TARGET);
    long value = 1;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, queue);
    MPI_Barrier(MPI_COMM_WORLD);
    while (access(path, F_OK) != 0) {
        MPI_Put(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, queue);
        MPI_Win_flush(TARGET, queue);
        usleep(1000);
    }
    MPI_Win_unlock(TARGET, queue);
    MPI_Win_start(group, 0, step);
    MPI_Win_complete(step);
    MPI_Win_lock_all(0, step);
    MPI_Put_notify(NULL, 0, MPI_LONG, NOTIFIED, 0, 0, MPI_LONG, COUNTER, step);
    MPI_Win_unlock_all(step);
    MPI_Group_free(&group);
}

static void wait_for_lock(MPI_Win queue)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, queue);
    MPI_Win_unlock(TARGET, queue);
}

static void wait_for_epoch(MPI_Win step)
{
    MPI_Group group = group_of(HOLDER);

    MPI_Win_post(group, 0, step);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_wait(step);
    MPI_Group_free(&group);
}

static void wait_for_notification(MPI_Win step)
{
    MPI_Barrier(MPI_COMM_WORLD);
    PROA_Win_wait_notify(step, COUNTER, 1);
}

int main(int argc, char **argv)
{
    MPI_Win queue, step;
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != RANKS || argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    queue = window_named("queue");
    step = window_named("step");
    MPI_Win_set_num_notify(step, MPI_INFO_NULL, COUNTERS);
    if (rank != HOLDER)
        usleep(50000);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, step); /* rank 0 waits, and is shown */
    if (rank == HOLDER)
        hold(queue, step, argv[1]);
    else if (rank == WAITER)
        wait_for_lock(queue);
    else if (rank == TARGET)
        wait_for_epoch(step);
    else
        wait_for_notification(step);
    MPI_Win_free(&step);
    MPI_Win_free(&queue);
    if (rank == HOLDER)
        printf("held: done\n");
    MPI_Finalize();
    return 0;
}
