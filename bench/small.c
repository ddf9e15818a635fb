/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of 8 bytes between processes that do not agree on anything: flush and lock. Only rank
 * 0 is busy. */
#include "bench.h"

#include <string.h>

static uint64_t *local_word(const struct bench *b)
{
    return (uint64_t *)(void *)b->local;
}

void body_put(struct bench *b, long n)
{
    uint64_t *word = local_word(b);

    for (long i = 0; i < n; i++) {
        *word = ++b->counter;
        MPI_Put(word, 1, MPI_UINT64_T, b->target, b->at, 1, MPI_UINT64_T, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->expected = b->counter;
}

void body_get(struct bench *b, long n)
{
    uint64_t *word = local_word(b);

    for (long i = 0; i < n; i++) {
        MPI_Get(word, 1, MPI_UINT64_T, b->target, b->at, 1, MPI_UINT64_T, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->expected = *word;
}

void body_fetch_and_op(struct bench *b, long n)
{
    int64_t one = 1, before = 0;

    for (long i = 0; i < n; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_INT64_T, b->target, b->at, MPI_SUM, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->expected = (uint64_t)(before + one);
}

/* Every swap succeeds, because no other rank changes the word; after one that does not, none does,
 * and the check at the end fails. */
void body_compare_and_swap(struct bench *b, long n)
{
    uint64_t before = 0;

    for (long i = 0; i < n; i++) {
        uint64_t compare = FIRST_WORD + b->counter, swap = compare + 1;
        MPI_Compare_and_swap(&swap, &compare, &before, MPI_UINT64_T, b->target, b->at, b->win);
        MPI_Win_flush(b->target, b->win);
        b->counter++;
    }
    b->expected = FIRST_WORD + b->counter;
}

void body_accumulate(struct bench *b, long n)
{
    int64_t one = 1;

    for (long i = 0; i < n; i++) {
        MPI_Accumulate(&one, 1, MPI_INT64_T, b->target, b->at, 1, MPI_INT64_T, MPI_SUM, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->counter += (uint64_t)n;
    b->expected = FIRST_WORD + b->counter;
}

/* Nothing is moved, and the word stays as it was. */
void body_put_nothing(struct bench *b, long n)
{
    for (long i = 0; i < n; i++)
        MPI_Put(b->local, 0, MPI_UINT64_T, b->target, b->at, 0, MPI_UINT64_T, b->win);
}

void body_put_nowhere(struct bench *b, long n)
{
    for (long i = 0; i < n; i++)
        MPI_Put(b->local, 1, MPI_UINT64_T, MPI_PROC_NULL, b->at, 1, MPI_UINT64_T, b->win);
}

void body_accumulate_nothing(struct bench *b, long n)
{
    for (long i = 0; i < n; i++)
        MPI_Accumulate(b->local, 0, MPI_UINT64_T, b->target, b->at, 0, MPI_UINT64_T, MPI_SUM,
                       b->win);
}

static void lock_put_unlock(struct bench *b, long n, int type, int assertion)
{
    uint64_t *word = local_word(b);

    for (long i = 0; i < n; i++) {
        *word = ++b->counter;
        MPI_Win_lock(type, b->target, assertion, b->win);
        MPI_Put(word, 1, MPI_UINT64_T, b->target, b->at, 1, MPI_UINT64_T, b->win);
        MPI_Win_unlock(b->target, b->win);
    }
    b->expected = b->counter;
}

void body_lock(struct bench *b, long n)
{
    lock_put_unlock(b, n, MPI_LOCK_EXCLUSIVE, 0);
}

/* Of two windows at once, in one order. */
void body_lock_two(struct bench *b, long n)
{
    uint64_t *word = local_word(b);

    for (long i = 0; i < n; i++) {
        *word = ++b->counter;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b->target, 0, b->other);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b->target, 0, b->win);
        MPI_Put(word, 1, MPI_UINT64_T, b->target, b->at, 1, MPI_UINT64_T, b->other);
        MPI_Put(word, 1, MPI_UINT64_T, b->target, b->at, 1, MPI_UINT64_T, b->win);
        MPI_Win_unlock(b->target, b->win);
        MPI_Win_unlock(b->target, b->other);
    }
    b->expected = b->counter;
}

void body_lock_nocheck(struct bench *b, long n)
{
    lock_put_unlock(b, n, MPI_LOCK_EXCLUSIVE, MPI_MODE_NOCHECK);
}

void body_lock_shared(struct bench *b, long n)
{
    lock_put_unlock(b, n, MPI_LOCK_SHARED, 0);
}

void body_lock_all(struct bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Win_lock_all(0, b->win);
        MPI_Win_unlock_all(b->win);
    }
}
