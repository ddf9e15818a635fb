/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that poll by one-sided calls give the processor to those that have something to do. A token
 * goes around all ranks, each of which looks for it in the way under test: by MPI_Win_sync and a
 * load, by a get and a flush, under a lock. With more ranks than processors one that only spins
 * keeps out the one that has the token, until the kernel takes its processor away. The number of
 * their yields shows that they give way (test/yield.c): how long a yield helps is the kernel's
 * affair, and that of other work of the machine.
 */
#include "window.h"
#include <dlfcn.h>

enum {
    rounds = 200,
    /* of a rank for each yield, which comes after 20 us of looking; in a time slice of the kernel's
     * there is room for ten times as many */
    looks_most = 30000
};

static long *mine; /* how often the token has come here */
static long looks; /* of this rank */
static MPI_Win win;

static int looks_by_sync(long wanted)
{
    MPI_Win_sync(win);
    return __atomic_load_n(mine, __ATOMIC_ACQUIRE) >= wanted;
}

static int looks_by_flush(long wanted)
{
    MPI_Win_flush(rank, win);
    return __atomic_load_n(mine, __ATOMIC_ACQUIRE) >= wanted;
}

static int looks_by_get(long wanted)
{
    long seen;
    MPI_Get(&seen, 1, MPI_LONG, rank, 0, 1, MPI_LONG, win);
    MPI_Win_flush(rank, win);
    return seen >= wanted;
}

static int looks_by_request(long wanted)
{
    MPI_Request request;
    long seen;
    MPI_Rget(&seen, 1, MPI_LONG, rank, 0, 1, MPI_LONG, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return seen >= wanted;
}

static int looks_under_lock(long wanted)
{
    long seen;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    MPI_Get(&seen, 1, MPI_LONG, rank, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(rank, win);
    return seen >= wanted;
}

static void pass_on(int locked)
{
    const long one = 1;
    int next = (rank + 1) % nranks;
    if (!locked)
        MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
    MPI_Accumulate(&one, 1, MPI_LONG, next, 0, 1, MPI_LONG, MPI_SUM, win);
    if (locked)
        MPI_Win_flush(next, win);
    else
        MPI_Win_unlock(next, win);
}

/* Of this rank so far; -1: test/yield.c is not loaded. */
static long yields(void)
{
    const long *count = dlsym(RTLD_DEFAULT, "proa_test_yields");
    return count ? __atomic_load_n(count, __ATOMIC_RELAXED) : -1;
}

static void check_looks(const char *way, long before)
{
    long more = yields() - before;
    CHECK(nranks <= sysconf(_SC_NPROCESSORS_ONLN) || before < 0 || looks / looks_most <= more,
          "%s: %ld yields in %ld looks: ranks that poll do not let the others run", way, more,
          looks);
}

static void go_around(const char *way, int (*has_come)(long wanted), int locked)
{
    long before = yields();
    looks = 0;
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    *mine = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (locked)
        MPI_Win_lock_all(0, win);
    for (long round = 1; round <= rounds; round++) {
        if (rank == 0)
            pass_on(locked);
        while (!has_come(round))
            looks++;
        if (rank != 0)
            pass_on(locked);
    }
    if (locked)
        MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    check_looks(way, before);
    CHECK(*mine == rounds, "the token came %ld times", *mine);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    go_around("sync and load", looks_by_sync, 1);
    go_around("flush and load", looks_by_flush, 1);
    go_around("get and flush", looks_by_get, 1);
    go_around("rget and wait", looks_by_request, 1);
    go_around("lock, get, unlock", looks_under_lock, 0);
    return finish("poll_others");
}
