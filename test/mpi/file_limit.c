/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A limit on the size of files (`ulimit -f`) below what Proa would like: windows that fit under it
 * are Proa's, nothing kills the program, and memory that needs no file is still to be had.
 */
#include "window.h"
#include <sys/resource.h>

enum { limit = 2 << 20, small = 1 << 16, larger = 8 << 20 };

/* Windows of every kind, more of them than one file under the limit holds. */
static void many_windows(void)
{
    enum { windows = 48 };
    static struct area areas[windows];
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks, value = 100 + rank;
    for (int i = 0; i < windows; i++) {
        areas[i] = open_area(i % nkinds, small, sizeof(int), MPI_COMM_WORLD);
        MPI_Win_fence(0, areas[i].win);
        MPI_Put(&value, 1, MPI_INT, right, disp_at(&areas[i], right, i), 1, MPI_INT, areas[i].win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, areas[i].win);
        CHECK(((int *)areas[i].base)[i] == 100 + left, "window %d: put brings %d", i,
              ((int *)areas[i].base)[i]);
    }
    for (int i = 0; i < windows; i++)
        close_area(&areas[i]);
}

/* More than a file may hold, from MPI_Alloc_mem: used, put into a window, given back. */
static void larger_memory(void)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks, value = 200 + rank;
    int *memory = NULL;
    MPI_Win win;
    MPI_Alloc_mem(larger, MPI_INFO_NULL, &memory);
    memset(memory, 1, larger);
    MPI_Win_create(memory, larger, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, right, larger / (MPI_Aint)sizeof(int) - 1, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(memory[larger / sizeof(int) - 1] == 200 + left, "put brings %d",
          memory[larger / sizeof(int) - 1]);
    MPI_Win_free(&win);
    MPI_Free_mem(memory);
}

int main(int argc, char **argv)
{
    struct rlimit files = {limit, RLIM_INFINITY};
    start(&argc, &argv);
    CHECK(setrlimit(RLIMIT_FSIZE, &files) == 0, "setrlimit fails");
    many_windows();
    larger_memory();
    return finish("file_limit");
}
