/* SPDX-License-Identifier: BSD-3-Clause */
/* Notified puts (include/proa_notify.h), and beside them what is done without. Each rank waits for
 * its counters. A host alone does the same by the header's plain MPI. */
#include "bench.h"

#include "proa_notify.h"

/* Counters: of what the rank before sends, and of what the one behind does. */
enum { FROM_BEFORE, FROM_BEHIND, COUNTERS };

static uint64_t *local_word(const struct bench *b)
{
    return (uint64_t *)(void *)b->local;
}

/* The number of counters is set once for a window, by all ranks. */
void bench_counters_open(const struct bench *b)
{
    int num = 0;

    PROA_Win_get_num_notify(b->win, b->rank, &num);
    if (num == 0)
        PROA_Win_set_num_notify(b->win, MPI_INFO_NULL, COUNTERS);
    MPI_Win_lock_all(0, b->win);
}

/* ---- there and back ---- */

static void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* By loads of the counter, as of a flag written by hand. NULL: by the call. */
static void await_counter(const struct bench *b, const uint64_t *counter)
{
    if (!counter)
        PROA_Win_wait_notify(b->win, FROM_BEFORE, (MPI_Count)b->counter);
    else
        while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < b->counter)
            pause_processor();
}

static void notify(const struct bench *b, int count)
{
    PROA_Put_notify(b->local, count, MPI_BYTE, b->target, b->at, count, MPI_BYTE, FROM_BEFORE,
                    b->win);
}

/* The word counts the ways that it has gone: each rank has to read what has come before it can
 * answer. Without data it stays. */
static void there_and_back(struct bench *b, long n, int count, const uint64_t *counter)
{
    const volatile uint64_t *came = (const volatile uint64_t *)(void *)b->base;
    uint64_t *word = local_word(b);

    *word = 2 * b->counter + 1;
    for (long i = 0; i < n; i++) {
        b->counter++;
        if (b->rank == 0)
            notify(b, count);
        await_counter(b, counter);
        *word = *came + 1;
        if (b->rank != 0)
            notify(b, count);
    }
    b->expected = count ? 2 * b->counter - (uint64_t)b->rank : FIRST_WORD;
}

static void notified(struct bench *b, long n, int count)
{
    bench_counters_open(b);
    there_and_back(b, n, count, NULL);
    MPI_Win_unlock_all(b->win);
}

void body_notify(struct bench *b, long n)
{
    notified(b, n, WORD);
}

void body_notify_nothing(struct bench *b, long n)
{
    notified(b, n, 0);
}

/* Of 4 bytes and more. */
void body_notify_size(struct bench *b, long n)
{
    notified(b, n, (int)b->moved);
}

/* Without Proa by the call, as above. */
void body_notify_polled(struct bench *b, long n)
{
    uint64_t *counter = NULL;

    bench_counters_open(b);
    if (PROA_Notify_is_native(b->win))
        PROA_Win_get_notify_address(b->win, FROM_BEFORE, &counter);
    there_and_back(b, n, WORD, counter);
    MPI_Win_unlock_all(b->win);
}

static void put_word(const struct bench *b, uint64_t word)
{
    MPI_Put(b->local, 1, MPI_UINT64_T, b->target, b->at + (MPI_Aint)word * WORD, 1, MPI_UINT64_T,
            b->win);
    MPI_Win_flush(b->target, b->win);
}

static uint64_t load_word(const struct bench *b, uint64_t word)
{
    const volatile uint64_t *words = (const volatile uint64_t *)(void *)b->base;

    return words[word];
}

static void await_word(const struct bench *b, uint64_t word, uint64_t value)
{
    while (load_word(b, word) != value)
        MPI_Win_sync(b->win);
}

/* What a notified put stands for: put, flush, put of a flag, flush; and a look at the flag, then at
 * the data. The data count as above, and the flag is the same. */
void body_flags(struct bench *b, long n)
{
    enum { DATA, FLAG = 16 };
    uint64_t *word = local_word(b);

    MPI_Win_lock_all(0, b->win);
    *word = 2 * b->counter + 1;
    for (long i = 0; i < n; i++) {
        const uint64_t flag = 2 * ++b->counter - (uint64_t)b->rank;

        if (b->rank != 0) {
            await_word(b, FLAG, flag);
            *word = load_word(b, DATA) + 1;
        }
        put_word(b, DATA);
        put_word(b, FLAG);
        if (b->rank == 0) {
            await_word(b, FLAG, flag);
            *word = load_word(b, DATA) + 1;
        }
    }
    MPI_Win_unlock_all(b->win);
    b->expected = 2 * b->counter - (uint64_t)b->rank;
}

/* ---- many ---- */

/* An iteration is one notified put, of rank 0. */
void body_notify_rate(struct bench *b, long n)
{
    bench_counters_open(b);
    *local_word(b) = b->counter += (uint64_t)n;
    for (long i = 0; b->rank == 0 && i < n; i++)
        PROA_Put_notify(b->local, 1, MPI_UINT64_T, b->target, b->at, 1, MPI_UINT64_T, FROM_BEFORE,
                        b->win);
    if (b->rank != 0)
        PROA_Win_wait_notify(b->win, FROM_BEFORE, (MPI_Count)b->counter);
    MPI_Win_unlock_all(b->win);
    b->expected = b->rank == 0 ? FIRST_WORD : b->counter;
}

/* All ranks, on one counter of rank 0's. */
void body_notify_counter(struct bench *b, long n)
{
    bench_counters_open(b);
    for (long i = 0; i < n; i++)
        PROA_Put_notify(b->local, 0, MPI_BYTE, 0, 0, 0, MPI_BYTE, FROM_BEFORE, b->win);
    b->counter += (uint64_t)n;
    if (b->rank == 0)
        PROA_Win_wait_notify(b->win, FROM_BEFORE, (MPI_Count)b->counter * b->ranks);
    MPI_Win_unlock_all(b->win);
}

/* ---- as a program does it ---- */

/* To both neighbours of a ring, two iterations in words of their own: a neighbour may be one
 * ahead. */
void body_halo_notify(struct bench *b, long n)
{
    bench_counters_open(b);
    for (long i = 0; i < n; i++) {
        const MPI_Aint at = (n - 1 - i) % 2 * 2 * WORD;

        *local_word(b) = ++b->counter;
        PROA_Put_notify(b->local, 1, MPI_UINT64_T, b->target, at, 1, MPI_UINT64_T, FROM_BEFORE,
                        b->win);
        PROA_Put_notify(b->local, 1, MPI_UINT64_T, b->source, at + WORD, 1, MPI_UINT64_T,
                        FROM_BEHIND, b->win);
        PROA_Win_wait_notify(b->win, FROM_BEFORE, (MPI_Count)b->counter);
        PROA_Win_wait_notify(b->win, FROM_BEHIND, (MPI_Count)b->counter);
    }
    MPI_Win_unlock_all(b->win);
    b->expected = b->counter;
}
