/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One call that waits more often than a thread's list of waits has room for at first: MPI_Win_wait
 * of rank 0, whose origins complete one after the other, each once the one before it has. All its
 * waits are counted for this call.
 */
#include "window.h"
#include "asleep.h"
#include "proa.h"

#include <dlfcn.h>
#include <time.h>

enum { room_at_first = 16, epochs = 50 };

static int (*get_stats)(const void *win, struct proa_stats *stats, unsigned long size);
static int first_pid; /* rank 0's process */

/* Rank 0 sleeps only in its wait for the next one. */
static void await_sleep(void)
{
    while (state_of(first_pid) != 'S')
        nanosleep(&(struct timespec){0, 100000}, NULL);
}

/* In the order of their ranks, in which rank 0 waits for them. */
static void complete_in_turn(MPI_Win win)
{
    int go = 1;

    if (rank > 1)
        MPI_Recv(&go, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    await_sleep(); /* rank 0 has seen the one before by then */
    MPI_Win_complete(win);
    if (rank < nranks - 1)
        MPI_Send(&go, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
}

static unsigned long long waits_so_far(MPI_Win win)
{
    struct proa_stats stats;

    CHECK(get_stats(&win, &stats, sizeof stats) == 0, "no statistics");
    return stats.calls[PROA_STATS_WAIT].waits;
}

/* One epoch; returns how often rank 0 has waited in it. On a busy machine it may be late, and find
 * that an origin has completed. */
static int waits_of_epoch(MPI_Win win, MPI_Group first, MPI_Group others)
{
    unsigned long long before, waits = 0;

    if (rank == 0) {
        before = waits_so_far(win);
        MPI_Win_post(others, 0, win);
        MPI_Win_wait(win);
        waits = waits_so_far(win) - before;
        CHECK(waits < (unsigned long long)nranks, "%llu waits for %d origins", waits, nranks - 1);
    } else {
        MPI_Win_start(first, 0, win);
        complete_in_turn(win);
    }
    MPI_Bcast(&waits, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
    return (int)waits;
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Group world, others, first;
    long *memory;
    int most = 0;
    MPI_Win win;
    get_stats = (int (*)(const void *, struct proa_stats *, unsigned long))dlsym(RTLD_DEFAULT,
                                                                                 "proa_stats_get");
    first_pid = getpid();
    MPI_Bcast(&first_pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &(int){0}, &first);
    MPI_Group_difference(world, first, &others);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int epoch = 0; epoch < epochs && most <= room_at_first; epoch++) {
        int waits = waits_of_epoch(win, first, others);
        most = waits > most ? waits : most;
    }
    CHECK(most > room_at_first, "MPI_Win_wait has waited %d times at most", most);
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&others);
    MPI_Group_free(&first);
    return finish("stats_waits");
}
