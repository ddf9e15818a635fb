/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks: accounts lie in rank 0's window, and every rank moves money between them. An exclusive
 * lock makes of two gets and two puts one step that no rank can come between. Rank 0 takes part
 * like the others, and does nothing for them. */
#include <mpi.h>
#include <stdio.h>

enum { ACCOUNTS = 4, EACH = 1000, MOVES = 200 };

static void move_money(int from, int to, long amount, MPI_Win win)
{
    long had[2];

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&had[0], 1, MPI_LONG, 0, from, 1, MPI_LONG, win);
    MPI_Get(&had[1], 1, MPI_LONG, 0, to, 1, MPI_LONG, win);
    MPI_Win_flush(0, win); /* the numbers are there */
    had[0] -= amount;
    had[1] += amount;
    MPI_Put(&had[0], 1, MPI_LONG, 0, from, 1, MPI_LONG, win);
    MPI_Put(&had[1], 1, MPI_LONG, 0, to, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win); /* the puts have arrived */
}

/* A shared lock: readers do not keep each other out, only writers. */
static long audit(MPI_Win win)
{
    long accounts[ACCOUNTS], total = 0;

    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(accounts, ACCOUNTS, MPI_LONG, 0, 0, ACCOUNTS, MPI_LONG, win);
    MPI_Win_unlock(0, win);
    for (int i = 0; i < ACCOUNTS; i++)
        total += accounts[i];
    return total;
}

/* The own window too is stored into under a lock, where others reach it by locks. */
static void open_accounts(int rank, long *accounts, MPI_Win win)
{
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        for (int i = 0; i < ACCOUNTS; i++)
            accounts[i] = EACH;
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* locks order nothing: no rank may be earlier than this */
}

int main(int argc, char **argv)
{
    int rank, wrong = 0;
    long *accounts;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(rank == 0 ? ACCOUNTS * sizeof(long) : 0, sizeof(long), MPI_INFO_NULL,
                     MPI_COMM_WORLD, &accounts, &win);
    open_accounts(rank, accounts, win);
    for (int i = 0; i < MOVES; i++) {
        move_money((i + rank) % ACCOUNTS, (i + rank + 1) % ACCOUNTS, i % 7, win);
        wrong |= audit(win) != ACCOUNTS * EACH;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("lock: %s\n", wrong ? "money was lost or made" : "no audit found a wrong total");
    MPI_Win_free(&win);
    MPI_Finalize();
    return wrong;
}
