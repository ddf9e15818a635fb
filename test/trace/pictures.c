/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of the standard's chapter (MPI-2.2, 11.1 to 11.3), one of fences and one of a
 * mistake, each on a window of its own: "strong", "weak", "lock", "fence" and "conflict </script>".
 * Messages between the ranks make the orders that the figures show. With an argument: so many
 * operations more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ORIGIN, TARGET, OTHER, RANKS };

static int rank;
static MPI_Group origin_group, target_group;
static long *memory;

static MPI_Win window_named(const char *name)
{
    MPI_Win win;

    MPI_Win_allocate(4 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    MPI_Win_set_name(win, name);
    MPI_Barrier(MPI_COMM_WORLD);
    return win;
}

static void tell(int to, int tag)
{
    MPI_Send(NULL, 0, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void hear(int from, int tag)
{
    MPI_Recv(NULL, 0, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void put(long value, int target, int place, MPI_Win win)
{
    MPI_Put(&value, 1, MPI_LONG, target, place, 1, MPI_LONG, win);
}

/* Figure 11.1: the post comes before the start, and the complete before the wait. */
static void strong(void)
{
    MPI_Win win = window_named("strong");

    if (rank == ORIGIN) {
        hear(TARGET, 0);
        MPI_Win_start(target_group, 0, win);
        put(1, TARGET, 0, win);
        put(2, TARGET, 1, win);
        MPI_Win_complete(win);
        tell(TARGET, 1);
    } else if (rank == TARGET) {
        MPI_Win_post(origin_group, 0, win);
        tell(ORIGIN, 0);
        hear(ORIGIN, 1);
        MPI_Win_wait(win);
    }
    MPI_Win_free(&win);
}

static void sleep_ms(int ms)
{
    for (double until = MPI_Wtime() + ms / 1e3; MPI_Wtime() < until;)
        continue;
}

/* Figure 11.2: the origin starts before the target posts, and the put waits for that. */
static void weak(void)
{
    MPI_Win win = window_named("weak");

    if (rank == ORIGIN) {
        MPI_Win_start(target_group, 0, win);
        tell(TARGET, 0);
        put(1, TARGET, 0, win);
        put(2, TARGET, 1, win);
        MPI_Win_complete(win);
    } else if (rank == TARGET) {
        hear(ORIGIN, 0);
        sleep_ms(5);
        MPI_Win_post(origin_group, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Win_free(&win);
}

/* Figure 11.3: data go from one origin to another through the memory of a target that does nothing.
 */
static void lock(void)
{
    MPI_Win win = window_named("lock");
    long got = 0;

    if (rank == ORIGIN) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
        put(7, TARGET, 0, win);
        tell(OTHER, 0);
        sleep_ms(5);
        MPI_Win_unlock(TARGET, win);
        tell(OTHER, 1);
    } else if (rank == OTHER) {
        hear(ORIGIN, 0);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
        MPI_Get(&got, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        hear(ORIGIN, 1); /* its unlock has returned, so that calls end in the order of the figure */
        MPI_Win_unlock(TARGET, win);
        if (got != 7)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_free(&win);
}

/* Each puts to its right neighbour between two fences; the last rank comes late to the second. */
static void fence(void)
{
    MPI_Win win = window_named("fence");

    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    put(rank, (rank + 1) % RANKS, 0, win);
    if (rank == OTHER)
        sleep_ms(5);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
}

/* Two puts of one origin to the same place, which check mode finds. */
static void conflict(void)
{
    MPI_Win win = window_named("conflict </script>");

    MPI_Win_lock_all(0, win);
    if (rank == ORIGIN) {
        put(1, TARGET, 0, win);
        put(2, TARGET, 0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}

/* More operations than a page can draw each, between a post and its start. Two access epochs of the
 * origin overlap. */
static void many(int operations)
{
    MPI_Win far = window_named("far"), win = window_named("many");

    if (rank == TARGET)
        MPI_Win_post(origin_group, 0, far);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < operations; i++) {
        put(i, (rank + 1) % RANKS, rank, win);
        MPI_Win_flush((rank + 1) % RANKS, win);
    }
    if (rank == ORIGIN)
        MPI_Win_start(target_group, 0, far);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    if (rank == ORIGIN) {
        put(1, TARGET, 0, far);
        MPI_Win_complete(far);
    } else if (rank == TARGET) {
        MPI_Win_wait(far);
    }
    MPI_Win_free(&far);
}

static MPI_Group group_of(int member)
{
    MPI_Group all, group;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &member, &group);
    MPI_Group_free(&all);
    return group;
}

int main(int argc, char **argv)
{
    int ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != RANKS) {
        fprintf(stderr, "figures: start it on %d ranks\n", RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    origin_group = group_of(ORIGIN);
    target_group = group_of(TARGET);
    strong();
    weak();
    lock();
    fence();
    conflict();
    if (argc > 1)
        many(atoi(argv[1]));
    MPI_Group_free(&origin_group);
    MPI_Group_free(&target_group);
    MPI_Finalize();
    return 0;
}
