/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that is killed in the middle of a lock epoch. This program only dies; litter.sh looks at
 * what it leaves behind. */
#include "window.h"
#include <signal.h>

enum { size = 1 << 20 };

int main(int argc, char **argv)
{
    start(&argc, &argv);
    struct area areas[nkinds];
    int right = (rank + 1) % nranks, value = rank;
    for (int kind = 0; kind < nkinds; kind++) {
        areas[kind] = open_area(kind, size, sizeof(int), MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_SHARED, right, 0, areas[kind].win);
        MPI_Put(&value, 1, MPI_INT, right, disp_at(&areas[kind], right, rank), 1, MPI_INT,
                areas[kind].win);
    }
    check_served();
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_failures)
        return 3;
    if (rank == nranks - 1) {
        printf("killed in a lock epoch\n");
        fflush(stdout);
        kill(getpid(), SIGKILL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return 4;
}
