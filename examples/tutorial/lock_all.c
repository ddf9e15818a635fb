/* SPDX-License-Identifier: BSD-3-Clause */
/* lock_all: one epoch for the whole run. Ranks draw numbers of tasks from a counter in rank 0's
 * window, and add what a task gave to a sum beside it: quicker ranks do more. */
#include <mpi.h>
#include <stdio.h>

enum { TASKS = 1000, NEXT = 0, SUM = 1, WORDS = 2 };

static long next_task(MPI_Win win)
{
    const long one = 1;
    long task;

    MPI_Fetch_and_op(&one, &task, MPI_LONG, 0, NEXT, MPI_SUM, win);
    MPI_Win_flush(0, win); /* the task's number is here */
    return task;
}

int main(int argc, char **argv)
{
    int rank, wrong;
    long *words, done = 0, total, sum;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(rank == 0 ? WORDS * sizeof(long) : 0, sizeof(long), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &words, &win);
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        words[NEXT] = words[SUM] = 0;
        MPI_Win_sync(win); /* operations of other ranks see what this rank has stored */
    }
    MPI_Barrier(MPI_COMM_WORLD);

    for (long task = next_task(win); task < TASKS; task = next_task(win)) {
        long result = task * task;
        MPI_Accumulate(&result, 1, MPI_LONG, 0, SUM, 1, MPI_LONG, MPI_SUM, win);
        done++;
    }
    MPI_Win_flush_all(win); /* all that this rank has added is there */

    /* No rank leaves this before all have come: the sums of all ranks are there. */
    MPI_Allreduce(&done, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Fetch_and_op(NULL, &sum, MPI_LONG, 0, SUM, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    MPI_Win_unlock_all(win);
    wrong = total != TASKS || sum != (TASKS - 1L) * TASKS * (2L * TASKS - 1) / 6;
    if (rank == 0)
        printf("lock_all: %ld tasks done, their sum is %ld\n", total, sum);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
