/* SPDX-License-Identifier: BSD-3-Clause */
/* A wave over all ranks, line by line: each waits for the line of the rank before, computes, and
 * puts the line's last number and then how many lines there are to the next rank, which looks at
 * that in its own window. The way of the Parallel Research Kernels' "synch_p2p". */
#include "bench.h"

#include <stddef.h>

/* In the window: how many lines have come, and from FROM on the last numbers of some. */
enum { LINE_NUMBERS = 128, LINES = 1024, FROM = 2 };

static uint64_t load(const struct bench *b, size_t word)
{
    const volatile uint64_t *words = (const volatile uint64_t *)(void *)b->base;

    return words[word];
}

static void await_line(struct bench *b, uint64_t line)
{
    while (load(b, 0) < line)
        MPI_Win_sync(b->win);
}

static double compute(double left)
{
    static double numbers[LINE_NUMBERS];

    for (int i = 0; i < LINE_NUMBERS; i++) {
        left = (left + numbers[i]) / 2;
        numbers[i] = left;
    }
    return left;
}

static void put_word(struct bench *b, uint64_t *value, uint64_t word)
{
    MPI_Put(value, 1, MPI_UINT64_T, b->target, b->at + (MPI_Aint)word * WORD, 1, MPI_UINT64_T,
            b->win);
    MPI_Win_flush(b->target, b->win);
}

/* The last rank tells the first when the last line is done: then a loop is over. All numbers are 0,
 * so the sum of all windows is that of the lines. */
void body_pipeline(struct bench *b, long n)
{
    uint64_t *numbers = (uint64_t *)(void *)b->local;
    uint64_t begun = b->counter ? b->counter : FIRST_WORD;

    for (long i = 0; i < n; i++) {
        uint64_t line = begun + (uint64_t)i + 1, at = FROM + line % LINES;

        if (b->rank > 0)
            await_line(b, line);
        numbers[0] = (uint64_t)compute((double)load(b, at));
        if (b->rank < b->ranks - 1)
            put_word(b, &numbers[0], at);
        numbers[1] = line;
        if (b->rank < b->ranks - 1 || i == n - 1)
            put_word(b, &numbers[1], 0);
    }
    b->counter = begun + (uint64_t)n;
    if (b->rank == 0)
        await_line(b, b->counter);
    b->expected = b->counter;
}
