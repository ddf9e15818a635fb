/* SPDX-License-Identifier: BSD-3-Clause */
/* Conflicts that are hard to see in the source: aliases, deep calls, other windows, loops. */
#include "cases.h"

#include <stdint.h>
#include <string.h>

/* ---- the same place by other names ---- */

typedef void operation(int target, MPI_Aint at);

static void deep(int levels, operation *what, MPI_Aint at)
{
    if (levels > 0)
        deep(levels - 1, what, at);
    else
        what(TARGET, at);
}

static void wrong_deep(void)
{
    operation *const choices[] = {put, get};

    MPI_Win_lock_all(0, win);
    if (rank != TARGET)
        deep(5, choices[rank == SECOND], 0);
    MPI_Win_unlock_all(win);
}

static void right_deep(void)
{
    MPI_Win_lock_all(0, win);
    if (rank != TARGET)
        deep(5, get, 0);
    MPI_Win_unlock_all(win);
}

static void wrong_handle_copied(void)
{
    MPI_Win copy;

    memcpy(&copy, &win, sizeof copy);
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 1);
    if (rank == SECOND)
        MPI_Put(buffer, 1, MPI_LONG, TARGET, 1, 1, MPI_LONG, copy);
    MPI_Win_fence(0, copy);
}

/* A loop, of whose rounds two meet. */
static void wrong_loop(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        for (int i = 0; i < 8; i++)
            put(TARGET, i);
    if (rank == SECOND)
        put(TARGET, 7);
    MPI_Win_unlock_all(win);
}

static void right_loop(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        for (int i = 0; i < 8; i++)
            put(TARGET, i);
    if (rank == SECOND)
        put(TARGET, 8);
    MPI_Win_unlock_all(win);
}

/* ---- two windows over the same memory ---- */

static INLINE void in_two(const char *name, MPI_Aint at, MPI_Aint at_other)
{
    MPI_Win other;

    MPI_Win_create(memory, WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &other);
    MPI_Win_set_name(other, name);
    MPI_Barrier(MPI_COMM_WORLD); /* all reports have the name */
    MPI_Win_lock_all(0, win);
    MPI_Win_lock_all(0, other);
    if (rank == FIRST)
        put(TARGET, at);
    if (rank == SECOND)
        MPI_Put(buffer, 1, MPI_LONG, TARGET, at_other, 1, MPI_LONG, other);
    MPI_Win_unlock_all(other);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&other);
}

static void wrong_two_windows(void)
{
    in_two("wrong_two_windows", 2, 2);
}

static void right_two_windows(void)
{
    in_two("right_two_windows", 2, 3);
}

/* One origin by two windows, whose flushes are apart. */
static INLINE void by_one(const char *name, int flushes)
{
    MPI_Win other;

    MPI_Win_create(memory, WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &other);
    MPI_Win_set_name(other, name);
    MPI_Barrier(MPI_COMM_WORLD); /* all reports have the name */
    MPI_Win_lock_all(0, win);
    MPI_Win_lock_all(0, other);
    if (rank == FIRST) {
        put(TARGET, 4);
        MPI_Win_flush(TARGET, flushes ? win : other);
        MPI_Put(buffer, 1, MPI_LONG, TARGET, 4, 1, MPI_LONG, other);
    }
    MPI_Win_unlock_all(other);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&other);
}

static void wrong_two_by_one(void)
{
    by_one("wrong_two_by_one", 0);
}

static void right_two_by_one(void)
{
    by_one("right_two_by_one", 1);
}

/* ---- dynamic windows ---- */

static INLINE void in_dynamic(int apart)
{
    MPI_Aint address;
    MPI_Win other;
    long words[2] = {0};

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_set_name(other, apart ? "right_dynamic" : "wrong_dynamic");
    MPI_Win_attach(other, words, sizeof words);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get_address(words, &address);
    MPI_Bcast(&address, 1, MPI_AINT, TARGET, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, other);
    if (rank != TARGET)
        MPI_Put(buffer, 1, MPI_LONG, TARGET, MPI_Aint_add(address, apart && rank == SECOND ? 8 : 0),
                1, MPI_LONG, other);
    MPI_Win_unlock_all(other);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(other, words);
    MPI_Win_free(&other);
}

static void wrong_dynamic(void)
{
    in_dynamic(0);
}

static void right_dynamic(void)
{
    in_dynamic(1);
}

/* ---- nothing ---- */

static void right_nothing(void)
{
    MPI_Win_fence(0, win);
    MPI_Put(buffer, 0, MPI_LONG, TARGET, 0, 0, MPI_LONG, win);
    MPI_Put(buffer, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
}

/* A fence that is followed by nothing opens no epoch. */
static void right_idle_fence(void)
{
    MPI_Win_fence(0, win);
    if (rank != TARGET) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
        put(TARGET, 0);
        MPI_Win_unlock(TARGET, win);
    }
    MPI_Win_fence(0, win);
}

const struct scene hidden[] = {
    WRONG(deep, "Put", FIRST, "Get", SECOND),
    RIGHT(deep),
    WRONG(handle_copied, "Put", FIRST, "Put", SECOND),
    WRONG(loop, "Put", FIRST, "Put", SECOND),
    RIGHT(loop),
    WRONG(two_windows, "Put", FIRST, "Put", SECOND),
    RIGHT(two_windows),
    WRONG(two_by_one, "Put", FIRST, "Put", FIRST),
    RIGHT(two_by_one),
    WRONG(dynamic, "Put", FIRST, "Put", SECOND),
    RIGHT(dynamic),
    RIGHT(nothing),
    RIGHT(idle_fence),
    {0},
};
