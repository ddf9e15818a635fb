/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of windows as programs without messages use them: each call is complete when it returns. */
#ifndef PROA_TEST_WORDS_H
#define PROA_TEST_WORDS_H

#include "cases.h"

/* Atomic: the value; sets it; sets it and adds to it, with the value before; compares and sets. */
static INLINE long word_of(int target, MPI_Aint at)
{
    long value;

    MPI_Fetch_and_op(NULL, &value, MPI_LONG, target, at, MPI_NO_OP, win);
    MPI_Win_flush(target, win);
    return value;
}

static INLINE void set_word(int target, MPI_Aint at, long value)
{
    MPI_Accumulate(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, MPI_REPLACE, win);
    MPI_Win_flush(target, win);
}

static INLINE long exchange_word(int target, MPI_Aint at, long value)
{
    long before;

    MPI_Fetch_and_op(&value, &before, MPI_LONG, target, at, MPI_REPLACE, win);
    MPI_Win_flush(target, win);
    return before;
}

static INLINE long add_word(int target, MPI_Aint at, long value)
{
    long before;

    MPI_Fetch_and_op(&value, &before, MPI_LONG, target, at, MPI_SUM, win);
    MPI_Win_flush(target, win);
    return before;
}

static INLINE long swap_word(int target, MPI_Aint at, long from, long to)
{
    long before;

    MPI_Compare_and_swap(&to, &from, &before, MPI_LONG, target, at, win);
    MPI_Win_flush(target, win);
    return before;
}

static INLINE void await_word(int target, MPI_Aint at, long value)
{
    while (word_of(target, at) != value)
        ;
}

/* Not atomic. */
static INLINE long get_word(int target, MPI_Aint at)
{
    long value;

    MPI_Get(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, win);
    MPI_Win_flush(target, win);
    return value;
}

static INLINE void put_word(int target, MPI_Aint at, long value)
{
    MPI_Put(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, win);
    MPI_Win_flush(target, win);
}

/* They are not complete. */
static INLINE void put_begun(int target, MPI_Aint at)
{
    put(target, at);
}

static INLINE void get_begun(int target, MPI_Aint at)
{
    get(target, at);
}

#endif
