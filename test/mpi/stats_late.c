/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of three ranks, for stats_late.sh. In the first one ranks 0 and 1 wait for rank 2, which
 * is late, and for no other. Rank 1 begins after rank 0 and ends before it. The next window is made
 * when that one has been freed, and begins with nothing. The last one is of ranks 1 and 2.
 */
#include "window.h"
#include "asleep.h"
#include "proa.h"

#include <sched.h>

enum { late = 2, ranks = 3, puts_of_first = 5 };

static int (*get_stats)(const void *win, struct proa_stats *stats, unsigned long size);

/* By rank: it is about to wait; and its process. In the memory of rank 0. */
static struct {
    volatile int about_to_wait, pid;
} * mark;

static MPI_Win marks_make(void)
{
    MPI_Aint bytes;
    MPI_Win win;
    int unit;

    MPI_Win_allocate_shared(rank ? 0 : ranks * (MPI_Aint)sizeof *mark, 1, MPI_INFO_NULL,
                            MPI_COMM_WORLD, (void *)&mark, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, (void *)&mark);
    mark[rank].pid = getpid();
    mark[rank].about_to_wait = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    return win;
}

static void await_sleep(int other)
{
    while (!mark[other].about_to_wait || state_of(mark[other].pid) != 'S')
        sched_yield();
}

static MPI_Win window_make(MPI_Comm comm, const char *name)
{
    long *memory;
    MPI_Win win;

    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, comm, &memory, &win);
    MPI_Win_set_name(win, name);
    return win;
}

static int put_at(MPI_Win win, int target, MPI_Aint displacement)
{
    long one = 1;

    return MPI_Put(&one, 1, MPI_LONG, target, displacement, 1, MPI_LONG, win);
}

static void put_one(MPI_Win win, int target)
{
    put_at(win, target, 0);
}

/* Rank 0 waits in its first put, for the post. */
static void wait_in_put(MPI_Win win)
{
    MPI_Group group = group_of_one(late);

    mark[rank].about_to_wait = 1;
    MPI_Win_start(group, 0, win);
    for (int i = 0; i < puts_of_first; i++)
        put_one(win, late);
    MPI_Win_complete(win);
    MPI_Send(NULL, 0, MPI_INT, late, 0, MPI_COMM_WORLD);
    MPI_Group_free(&group);
}

/* Rank 1 waits in a call that names no rank, for the complete. */
static void wait_in_wait(MPI_Win win)
{
    MPI_Group group = group_of_one(late);

    await_sleep(0);
    MPI_Win_post(group, 0, win);
    mark[rank].about_to_wait = 1;
    MPI_Win_wait(win);
    MPI_Send(NULL, 0, MPI_INT, late, 0, MPI_COMM_WORLD);
    MPI_Group_free(&group);
}

/* A message comes before each call that would have to wait for what it tells of. */
static void be_late(MPI_Win win)
{
    MPI_Group second = group_of_one(1), first = group_of_one(0);

    await_sleep(1);
    MPI_Win_start(second, 0, win);
    MPI_Win_complete(win);
    MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_post(first, 0, win);
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_wait(win);
    MPI_Group_free(&second);
    MPI_Group_free(&first);
}

static void check_unused(MPI_Win win)
{
    struct proa_stats stats;

    CHECK(get_stats && get_stats(&win, &stats, sizeof stats) == 0, "no statistics");
    for (int row = 0; row < PROA_STATS_CALLS; row++)
        CHECK(stats.calls[row].count == 0 && stats.calls[row].waits == 0 &&
                  stats.calls[row].waited_ns == 0,
              "row %d of a new window has %llu calls", row, stats.calls[row].count);
}

/* A put that fails is none. */
static void work_on_the_next(MPI_Win win)
{
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    put_one(win, 1);
    CHECK(put_at(win, 1, 1) != MPI_SUCCESS, "a put outside of the window does not fail");
    MPI_Win_unlock(1, win);
}

static void part_of_the_job(void)
{
    MPI_Comm part;
    MPI_Win win;

    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &part);
    if (rank > 0) {
        win = window_make(part, "part");
        MPI_Win_free(&win);
    }
    MPI_Comm_free(&part);
}

int main(int argc, char **argv)
{
    MPI_Win marks, win;

    start(&argc, &argv);
    if (nranks != ranks)
        return skip("needs 3 ranks");
    get_stats = (int (*)(const void *, struct proa_stats *, unsigned long))dlsym(RTLD_DEFAULT,
                                                                                 "proa_stats_get");
    marks = marks_make();
    win = window_make(MPI_COMM_WORLD, "late");
    (rank == 0 ? wait_in_put : rank == 1 ? wait_in_wait : be_late)(win);
    MPI_Win_free(&win);
    win = window_make(MPI_COMM_WORLD, "next\\\t");
    check_unused(win);
    if (rank == 0)
        work_on_the_next(win);
    MPI_Win_free(&win);
    part_of_the_job();
    MPI_Win_free(&marks);
    return finish("stats_late");
}
