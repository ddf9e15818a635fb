/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows whose processes have different networks in common, on three hosts: each pair has one of
 * its own, and all three have another. All windows are there at once and are worked on in turn, so
 * a process is on three networks or four. Then windows of the same processes are made anew.
 */
#include "check.h"

#include <mpi.h>

enum { WORDS = 4096, ROUNDS = 20, PAIRS = 3 };

/* A window of some of the processes, or MPI_WIN_NULL for the others. */
struct part {
    MPI_Comm comm;
    MPI_Win win;
    long *memory;
    int rank, size;
};

static void part_open(struct part *part)
{
    if (part->comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(part->comm, &part->rank);
    MPI_Comm_size(part->comm, &part->size);
    MPI_Win_allocate(WORDS * sizeof(long), sizeof(long), MPI_INFO_NULL, part->comm, &part->memory,
                     &part->win);
    MPI_Win_set_errhandler(part->win, MPI_ERRORS_ARE_FATAL);
}

/* A large put to the right, and small additions at the last word of all. */
static void part_work(struct part *part, int round)
{
    static long mine[WORDS - 1];
    long one = 1;
    int left = (part->rank + part->size - 1) % part->size;

    for (int i = 0; i < WORDS - 1; i++)
        mine[i] = 1000L * round + 10 * part->rank + i;
    MPI_Win_fence(0, part->win);
    MPI_Put(mine, WORDS - 1, MPI_LONG, (part->rank + 1) % part->size, 0, WORDS - 1, MPI_LONG,
            part->win);
    for (int i = 0; i < part->size; i++)
        MPI_Accumulate(&one, 1, MPI_LONG, i, WORDS - 1, 1, MPI_LONG, MPI_SUM, part->win);
    MPI_Win_fence(0, part->win);
    for (int i = 0; i < WORDS - 1; i++)
        CHECK(part->memory[i] == 1000L * round + 10 * left + i, "word %d is %ld in round %d", i,
              part->memory[i], round);
    CHECK(part->memory[WORDS - 1] == (long)part->size * (round + 1), "%ld was added by round %d",
          part->memory[WORDS - 1], round);
}

static void work(struct part parts[PAIRS + 1])
{
    for (int i = 0; i <= PAIRS; i++) {
        part_open(&parts[i]);
        if (parts[i].comm != MPI_COMM_NULL)
            parts[i].memory[WORDS - 1] = 0;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i <= PAIRS; i++)
            if (parts[i].comm != MPI_COMM_NULL)
                part_work(&parts[i], round);
    for (int i = PAIRS; i >= 0; i--)
        if (parts[i].comm != MPI_COMM_NULL)
            MPI_Win_free(&parts[i].win);
}

int main(int argc, char **argv)
{
    struct part parts[PAIRS + 1];
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(size == PAIRS, "%d ranks", size);
    for (int i = 0; i < PAIRS; i++) /* all but process i */
        MPI_Comm_split(MPI_COMM_WORLD, rank == i ? MPI_UNDEFINED : 0, rank, &parts[i].comm);
    parts[PAIRS].comm = MPI_COMM_WORLD;
    for (int again = 0; again < 3; again++)
        work(parts);
    for (int i = 0; i < PAIRS; i++)
        if (parts[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&parts[i].comm);
    if (rank == 0)
        printf("later: ok\n");
    MPI_Finalize();
    return 0;
}
