/* SPDX-License-Identifier: BSD-3-Clause */
/* A wave over all ranks, line by line: each waits for the line of the rank before, computes, and
 * puts the line's last number and then how many lines there are to the next rank, which looks at
 * that in its own window. The way of the Parallel Research Kernels' "synch_p2p". */
#include "bench.h"

#include "proa_notify.h"

#include <stdbool.h>
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

/* ---- the same otherwise: each number is that of its line; the last rank tells the first when the
 * last line is done ---- */

static bool is_last(const struct bench *b)
{
    return b->rank == b->ranks - 1;
}

/* A line has come with its number, or with a later line's in its place, and is computed. */
static void take_line(struct bench *b, uint64_t line)
{
    uint64_t *number = (uint64_t *)(void *)b->local;

    if (b->rank > 0 && load(b, FROM + line % LINES) < line)
        b->expected = 0;
    number[0] = line + (uint64_t)compute(0);
}

/* By notified puts. */
void body_pipeline_notify(struct bench *b, long n)
{
    b->expected = FIRST_WORD;
    bench_counters_open(b);
    for (long i = 0; i < n; i++) {
        uint64_t line = ++b->counter;

        if (b->rank > 0)
            PROA_Win_wait_notify(b->win, 0, (MPI_Count)line);
        take_line(b, line);
        if (!is_last(b))
            PROA_Put_notify(b->local, 1, MPI_UINT64_T, b->target,
                            (MPI_Aint)(FROM + line % LINES) * WORD, 1, MPI_UINT64_T, 0, b->win);
    }
    if (is_last(b))
        PROA_Put_notify(NULL, 0, MPI_BYTE, b->target, 0, 0, MPI_BYTE, 0, b->win);
    if (b->rank == 0)
        PROA_Win_wait_notify(b->win, 0, (MPI_Count)++b->loops);
    MPI_Win_unlock_all(b->win);
}

static void expose(const struct bench *b)
{
    MPI_Win_post(b->source_group, 0, b->win);
}

static void put_line(const struct bench *b, uint64_t line)
{
    MPI_Win_start(b->target_group, 0, b->win);
    MPI_Put(b->local, 1, MPI_UINT64_T, b->target, (MPI_Aint)(FROM + line % LINES) * WORD, 1,
            MPI_UINT64_T, b->win);
    MPI_Win_complete(b->win);
}

/* By post, start, complete and wait. A rank is ready for the next line before it computes this one.
 */
void body_pipeline_pscw(struct bench *b, long n)
{
    b->expected = FIRST_WORD;
    expose(b);
    for (long i = 0; i < n; i++) {
        uint64_t line = ++b->counter;

        if (b->rank > 0) {
            MPI_Win_wait(b->win);
            if (i < n - 1)
                expose(b);
        }
        take_line(b, line);
        if (!is_last(b))
            put_line(b, line);
    }
    if (is_last(b))
        put_line(b, b->counter);
    if (b->rank == 0)
        MPI_Win_wait(b->win);
}

/* By messages; the window is there for the ranks to meet by, as in the others. */
void body_pipeline_send(struct bench *b, long n)
{
    uint64_t *number = (uint64_t *)(void *)b->local;

    for (long i = 0; i < n; i++) {
        if (b->rank > 0)
            MPI_Recv(number, 1, MPI_UINT64_T, b->source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        number[0] += (uint64_t)compute(0);
        if (!is_last(b) || i == n - 1)
            MPI_Send(number, 1, MPI_UINT64_T, b->target, 0, MPI_COMM_WORLD);
    }
    if (b->rank == 0)
        MPI_Recv(number, 1, MPI_UINT64_T, b->source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    b->expected = FIRST_WORD;
}
