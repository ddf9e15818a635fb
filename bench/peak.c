/* SPDX-License-Identifier: BSD-3-Clause */
/* How much memory of the node a window takes at most while it is made and freed. */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_NS = 300000 };

/* Shared with the process that looks. */
struct look {
    uint64_t least; /* bytes that were free, at any look since it was set */
    uint32_t stop;
};

static uint64_t free_bytes(void)
{
    char line[128];
    uint64_t kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");

    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemFree: %" SCNu64, &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib << 10;
}

static void look_until_stopped(struct look *look)
{
    while (!__atomic_load_n(&look->stop, __ATOMIC_ACQUIRE)) {
        uint64_t now = free_bytes();

        if (now < __atomic_load_n(&look->least, __ATOMIC_RELAXED))
            __atomic_store_n(&look->least, now, __ATOMIC_RELAXED);
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
}

/* A process of its own, as a thread would change what is measured; started before there is memory
 * that it would keep from being given back. */
static pid_t look_start(struct look *look)
{
    pid_t child;

    *look = (struct look){.least = 0};
    child = fork();
    if (child == 0) {
        look_until_stopped(look);
        _exit(0);
    }
    return child;
}

static void look_stop(struct look *look, pid_t child)
{
    __atomic_store_n(&look->stop, 1, __ATOMIC_RELEASE);
    waitpid(child, NULL, 0);
}

/* On a GiB of each rank's that it has written. By how much less is free on the node, for one
 * rank. */
static double peak_of_one(struct bench *b, struct look *look)
{
    const size_t bytes = (size_t)1 << 30;
    pid_t child = b->rank == 0 ? look_start(look) : -1;
    char *pages = bench_memory(bytes);
    uint64_t before;
    MPI_Win win;

    memset(pages, 1, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    before = free_bytes();
    if (b->rank == 0)
        __atomic_store_n(&look->least, before, __ATOMIC_RELAXED);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_create(pages, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (b->rank == 0)
        look_stop(look, child);
    munmap(pages, bytes);
    return before > look->least ? (double)(before - look->least) / b->ranks : 1;
}

struct loop_figure measure_peak(struct bench *b)
{
    struct look *look =
        mmap(NULL, sizeof *look, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double value;

    if (look == MAP_FAILED) {
        fprintf(stderr, "rma: no shared page\n");
        exit(1);
    }
    value = peak_of_one(b, look);
    munmap(look, sizeof *look);
    return loop_figure_of(&value, 1);
}
