/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles come back: Proa's window and the host's are made and freed in turn until the host gives a
 * window of its own the handle of one of Proa's that has been freed. Then that handle is the
 * host's, and every call on it works.
 *
 * Each process is made to count as a node of its own, so that windows on all of them are the
 * host's, and windows on one are Proa's.
 */
#include "window.h"

enum { rounds = 2000 };

static MPI_Win freed[rounds]; /* handles that were Proa's */
static int nfreed;

static void one_of_proa(void)
{
    void *base;
    MPI_Win win;
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
    freed[nfreed++] = win;
    MPI_Win_free(&win);
}

static int was_proas(MPI_Win win)
{
    for (int i = 0; i < nfreed; i++)
        if (freed[i] == win)
            return 1;
    return 0;
}

/* With so many more meanwhile: which of the memory that was freed is taken first is malloc's
 * affair. Did a handle come back, on this rank? By MPI_Win_create: MPICH 4.0.2, by itself too, puts
 * to the wrong rank of a window that it allocates with a handle of one on MPI_COMM_SELF before. */
static int of_host(int more)
{
    int memory = 0, value = 500 + rank, came_back;
    MPI_Win win;
    MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    came_back = was_proas(win);
    int others = more > 0 && of_host(more - 1);
    CHECK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN) == MPI_SUCCESS, "no error handler for it");
    CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS, "fence fails, came back: %d", came_back);
    CHECK(MPI_Put(&value, 1, MPI_INT, (rank + 1) % nranks, 0, 1, MPI_INT, win) == MPI_SUCCESS,
          "put fails, came back: %d", came_back);
    CHECK(MPI_Win_fence(0, win) == MPI_SUCCESS, "fence fails, came back: %d", came_back);
    CHECK(memory == 500 + (rank + nranks - 1) % nranks, "put brings %d, came back: %d", memory,
          came_back);
    CHECK(MPI_Win_free(&win) == MPI_SUCCESS, "free fails, came back: %d", came_back);
    CHECK(win == MPI_WIN_NULL, "the handle stays");
    return came_back || others;
}

int main(int argc, char **argv)
{
    int all = 0;
    char node[20];
    start(&argc, &argv);
    snprintf(node, sizeof node, "%d", rank);
    setenv("PROA_NODE_ID", node, 1); /* read when the first window is made */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int came_back = 0; nfreed < rounds && !all && check_failures == 0;) {
        one_of_proa();
        came_back += of_host(nfreed % 4);
        MPI_Allreduce(&came_back, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    CHECK(all, "in %d rounds no handle came back on every rank", nfreed);
    return finish("forget");
}
