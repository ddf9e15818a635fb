/* SPDX-License-Identifier: BSD-3-Clause */
/* Post, start, complete, wait: a rod that is cut into pieces, one for each rank; before each step a
 * rank puts its two ends into its neighbours' windows. Only neighbours wait for each other. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 16, STEPS = 200 };

/* Puts go to the ghosts: cells[0] is the left neighbour's end, cells[CELLS + 1] the right
 * one's. */
static double cells[CELLS + 2];

static void step(const double *ghosts)
{
    double before[CELLS + 2];

    cells[0] = ghosts[0];
    cells[CELLS + 1] = ghosts[1];
    for (int i = 0; i < CELLS + 2; i++)
        before[i] = cells[i];
    for (int i = 1; i <= CELLS; i++)
        cells[i] = before[i] + 0.25 * (before[i - 1] - 2 * before[i] + before[i + 1]);
}

/* The same rod in one piece, on every rank. */
static int check(int rank, int ranks)
{
    int all = ranks * CELLS, wrong = 0;
    double *now = calloc((size_t)all, sizeof(double)), *next = calloc((size_t)all, sizeof(double));

    now[0] = 100;
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < all; i++)
            next[i] = now[i] + 0.25 * (now[(i + all - 1) % all] - 2 * now[i] + now[(i + 1) % all]);
        memcpy(now, next, (size_t)all * sizeof(double));
    }
    for (int i = 0; i < CELLS; i++)
        wrong |= fabs(cells[1 + i] - now[rank * CELLS + i]) > 1e-9;
    free(now);
    free(next);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("pscw: %s a rod in one piece\n", wrong ? "NOT as" : "as");
    return wrong;
}

static MPI_Group group_of_neighbours(int left, int right)
{
    MPI_Group all, neighbours;
    int members[2] = {left, right};

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, left == right ? 1 : 2, members, &neighbours);
    MPI_Group_free(&all);
    return neighbours;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    double *ghosts;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    MPI_Group neighbours = group_of_neighbours(left, right);

    MPI_Win_allocate(2 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &ghosts,
                     &win);
    cells[1] = rank == 0 ? 100 : 0;
    for (int i = 0; i < STEPS; i++) {
        MPI_Win_post(neighbours, 0, win);  /* my neighbours may put now */
        MPI_Win_start(neighbours, 0, win); /* I want to put into their windows */
        MPI_Put(&cells[1], 1, MPI_DOUBLE, left, 1, 1, MPI_DOUBLE, win);
        MPI_Put(&cells[CELLS], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
        MPI_Win_complete(win); /* I have put all */
        MPI_Win_wait(win);     /* my neighbours have put all: the ghosts are there */
        step(ghosts);
    }
    int wrong = check(rank, ranks);
    MPI_Win_free(&win);
    MPI_Group_free(&neighbours);
    MPI_Finalize();
    return wrong;
}
