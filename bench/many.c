/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks at once, on the same words or on any. The additions are counted: their sum is what the
 * windows hold at the end. */
#include "bench.h"

#include <time.h>

enum { FLUSH_EVERY = 1000 };

/* One word of rank 0's for all ranks. */
void body_counter(struct bench *b, long n)
{
    int64_t one = 1, before;

    for (long i = 0; i < n; i++) {
        MPI_Fetch_and_op(&one, &before, MPI_INT64_T, 0, 0, MPI_SUM, b->win);
        MPI_Win_flush(0, b->win);
    }
    b->expected += (uint64_t)n;
}

/* The same by hand, under an exclusive lock. */
void body_mutex(struct bench *b, long n)
{
    uint64_t word;

    for (long i = 0; i < n; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, b->win);
        MPI_Get(&word, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, b->win);
        MPI_Win_flush(0, b->win);
        word++;
        MPI_Put(&word, 1, MPI_UINT64_T, 0, 0, 1, MPI_UINT64_T, b->win);
        MPI_Win_unlock(0, b->win);
    }
    b->expected += (uint64_t)n;
}

/* Xorshift: any sequence does that a processor does not guess. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Random words of a table that is spread over all ranks, this one too. */
void body_random(struct bench *b, long n)
{
    uint64_t state = 88172645463325252u + (uint64_t)b->rank + (b->expected << 8);
    int64_t one = 1;

    for (long i = 0; i < n; i++) {
        uint64_t random = next_random(&state);
        MPI_Aint word = (MPI_Aint)(random % (MIDDLE / WORD));
        int target = (int)((random >> 40) % (uint64_t)b->ranks);

        MPI_Accumulate(&one, 1, MPI_INT64_T, target, word * WORD, 1, MPI_INT64_T, MPI_SUM, b->win);
        if (i % FLUSH_EVERY == FLUSH_EVERY - 1)
            MPI_Win_flush_all(b->win);
    }
    MPI_Win_flush_all(b->win);
    b->expected += (uint64_t)n;
}

/* Polled before the processor is left to others. */
enum { POLLS = 1000, PAUSE_NS = 50000 };

void bench_meet(struct bench *b)
{
    int64_t one = 1, count = 0, all = b->ranks * ++b->meetings;

    MPI_Fetch_and_op(&one, &count, MPI_INT64_T, 0, 0, MPI_SUM, b->other);
    MPI_Win_flush(0, b->other);
    for (int polls = 0; count < all; polls++) {
        if (polls >= POLLS || b->ranks > 2)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
        MPI_Fetch_and_op(&one, &count, MPI_INT64_T, 0, 0, MPI_NO_OP, b->other);
        MPI_Win_flush(0, b->other);
    }
}
