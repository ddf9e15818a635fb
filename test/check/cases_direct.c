/* SPDX-License-Identifier: BSD-3-Clause */
/* Pointers to memory of other ranks, and flags that loads wait for or stores set. */
#include "cases.h"

#include <unistd.h>

enum { LATE_US = 20000 }; /* so long a rank waits for the other one to be first */

static volatile long seen;

static INLINE long load(const long *word)
{
    return *(const volatile long *)word;
}

static INLINE void store(long *word, long value)
{
    *(volatile long *)word = value;
}

static void await(const long *word)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
        continue;
}

static void set(long *word)
{
    __atomic_store_n(word, 1, __ATOMIC_RELEASE);
}

static long *query(int target)
{
    MPI_Aint size;
    long *words;
    int unit;

    MPI_Win_shared_query(win, target, &size, &unit, (void *)&words);
    if (!words)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return words;
}

/* The second word, once the flag in the first one is there. */
static INLINE void take_flagged(void)
{
    usleep(LATE_US);
    await(memory);
    MPI_Win_sync(win);
    store(memory + 1, load(memory + 1));
}

/* ---- pointers ---- */

/* A flag in the target's memory, which the first one sets there. */
static void right_flag_there(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 1);
        MPI_Win_flush(TARGET, win);
        MPI_Win_sync(win);
        set(query(TARGET));
    }
    if (rank == TARGET)
        take_flagged();
    MPI_Win_unlock_all(win);
}

/* One that the target sets, and the first one awaits there. */
static void right_flag_here(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == TARGET) {
        seen = load(memory + 1);
        MPI_Win_sync(win);
        set(memory);
    }
    if (rank == FIRST) {
        await(query(TARGET));
        MPI_Win_sync(win);
        put(TARGET, 1);
    }
    MPI_Win_unlock_all(win);
}

/* By a third rank's memory, which does nothing. */
static void right_flag_elsewhere(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 1);
        MPI_Win_flush(TARGET, win);
        MPI_Win_sync(win);
        set(query(SECOND));
    }
    if (rank == TARGET) {
        await(query(SECOND));
        MPI_Win_sync(win);
        put(TARGET, 1);
    }
    MPI_Win_unlock_all(win);
}

/* A rank that has no such pointer is compared as before. */
static void wrong_pointer_before(void)
{
    MPI_Win other;
    long *words, *there;
    MPI_Aint size;
    int unit;

    MPI_Win_allocate(sizeof(long), 1, MPI_INFO_NULL, MPI_COMM_WORLD, (void *)&words, &other);
    MPI_Win_shared_query(other, FIRST, &size, &unit, (void *)&there);
    MPI_Win_free(&other);
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == TARGET)
        seen = load(memory);
    MPI_Win_fence(0, win);
}

/* ---- flags in the own window ---- */

/* The flag is there at the first look. */
static void right_flag_put(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_flagged();
    if (rank == TARGET)
        take_flagged();
    MPI_Win_unlock_all(win);
}

static void fetch_flag(void)
{
    long flag = 0;

    while (!flag) {
        MPI_Fetch_and_op(NULL, &flag, MPI_LONG, TARGET, 0, MPI_NO_OP, win);
        MPI_Win_flush(TARGET, win);
    }
}

static void right_flag_stored(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == TARGET) {
        usleep(LATE_US);
        store(memory + 1, 4);
        MPI_Win_sync(win);
        set(memory);
    }
    if (rank == FIRST) {
        fetch_flag();
        get(TARGET, 1);
    }
    MPI_Win_unlock_all(win);
}

/* Two words are no flag. */
static void wrong_look_store(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        MPI_Get_accumulate(NULL, 0, MPI_LONG, buffer + WORDS, 2, MPI_LONG, TARGET, 3, 2, MPI_LONG,
                           MPI_NO_OP, win);
    if (rank == TARGET)
        store(memory + 3, 5);
    MPI_Win_fence(0, win);
}

const struct scene direct[] = {
    LOCAL(pointer_before, "MPI_Put", FIRST, "a load", TARGET),
    RIGHT(flag_put),
    RIGHT(flag_stored),
    LOCAL(look_store, "MPI_Get_accumulate", FIRST, "a store", TARGET),
    RIGHT(flag_there),
    RIGHT(flag_here),
    RIGHT(flag_elsewhere),
    {0},
};
