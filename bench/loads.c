/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a program's own use of its memory while a window is on it, and after that: loads all
 * over it, and a fork. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 256 << 20, ALIGN = 2 << 20, TIMES = 9, LOADS = 1 << 20 };

/* Aligned to large pages, and asked to be in such, as a large heap is. */
static char *memory_open(void)
{
    char *memory = aligned_alloc(ALIGN, BYTES);

    if (!memory) {
        fprintf(stderr, "rma: no memory for %d bytes\n", BYTES);
        exit(1);
    }
    madvise(memory, BYTES, MADV_HUGEPAGE);
    return memset(memory, 1, BYTES);
}

/* One load, whose address needs the word before. */
static double load_ns(const char *memory)
{
    uint64_t at = 1;
    double begin_ns = loop_now_ns();

    for (long i = 0; i < LOADS; i++) {
        at = at * 6364136223846793005u + 1442695040888963407u;
        at += *(const volatile uint64_t *)(memory + (at >> 32) % BYTES / WORD * WORD);
    }
    return (loop_now_ns() - begin_ns) / LOADS;
}

/* A fork, and the end of the child, which does nothing. */
static double fork_ns(const char *memory)
{
    double begin_ns = loop_now_ns();
    pid_t child = fork();

    (void)memory;
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return loop_now_ns() - begin_ns;
}

static struct loop_figure measured(const char *memory, double (*one_ns)(const char *memory))
{
    double values[TIMES];

    for (int i = 0; i < TIMES; i++)
        values[i] = one_ns(memory);
    MPI_Barrier(MPI_COMM_WORLD);
    return loop_figure_of(values, TIMES);
}

/* With a window on the memory, which the other rank has put to. after: once that is freed. */
static struct loop_figure around(const struct bench *b, double (*one_ns)(const char *memory),
                                 bool after)
{
    char *memory = memory_open();
    uint64_t word = 0;
    struct loop_figure figure = {0};
    MPI_Win win;

    MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&word, 1, MPI_UINT64_T, b->target, BYTES / 2, 1, MPI_UINT64_T, win);
    MPI_Win_fence(0, win);
    if (!after)
        figure = measured(memory, one_ns);
    MPI_Win_free(&win);
    if (after)
        figure = measured(memory, one_ns);
    free(memory);
    return figure;
}

struct loop_figure measure_loads_during(struct bench *b)
{
    return around(b, load_ns, false);
}

struct loop_figure measure_loads_after(struct bench *b)
{
    return around(b, load_ns, true);
}

struct loop_figure measure_fork(struct bench *b)
{
    return around(b, fork_ns, false);
}
