/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program that `proa doctor` runs on two ranks: windows of three kinds, each used by one kind
 * of synchronization, with results that are looked at. Prints one line, "selftest: ok ...",
 * "selftest: host" (right results, by the host's windows), or what is wrong.
 */
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1024, ROUNDS = 1000 };

static int rank, size;

static void wrong(const char *what)
{
    printf("selftest: wrong result: %s (rank %d)\n", what, rank);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Puts to the right, between fences. */
static void try_fence(void)
{
    long *memory, mine[WORDS];
    MPI_Win win;

    MPI_Win_allocate(sizeof mine, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < WORDS; i++)
        mine[i] = 1000L * rank + i;
    MPI_Win_fence(0, win);
    MPI_Put(mine, WORDS, MPI_LONG, (rank + 1) % size, 0, WORDS, MPI_LONG, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < WORDS; i++)
        if (memory[i] != 1000L * ((rank + size - 1) % size) + i)
            wrong("put between fences");
    MPI_Win_free(&win);
}

/* Gets from memory of the program's own, by post, start, complete and wait. */
static void try_pscw(void)
{
    static double own[WORDS];
    double got[WORDS] = {0};
    MPI_Group group;
    MPI_Win win;

    for (int i = 0; i < WORDS; i++)
        own[i] = rank + i;
    MPI_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_group(win, &group);
    MPI_Win_post(group, 0, win);
    MPI_Win_start(group, 0, win);
    MPI_Get(got, WORDS, MPI_DOUBLE, (rank + 1) % size, 0, WORDS, MPI_DOUBLE, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    for (int i = 0; i < WORDS; i++)
        if (got[i] != (rank + 1) % size + i)
            wrong("get between start and complete");
    MPI_Group_free(&group);
    MPI_Win_free(&win);
}

/* All count up one word, under shared and under exclusive locks. The nanoseconds of one addition
 * under lock_all. */
static double try_locks(void)
{
    long *counter, one = 1, before, seen = 0;
    double begin, ns;
    MPI_Win win;

    MPI_Win_allocate(sizeof *counter, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter,
                     &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    *counter = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    begin = MPI_Wtime();
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
    }
    ns = (MPI_Wtime() - begin) * 1e9 / ROUNDS;
    MPI_Win_unlock_all(win);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&seen, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
    if (seen != 2L * ROUNDS * size)
        wrong("additions under locks");
    MPI_Win_free(&win);
    return ns;
}

/* How many of its windows Proa has served; -1: Proa is not loaded. */
static long served(void)
{
    unsigned long (*ask)(void) =
        (unsigned long (*)(void))dlsym(RTLD_DEFAULT, "proa_windows_served");

    return ask ? (long)ask() : -1;
}

int main(int argc, char **argv)
{
    double ns;
    long mine, least;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2)
        wrong("one rank only; it takes two");
    try_fence();
    try_pscw();
    ns = try_locks();
    mine = served();
    MPI_Allreduce(&mine, &least, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    if (rank == 0 && least == 3)
        printf("selftest: ok, %d ranks: fence, post and start, locks; fetch_and_op and flush %.0f "
               "ns\n",
               size, ns);
    else if (rank == 0)
        printf("selftest: host\n");
    MPI_Finalize();
    return 0;
}
