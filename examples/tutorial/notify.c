/* SPDX-License-Identifier: BSD-3-Clause */
/* Notified puts: a message goes around a ring of ranks, each of which adds 1 to its numbers. A
 * notification says that the message is there: there is no flag, and no barrier but the first. */
#include <mpi.h>
#include <stdio.h>

#define PROA_MPI_NAMES
#include <proa_notify.h>

enum { LENGTH = 1000, ROUNDS = 2 };

/* Waits for the n-th message of the left neighbour, which are the counter's n-th notifications. */
static void receive(const long *in, int n, long *out, MPI_Win win)
{
    PROA_Win_wait_notify(win, 0, n); /* the message is there */
    MPI_Win_flush_local_all(win);    /* the earlier put from `out` */
    for (int i = 0; i < LENGTH; i++)
        out[i] = in[i] + 1;
}

static void send(const long *out, int right, MPI_Win win)
{
    MPI_Put_notify(out, LENGTH, MPI_LONG, right, 0, LENGTH, MPI_LONG, 0, win);
}

int main(int argc, char **argv)
{
    static long out[LENGTH];
    int rank, ranks, wrong = 0;
    long *in;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Win_allocate(LENGTH * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &in, &win);
    MPI_Win_set_num_notify(win, MPI_INFO_NULL, 1); /* each rank has counter 0 */
    MPI_Win_lock_all(0, win);

    for (int n = 1; n <= ROUNDS; n++) {
        if (rank > 0)
            receive(in, n, out, win);
        send(out, (rank + 1) % ranks, win);
        if (rank == 0)
            receive(in, n, out, win);
    }
    MPI_Win_unlock_all(win);

    /* Rank r has added its 1 after r others, in each of the rounds. */
    for (int i = 0; i < LENGTH; i++)
        wrong |= out[i] != (rank == 0 ? ROUNDS : ROUNDS - 1) * ranks + rank;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("notify: %s %d ranks, %d times around\n", wrong ? "NOT right:" : "right:", ranks,
               ROUNDS);
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
