/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that do little, one record each in a trace, or one of two calls: what `record` (the script)
 * times with a trace and without. One rank, which puts to itself.
 *
 * Prints "NAME NS": nanoseconds of a call, the median of blocks.
 */
#include "loop.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A block fills 8 chunks of a trace (trace/format.h), and all of them less than its limit. */
enum { BLOCKS = 15, CALLS = 8 * 8192 };

typedef void timed(MPI_Win win);

static void put(MPI_Win win)
{
    const long value = 1;

    MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
}

static void flush(MPI_Win win)
{
    MPI_Win_flush(0, win);
}

/* Both have one record. */
static void put_flush(MPI_Win win)
{
    put(win);
    flush(win);
}

static int by_size(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;

    return (one > other) - (one < other);
}

static void measure(const char *name, timed *call, MPI_Win win)
{
    double block_ns[BLOCKS];

    for (int block = 0; block < BLOCKS; block++) {
        const double began_ns = loop_now_ns();

        for (int i = 0; i < CALLS; i++)
            call(win);
        block_ns[block] = (loop_now_ns() - began_ns) / CALLS;
    }
    qsort(block_ns, BLOCKS, sizeof *block_ns, by_size);
    printf("%s %.2f\n", name, block_ns[BLOCKS / 2]);
}

int main(int argc, char **argv)
{
    MPI_Win win;
    long *memory;

    MPI_Init(&argc, &argv);
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    measure("put", put, win);
    measure("flush", flush, win);
    measure("put_flush", put_flush, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
