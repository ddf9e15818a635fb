/* SPDX-License-Identifier: BSD-3-Clause */
/* Notified puts there and back (include/proa_notify.h): each rank waits for the other's counter. A
 * host alone does the same by the header's plain MPI. */
#include "bench.h"

#include "proa_notify.h"

/* The number of counters is set once for a window, by all ranks. */
static void counters_open(const struct bench *b)
{
    int num = 0;

    PROA_Win_get_num_notify(b->win, b->rank, &num);
    if (num == 0)
        PROA_Win_set_num_notify(b->win, MPI_INFO_NULL, 1);
    MPI_Win_lock_all(0, b->win);
}

static void notify(struct bench *b, int count)
{
    uint64_t *word = (uint64_t *)(void *)b->local;

    *word = b->counter;
    PROA_Put_notify(word, count, MPI_UINT64_T, b->target, b->at, count, MPI_UINT64_T, 0, b->win);
}

static void there_and_back(struct bench *b, long n, int count)
{
    counters_open(b);
    for (long i = 0; i < n; i++) {
        const MPI_Count number = (MPI_Count)++b->counter;

        if (b->rank == 0)
            notify(b, count);
        PROA_Win_wait_notify(b->win, 0, number);
        if (b->rank != 0)
            notify(b, count);
    }
    MPI_Win_unlock_all(b->win);
    b->expected = count ? b->counter : FIRST_WORD;
}

void body_notify(struct bench *b, long n)
{
    there_and_back(b, n, 1);
}

void body_notify_nothing(struct bench *b, long n)
{
    there_and_back(b, n, 0);
}
