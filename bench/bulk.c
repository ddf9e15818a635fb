/* SPDX-License-Identifier: BSD-3-Clause */
/* More than 8 bytes: large transfers, accumulates of many elements, derived datatypes, many puts
 * for one flush. Only rank 0 is busy. */
#include "bench.h"

#include <string.h>

static uint64_t *local_word(const struct bench *b)
{
    return (uint64_t *)(void *)b->local;
}

static void put_flush(struct bench *b, long n, int origin_count, MPI_Datatype origin,
                      int target_count, MPI_Datatype target)
{
    for (long i = 0; i < n; i++) {
        *local_word(b) = ++b->counter;
        MPI_Put(b->local, origin_count, origin, b->target, b->at, target_count, target, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->expected = b->counter;
}

void body_put_64k(struct bench *b, long n)
{
    put_flush(b, n, SMALL, MPI_BYTE, SMALL, MPI_BYTE);
}

void body_put_1m(struct bench *b, long n)
{
    put_flush(b, n, MIDDLE, MPI_BYTE, MIDDLE, MPI_BYTE);
}

void body_put_4m(struct bench *b, long n)
{
    put_flush(b, n, LARGE, MPI_BYTE, LARGE, MPI_BYTE);
}

/* All that fill a loop are flushed together, as a stream of TCP is answered. */
static void put_many(struct bench *b, long n, int bytes)
{
    *local_word(b) = ++b->counter;
    for (long i = 0; i < n; i++)
        MPI_Put(b->local, bytes, MPI_BYTE, b->target, b->at, bytes, MPI_BYTE, b->win);
    MPI_Win_flush(b->target, b->win);
    b->expected = b->counter;
}

void body_put_64k_many(struct bench *b, long n)
{
    put_many(b, n, SMALL);
}

void body_put_1m_many(struct bench *b, long n)
{
    put_many(b, n, MIDDLE);
}

void body_put_4m_many(struct bench *b, long n)
{
    put_many(b, n, LARGE);
}

void body_put_vector(struct bench *b, long n)
{
    put_flush(b, n, VECTOR_BLOCKS, MPI_UINT64_T, 1, b->vector);
}

void body_put_vector_both(struct bench *b, long n)
{
    put_flush(b, n, 1, b->vector, 1, b->vector);
}

void body_put_indexed(struct bench *b, long n)
{
    put_flush(b, n, VECTOR_BLOCKS, MPI_UINT64_T, 1, b->indexed);
}

void body_get_4m(struct bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Get(b->local, LARGE, MPI_BYTE, b->target, b->at, LARGE, MPI_BYTE, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->expected = *local_word(b);
}

static void get_many(struct bench *b, long n, int bytes)
{
    for (long i = 0; i < n; i++)
        MPI_Get(b->local, bytes, MPI_BYTE, b->target, b->at, bytes, MPI_BYTE, b->win);
    MPI_Win_flush(b->target, b->win);
    b->expected = *local_word(b);
}

void body_get_1m_many(struct bench *b, long n)
{
    get_many(b, n, MIDDLE);
}

void body_get_4m_many(struct bench *b, long n)
{
    get_many(b, n, LARGE);
}

/* Gets by rank 0 while the other rank waits in the call that ends the epoch. */
enum { GETS_PER_EPOCH = 64 };

static void get_some(struct bench *b, long n)
{
    for (long i = 0; i < n && b->rank == 0; i++)
        MPI_Get(b->local, SMALL, MPI_BYTE, b->target, b->at, SMALL, MPI_BYTE, b->win);
}

static long in_this_epoch(long left)
{
    return left < GETS_PER_EPOCH ? left : GETS_PER_EPOCH;
}

static uint64_t still_there(const struct bench *b)
{
    return b->rank == 0 && *local_word(b) != FIRST_WORD ? 0 : FIRST_WORD;
}

void body_get_64k(struct bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Get(b->local, SMALL, MPI_BYTE, b->target, b->at, SMALL, MPI_BYTE, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->expected = *local_word(b);
}

void body_get_64k_fence(struct bench *b, long n)
{
    for (; n > 0; n -= GETS_PER_EPOCH) {
        get_some(b, in_this_epoch(n));
        MPI_Win_fence(0, b->win);
    }
    b->expected = still_there(b);
}

void body_get_64k_pscw(struct bench *b, long n)
{
    for (; n > 0; n -= GETS_PER_EPOCH) {
        if (b->rank == 0) {
            MPI_Win_start(b->target_group, 0, b->win);
            get_some(b, in_this_epoch(n));
            MPI_Win_complete(b->win);
        } else {
            MPI_Win_post(b->source_group, 0, b->win);
            MPI_Win_wait(b->win);
        }
    }
    b->expected = still_there(b);
}

/* An iteration is one put. */
void body_put_rate(struct bench *b, long n)
{
    uint64_t *words = local_word(b);

    words[0] = ++b->counter;
    for (long i = 0; i < n; i++) {
        long which = i % RATE_WORDS;

        MPI_Put(&words[which], 1, MPI_UINT64_T, b->target, b->at + which * WORD, 1, MPI_UINT64_T,
                b->win);
        if (which == RATE_WORDS - 1)
            MPI_Win_flush(b->target, b->win);
    }
    MPI_Win_flush(b->target, b->win);
    b->expected = b->counter;
}

void body_get_rate(struct bench *b, long n)
{
    uint64_t *words = local_word(b);

    for (long i = 0; i < n; i++) {
        long which = i % RATE_WORDS;

        MPI_Get(&words[which], 1, MPI_UINT64_T, b->target, b->at + which * WORD, 1, MPI_UINT64_T,
                b->win);
        if (which == RATE_WORDS - 1)
            MPI_Win_flush(b->target, b->win);
    }
    MPI_Win_flush(b->target, b->win);
    b->expected = words[0];
}

void body_accumulate_rate(struct bench *b, long n)
{
    uint64_t one = 1;

    for (long i = 0; i < n; i++) {
        long which = i % RATE_WORDS;

        MPI_Accumulate(&one, 1, MPI_UINT64_T, b->target, b->at + which * WORD, 1, MPI_UINT64_T,
                       MPI_SUM, b->win);
        b->counter += which == 0;
        if (which == RATE_WORDS - 1)
            MPI_Win_flush(b->target, b->win);
    }
    MPI_Win_flush(b->target, b->win);
    b->expected = FIRST_WORD + b->counter;
}

static void fill_with_ones(struct bench *b, int count)
{
    double *numbers = (double *)(void *)b->local;

    for (int i = 0; i < count; i++)
        numbers[i] = 1;
}

/* Doubles, as in the codes that do this. The window's first word, 42 as an integer, is next to
 * nothing as a double: it does not change the sum. */
static void accumulate_64k(struct bench *b, long n, int lock)
{
    enum { COUNT = SMALL / sizeof(double) };
    double sum;

    fill_with_ones(b, COUNT);
    for (long i = 0; i < n; i++) {
        MPI_Win_lock(lock, b->target, 0, b->win);
        MPI_Accumulate(b->local, COUNT, MPI_DOUBLE, b->target, b->at, COUNT, MPI_DOUBLE, MPI_SUM,
                       b->win);
        MPI_Win_unlock(b->target, b->win);
    }
    b->counter += (uint64_t)n;
    sum = (double)b->counter;
    memcpy(&b->expected, &sum, sizeof sum);
}

void body_accumulate_64k(struct bench *b, long n)
{
    accumulate_64k(b, n, MPI_LOCK_EXCLUSIVE);
}

void body_accumulate_64k_shared(struct bench *b, long n)
{
    accumulate_64k(b, n, MPI_LOCK_SHARED);
}

static void add_ones(struct bench *b, long n, int count, int target_count, MPI_Datatype target)
{
    int64_t *numbers = (int64_t *)(void *)b->local;

    for (int i = 0; i < count; i++)
        numbers[i] = 1;
    for (long i = 0; i < n; i++) {
        MPI_Accumulate(numbers, count, MPI_UINT64_T, b->target, b->at, target_count, target,
                       MPI_SUM, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->counter += (uint64_t)n;
    b->expected = FIRST_WORD + b->counter;
}

void body_accumulate_16(struct bench *b, long n)
{
    add_ones(b, n, 16, 16, MPI_UINT64_T);
}

void body_accumulate_1024(struct bench *b, long n)
{
    add_ones(b, n, 1024, 1024, MPI_UINT64_T);
}

void body_accumulate_vector(struct bench *b, long n)
{
    add_ones(b, n, VECTOR_BLOCKS, 1, b->vector);
}

void body_accumulate_indexed(struct bench *b, long n)
{
    add_ones(b, n, VECTOR_BLOCKS, 1, b->indexed);
}
