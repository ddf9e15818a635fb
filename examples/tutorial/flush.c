/* SPDX-License-Identifier: BSD-3-Clause */
/* Flush: rank 0 puts a message into rank 1's window, and tells by a flag behind it. The flush
 * between the two is what makes the flag mean that the message is there. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 999, FLAG = LENGTH, WORDS = LENGTH + 1, MESSAGES = 50 };

static void send_message(long number, MPI_Win win)
{
    long message[LENGTH];

    for (int i = 0; i < LENGTH; i++)
        message[i] = number * LENGTH + i;
    MPI_Put(message, LENGTH, MPI_LONG, 1, 0, LENGTH, MPI_LONG, win);
    MPI_Win_flush(1, win); /* the message has arrived; only now the flag */
    MPI_Accumulate(&number, 1, MPI_LONG, 1, FLAG, 1, MPI_LONG, MPI_REPLACE, win);
    MPI_Win_flush(1, win);
}

/* Waits until the flag of a rank has a value. It is read as it is written, by an accumulate: those
 * are atomic towards each other, which a load is not. */
static void await_flag(int rank, long value, MPI_Win win)
{
    long flag;

    do {
        MPI_Fetch_and_op(NULL, &flag, MPI_LONG, rank, FLAG, MPI_NO_OP, win);
        MPI_Win_flush(rank, win);
    } while (flag != value);
}

static int receive_message(long number, long *window, MPI_Win win)
{
    int wrong = 0;
    const long taken = -number;

    await_flag(1, number, win);
    MPI_Win_sync(win); /* loads from here on see what has arrived */
    for (int i = 0; i < LENGTH; i++)
        wrong |= window[i] != number * LENGTH + i;
    MPI_Accumulate(&taken, 1, MPI_LONG, 1, FLAG, 1, MPI_LONG, MPI_REPLACE, win);
    MPI_Win_flush(1, win);
    return wrong;
}

int main(int argc, char **argv)
{
    int rank, ranks, wrong = 0;
    long *window;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks < 2) {
        fprintf(stderr, "flush: it takes two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    MPI_Win_allocate(WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &window,
                     &win);
    MPI_Win_lock_all(0, win);
    window[FLAG] = 0;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long number = 1; number <= MESSAGES; number++) {
        if (rank == 0) {
            send_message(number, win);
            await_flag(1, -number, win); /* it has been taken */
        } else if (rank == 1) {
            wrong |= receive_message(number, window, win);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("flush: %d messages, %s\n", MESSAGES, wrong ? "some torn" : "each whole");
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
