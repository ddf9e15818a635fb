/* SPDX-License-Identifier: BSD-3-Clause */
/* What later.c loads: windows of every kind, each with a put to the next rank. */
#include "window.h"

int run(int *argc, char ***argv);

int run(int *argc, char ***argv)
{
    start(argc, argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area((enum kind)kind, 64, sizeof(int), MPI_COMM_WORLD);
        int value = 40 + rank, next = (rank + 1) % nranks;
        MPI_Win_fence(0, a.win);
        MPI_Put(&value, 1, MPI_INT, next, disp_at(&a, next, 3), 1, MPI_INT, a.win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
        CHECK(((int *)a.base)[3] == 40 + (rank + nranks - 1) % nranks, "%s: put brings %d",
              kind_names[kind], ((int *)a.base)[3]);
        close_area(&a);
    }
    return finish("later");
}
