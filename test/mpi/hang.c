/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs of two ranks that never end: the watchdog of check mode tells of each (hang.sh), and the
 * program is ended after a while.
 *
 *   fence  a fence that one rank leaves out
 *   lock   two ranks that each hold the lock that the other one asks for
 *   start  a put to a target that never posts
 *   slow   no hang: a rank that computes for longer than the watchdog waits
 */
#include "check.h"
#include "window.h"

#include <signal.h>
#include <unistd.h>

enum { LIFE_S = 8 };

static int other;

static void end(int sig)
{
    (void)sig;
    _exit(0);
}

static void by_fence(MPI_Win win)
{
    struct area area;

    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Win_fence(0, win);
    area = open_area(kind_allocate, sizeof(long), 1, MPI_COMM_WORLD);
    close_area(&area);
}

static void by_lock(MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
    MPI_Win_unlock(other, win);
    MPI_Win_unlock(rank, win);
}

static void by_start(MPI_Win win)
{
    MPI_Group group = group_of_one(other);
    long word = 0;

    if (rank == 1) {
        MPI_Win_start(group, 0, win);
        MPI_Put(&word, 1, MPI_LONG, other, 0, 1, MPI_LONG, win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&group);
}

static void slowly(MPI_Win win)
{
    if (rank == 0)
        sleep(3);
    MPI_Win_fence(0, win);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(MPI_Win win);
    } ways[] = {{"fence", by_fence}, {"lock", by_lock}, {"start", by_start}, {"slow", slowly}};
    struct area area;

    start(&argc, &argv);
    other = 1 - rank;
    signal(SIGALRM, end);
    alarm(LIFE_S);
    area = open_area(kind_allocate, sizeof(long), 1, MPI_COMM_WORLD);
    MPI_Win_set_name(area.win, "stuck");
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
            ways[i].run(area.win);
    close_area(&area);
    return finish("hang");
}
