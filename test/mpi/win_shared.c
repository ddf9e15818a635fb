/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Win_allocate_shared: one contiguous piece across ranks by default, pieces of no size on some
 * ranks, alloc_shared_noncontig, MPI_Win_shared_query for each rank and for MPI_PROC_NULL, loads
 * and stores between ranks ordered by fence, by lock and by sync.
 */
#include "window.h"

enum { words = 100 };

static MPI_Aint words_of(int who, int sparse)
{
    return sparse && who % 3 != 1 ? 0 : words + who;
}

static long *query(MPI_Win win, int who, MPI_Aint *size, int *unit)
{
    long *base = NULL;
    MPI_Win_shared_query(win, who, size, unit, &base);
    return base;
}

static void check_layout(MPI_Win win, const long *own, int sparse, int contiguous, const char *what)
{
    MPI_Aint size;
    int unit, lowest = -1;
    const char *expected = NULL;
    for (int r = 0; r < nranks; r++) {
        const long *base = query(win, r, &size, &unit);
        CHECK(size == words_of(r, sparse) * (MPI_Aint)sizeof(long), "%s: size of %d is %ld", what,
              r, (long)size);
        CHECK(unit == (int)sizeof(long), "%s: displacement unit of %d is %d", what, r, unit);
        CHECK(size == 0 || base, "%s: no pointer to the memory of %d", what, r);
        if (contiguous && size > 0 && expected)
            CHECK((const char *)base == expected,
                  "%s: memory of %d is not behind that of the ranks before", what, r);
        if (size > 0) {
            expected = (const char *)base + size;
            lowest = lowest < 0 ? r : lowest;
        }
    }
    CHECK(words_of(rank, sparse) == 0 || query(win, rank, &size, &unit) == own,
          "%s: own pointer differs", what);
    const long *by_null = query(win, MPI_PROC_NULL, &size, &unit);
    if (lowest >= 0) {
        CHECK(size == words_of(lowest, sparse) * (MPI_Aint)sizeof(long),
              "%s: MPI_PROC_NULL gives size %ld", what, (long)size);
        CHECK(by_null == query(win, lowest, &size, &unit),
              "%s: MPI_PROC_NULL does not give rank %d", what, lowest);
    } else {
        CHECK(size == 0, "%s: MPI_PROC_NULL gives size %ld of nothing", what, (long)size);
    }
}

/* Every rank stores into the last word of its right neighbour, which loads it after the next
 * fence. */
static void store_by_fence(MPI_Win win, int sparse, const char *what)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks, unit;
    MPI_Aint size;
    long *theirs = query(win, right, &size, &unit);
    MPI_Win_fence(0, win);
    if (size > 0)
        theirs[words_of(right, sparse) - 1] = 1000 + rank;
    MPI_Win_fence(0, win);
    long *own = query(win, rank, &size, &unit);
    if (size > 0)
        CHECK(own[words_of(rank, sparse) - 1] == 1000 + left, "%s: load after fence gives %ld",
              what, own[words_of(rank, sparse) - 1]);
    MPI_Win_fence(0, win);
}

/* Increments of one word by loads and stores of all ranks, under exclusive locks of its owner. */
static void count_by_lock(MPI_Win win, const char *what)
{
    const int owner = nranks > 1 ? 1 : 0, rounds = 200; /* has memory in the sparse windows too */
    MPI_Aint size;
    int unit;
    volatile long *theirs = query(win, owner, &size, &unit);
    if (size == 0)
        return;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, win);
    theirs[0] = 0;
    MPI_Win_unlock(owner, win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < rounds; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, owner, 0, win);
        theirs[0] = theirs[0] + 1;
        MPI_Win_unlock(owner, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, win);
    CHECK(theirs[0] == (long)rounds * nranks, "%s: counted %ld", what, theirs[0]);
    MPI_Win_unlock(owner, win);
}

/* Stores and loads inside one lock_all epoch, ordered by MPI_Win_sync and messages. */
static void store_by_sync(MPI_Win win, const char *what)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks, unit;
    MPI_Aint right_size, own_size;
    long *theirs = query(win, right, &right_size, &unit), *own = query(win, rank, &own_size, &unit);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 1; i <= 10; i++) {
        if (right_size > 0)
            theirs[1] = 100 * i + rank;
        MPI_Win_sync(win);
        MPI_Sendrecv(NULL, 0, MPI_INT, right, 0, NULL, 0, MPI_INT, left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Win_sync(win);
        if (own_size > 0)
            CHECK(own[1] == 100 * i + left, "%s: load after sync gives %ld", what, own[1]);
        MPI_Win_sync(win);
        MPI_Sendrecv(NULL, 0, MPI_INT, left, 0, NULL, 0, MPI_INT, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
}

/* Put and accumulate of one rank and loads of another. */
static void operations(MPI_Win win, int sparse, const char *what)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks, unit;
    MPI_Aint size;
    long sent[2] = {7000 + rank, 5};
    long *own = query(win, rank, &size, &unit);
    MPI_Win_fence(0, win);
    if (words_of(right, sparse) > 0) {
        MPI_Put(&sent[0], 1, MPI_LONG, right, 2, 1, MPI_LONG, win);
        MPI_Accumulate(&sent[1], 1, MPI_LONG, right, 3, 1, MPI_LONG, MPI_REPLACE, win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (size > 0)
        CHECK(own[2] == 7000 + left && own[3] == 5, "%s: operations bring %ld and %ld", what,
              own[2], own[3]);
}

/* The value of alloc_shared_noncontig that is in force. */
static void check_in_force(MPI_Win win, int contiguous, const char *what)
{
    char value[16] = "none";
    MPI_Info info;
    MPI_Win_get_info(win, &info);
    int found = info_value(info, "alloc_shared_noncontig", value, sizeof value);
    CHECK(found && strcmp(value, contiguous ? "false" : "true") == 0,
          "%s: alloc_shared_noncontig is %s", what, value);
    MPI_Info_free(&info);
}

/* noncontig is this rank's; contiguous is what comes of all ranks' together. */
static void run_case(int sparse, const char *noncontig, int contiguous, const char *what)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_Win win;
    long *own = NULL;
    if (noncontig) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "alloc_shared_noncontig", noncontig);
    }
    MPI_Win_allocate_shared(words_of(rank, sparse) * (MPI_Aint)sizeof(long), sizeof(long), info,
                            MPI_COMM_WORLD, &own, &win);
    if (noncontig)
        MPI_Info_free(&info);
    check_layout(win, own, sparse, contiguous, what);
    check_in_force(win, contiguous, what);
    store_by_fence(win, sparse, what);
    operations(win, sparse, what);
    MPI_Barrier(MPI_COMM_WORLD);
    count_by_lock(win, what);
    MPI_Barrier(MPI_COMM_WORLD);
    store_by_sync(win, what);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    run_case(0, NULL, 1, "contiguous");
    run_case(1, NULL, 1, "contiguous, some without memory");
    run_case(0, "true", 0, "not contiguous");
    run_case(1, "true", 0, "not contiguous, some without memory");
    run_case(0, "false", 1, "alloc_shared_noncontig=false");
    for (int alone = 0; alone < nranks; alone++) { /* contiguous unless all ask otherwise */
        run_case(0, rank == alone ? "true" : NULL, nranks > 1, "one asks for noncontig");
        run_case(1, rank == alone ? "false" : "true", 1, "all but one ask for noncontig");
    }
    return finish("win_shared");
}
