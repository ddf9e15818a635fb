/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of b->moved bytes, and what completes them. Where that is less than a word,
 * only so much of the first word changes, from FIRST_WORD on, which is less than 256. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* What so many bytes can hold of a word. */
static uint64_t held(const struct bench *b, uint64_t value)
{
    return b->moved < WORD ? value & (((uint64_t)1 << (8 * b->moved)) - 1) : value;
}

static uint64_t *local_word(const struct bench *b)
{
    return (uint64_t *)(void *)b->local;
}

void body_put_size(struct bench *b, long n)
{
    int count = (int)b->moved;

    for (long i = 0; i < n; i++) {
        *local_word(b) = ++b->counter;
        MPI_Put(b->local, count, MPI_BYTE, b->target, b->at, count, MPI_BYTE, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->expected = held(b, b->counter);
}

void body_get_size(struct bench *b, long n)
{
    int count = (int)b->moved;

    for (long i = 0; i < n; i++) {
        MPI_Get(b->local, count, MPI_BYTE, b->target, b->at, count, MPI_BYTE, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->expected = held(b, *local_word(b));
}

/* Integers of 1 or 4 bytes, or of 8. */
static MPI_Datatype element(const struct bench *b, int *size)
{
    *size = b->moved < WORD ? (int)b->moved : WORD;
    if (*size == 1)
        return MPI_UINT8_T;
    return *size == 4 ? MPI_UINT32_T : MPI_UINT64_T;
}

/* Once, as filling 4 MiB takes longer than adding it. */
static void fill_with_ones(const struct bench *b, int size, int count)
{
    if (b->counter > 0)
        return;
    memset(b->local, 0, b->moved);
    for (int i = 0; i < count; i++)
        b->local[(size_t)i * (size_t)size] =
            1; /* the lowest byte of each, on a little-endian machine */
}

void body_accumulate_size(struct bench *b, long n)
{
    int size, count;
    MPI_Datatype type = element(b, &size);

    count = (int)b->moved / size;
    fill_with_ones(b, size, count);
    for (long i = 0; i < n; i++) {
        MPI_Accumulate(b->local, count, type, b->target, b->at, count, type, MPI_SUM, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->counter += (uint64_t)n;
    b->expected = held(b, FIRST_WORD + b->counter);
}

/* For what was there. */
static char *results(const struct bench *b)
{
    static char *memory;

    if (!memory)
        memory = calloc(1, b->moved);
    if (!memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return memory;
}

void body_get_accumulate_size(struct bench *b, long n)
{
    char *result = results(b);
    int size, count;
    MPI_Datatype type = element(b, &size);

    count = (int)b->moved / size;
    fill_with_ones(b, size, count);
    for (long i = 0; i < n; i++) {
        MPI_Get_accumulate(b->local, count, type, result, count, type, b->target, b->at, count,
                           type, MPI_SUM, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->counter += (uint64_t)n;
    b->expected = held(b, FIRST_WORD + b->counter);
}

/* A get that is atomic. */
void body_fetch_size(struct bench *b, long n)
{
    int size, count;
    MPI_Datatype type = element(b, &size);

    count = (int)b->moved / size;
    for (long i = 0; i < n; i++) {
        MPI_Get_accumulate(NULL, 0, type, b->local, count, type, b->target, b->at, count, type,
                           MPI_NO_OP, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->expected = held(b, *local_word(b));
}

/* And such a put. */
void body_replace_size(struct bench *b, long n)
{
    int size, count;
    MPI_Datatype type = element(b, &size);

    count = (int)b->moved / size;
    for (long i = 0; i < n; i++) {
        *local_word(b) = ++b->counter;
        MPI_Accumulate(b->local, count, type, b->target, b->at, count, type, MPI_REPLACE, b->win);
        MPI_Win_flush(b->target, b->win);
    }
    b->expected = held(b, b->counter);
}

/* ---- by other synchronization, or by both ranks at once ---- */

static void put_next(struct bench *b)
{
    int count = (int)b->moved;

    *local_word(b) = ++b->counter;
    MPI_Put(b->local, count, MPI_BYTE, b->target, b->at, count, MPI_BYTE, b->win);
}

void body_put_lock_size(struct bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, b->target, 0, b->win);
        put_next(b);
        MPI_Win_unlock(b->target, b->win);
    }
    b->expected = held(b, b->counter);
}

void body_put_fence_size(struct bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        put_next(b);
        MPI_Win_fence(0, b->win);
    }
    b->expected = held(b, b->counter);
}

void body_put_pscw_size(struct bench *b, long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Win_post(b->source_group, 0, b->win);
        MPI_Win_start(b->target_group, 0, b->win);
        put_next(b);
        MPI_Win_complete(b->win);
        MPI_Win_wait(b->win);
    }
    b->expected = held(b, b->counter);
}
