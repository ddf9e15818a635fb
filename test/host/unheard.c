/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 ends in MPI_Init, where it is about to tell the others which ranks have Proa
 * (job/roll.h, below.c): they come out of MPI_Init all the same, and have windows. Options keep the
 * launcher from ending the job.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Before MPI_Init: the launcher's number. */
static int is_first(void)
{
    const char *mpich = getenv("PMI_RANK"), *openmpi = getenv("OMPI_COMM_WORLD_RANK"),
               *number = mpich ? mpich : openmpi;

    return number && strcmp(number, "0") == 0;
}

static void use_window(void)
{
    long *memory, seven = 7;
    MPI_Win win;

    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_SELF, &memory, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&seven, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
    CHECK(memory[0] == 7, "%ld", memory[0]);
    MPI_Win_free(&win);
}

/* The last rank hears of the others, and speaks for them. */
int main(int argc, char **argv)
{
    int from = -1;

    if (is_first())
        setenv("BELOW_DIES", "1", 1);
    start(&argc, &argv);
    use_window();
    check_served();
    if (rank < nranks - 1)
        MPI_Send(&rank, 1, MPI_INT, nranks - 1, 0, MPI_COMM_WORLD);
    for (int i = 1; i < nranks - 1 && rank == nranks - 1; i++) {
        MPI_Recv(&from, 1, MPI_INT, i, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(from == i, "%d", from);
    }
    if (rank == nranks - 1 && check_failures == 0)
        printf("the others live\n");
    fflush(stdout);
    usleep(200000); /* what the host still moves for the others */
    _exit(check_failures != 0);
}
