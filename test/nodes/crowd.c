/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hundreds of ranks on a few processors (test/nodes/crowd): windows, fences, locks and a death, and
 * what they take of each process. Ranks wait in windows, where they sleep; the host's collectives
 * spin, so there are few.
 */
#include "../mpi/check.h"

#include <dirent.h>
#include <time.h>

enum { ROUNDS = 3, WINDOWS = 4, OPERATIONS = 4 };

static double began;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int descriptors(void)
{
    DIR *all = opendir("/proc/self/fd");
    int count = -3; /* itself, and two entries that are no descriptors */
    while (all && readdir(all))
        count++;
    if (all)
        closedir(all);
    return count;
}

/* What rank 0 has seen pass since the last call. */
static void tell(const char *what, int times)
{
    double end = now();
    if (rank == 0) {
        printf("%-28s %10.3f ms\n", what, 1e3 * (end - began) / times);
        fflush(stdout);
    }
    began = now();
}

static long *memory;

static MPI_Win make(void)
{
    MPI_Win win;
    MPI_Win_allocate(2 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = 0;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    return win;
}

static void create(void)
{
    MPI_Win wins[WINDOWS];
    wins[0] = make();
    tell("the first window", 1);
    for (int i = 1; i < WINDOWS; i++)
        wins[i] = make();
    tell("a further window", WINDOWS - 1);
    for (int i = 0; i < WINDOWS; i++)
        CHECK(MPI_Win_free(&wins[i]) == MPI_SUCCESS, "window %d", i);
    tell("its end", WINDOWS);
}

/* To the next rank, and to one of another node. */
static void fence(MPI_Win win, int per_node)
{
    CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS, "the first");
    tell("the first fence", 1);
    for (int i = 0; i < ROUNDS; i++)
        CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS, "fence %d", i);
    tell("a fence", ROUNDS);
    for (int i = 1; i <= ROUNDS; i++) {
        long value = rank + i;
        MPI_Put(&value, 1, MPI_LONG, (rank + 1) % nranks, 0, 1, MPI_LONG, win);
        MPI_Put(&value, 1, MPI_LONG, (rank + per_node) % nranks, 1, 1, MPI_LONG, win);
        CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS, "fence %d", i);
        CHECK(memory[0] == (rank + nranks - 1) % nranks + i, "%ld", memory[0]);
        CHECK(memory[1] == (rank + nranks - per_node) % nranks + i, "%ld", memory[1]);
        CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS, "fence %d", i);
    }
    tell("puts, and two fences", ROUNDS);
}

static void add(MPI_Win win, int target, int place)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    long one = 1, sum = 0, old;
    int code, length;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Get(&old, 1, MPI_LONG, target, place, 1, MPI_LONG, win);
    MPI_Win_flush(target, win);
    sum = old + one;
    MPI_Put(&sum, 1, MPI_LONG, target, place, 1, MPI_LONG, win);
    code = MPI_Win_unlock(target, win);
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    CHECK(code == MPI_SUCCESS, "at rank %d: %s", target, text);
}

/* All at rank 0; each at some others. */
static void lock(MPI_Win win, int per_node)
{
    memory[0] = memory[1] = 0;
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    began = now();
    add(win, 0, 0);
    MPI_Win_fence(0, win);
    if (rank == 0)
        printf("descriptors of rank 0: %d\n", descriptors());
    tell("a lock at rank 0, by all", nranks);
    CHECK(memory[0] == (rank == 0 ? nranks : 0), "%ld", memory[0]);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    began = now();
    for (int i = 1; i <= OPERATIONS; i++)
        add(win, (rank + i * (per_node + 1)) % nranks, 1);
    MPI_Win_fence(0, win);
    tell("a lock at others, by all", OPERATIONS);
    CHECK(memory[1] == OPERATIONS, "%ld", memory[1]);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void lock_all(MPI_Win win, int per_node)
{
    long one = 1, old;
    began = now();
    MPI_Win_lock_all(0, win);
    for (int i = 1; i <= OPERATIONS; i++)
        MPI_Fetch_and_op(&one, &old, MPI_LONG, (rank + i * (per_node + 1)) % nranks, 1, MPI_SUM,
                         win);
    CHECK(MPI_Win_flush_all(win) == MPI_SUCCESS, "flush");
    CHECK(MPI_Win_unlock_all(win) == MPI_SUCCESS, "unlock");
    MPI_Win_fence(0, win);
    tell("lock_all, 4 operations", 1);
    CHECK(memory[1] == 2 * OPERATIONS, "%ld", memory[1]);
    MPI_Win_fence(0, win);
}

static void tell_most(MPI_Win win)
{
    long mine = descriptors(), most = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Accumulate(&mine, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_MAX, win);
    MPI_Win_unlock(0, win);
    MPI_Win_fence(0, win);
    most = memory[0];
    if (rank == 0)
        printf("descriptors of a rank: %ld at the most\n", most < mine ? mine : most);
    MPI_Win_fence(0, win);
}

/* On the clock that all ranks of this machine share, for test/nodes/crowd. */
static void note(const char *what)
{
    printf("%s at %.3f: rank %d\n", what, now(), rank);
    fflush(stdout);
}

/* The last rank dies; each of the others is told so by its fence. */
static void die(MPI_Win win)
{
    char text[MPI_MAX_ERROR_STRING] = "", sentence[40];
    int length, code;
    if (rank == nranks - 1) {
        note("died");
        _exit(0);
    }
    began = now();
    code = MPI_Win_fence(0, win);
    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    snprintf(sentence, sizeof sentence, "rank %d is gone", nranks - 1);
    note("told");
    CHECK(strstr(text, sentence), "%s", text);
    tell("a fence without the last rank", 1);
}

int main(int argc, char **argv)
{
    int per_node = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Win win;

    began = now();
    start(&argc, &argv);
    tell("MPI_Init", 1);
    create();
    win = make();
    began = now();
    fence(win, per_node);
    lock(win, per_node);
    lock_all(win, per_node);
    tell_most(win);
    check_served();
    MPI_Win_fence(0, win);
    die(win);
    if (check_failures == 0 && rank == 0)
        printf("crowd: the others live\n");
    fflush(stdout);
    usleep(2000000); /* the launcher has to pass that on, and no other is to be missed */
    _exit(check_failures != 0);
}
