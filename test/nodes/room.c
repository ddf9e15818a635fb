/* SPDX-License-Identifier: BSD-3-Clause */
/* test/hosts itself: room HOSTS [SECONDS]. The ranks are on so many hosts of different names, what
 * one sends to any other arrives, and they go on doing so for that long. */
#include "../mpi/begun.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 64, RANKS_MOST = 64, ROUNDS = 50 };

static int rank, ranks;

static int count_hosts(void)
{
    char mine[NAME] = "", all[RANKS_MOST][NAME];
    int hosts = 0;

    gethostname(mine, sizeof mine - 1);
    MPI_Allgather(mine, NAME, MPI_CHAR, all, NAME, MPI_CHAR, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        int seen = 0;
        for (int j = 0; j < i; j++)
            seen |= strcmp(all[i], all[j]) == 0;
        hosts += !seen;
    }
    return hosts;
}

/* As MPI sees it: how many communicators of one node each there are. They may be more than the
 * hosts: MPICH 5.0.2 of Debian takes each rank for one. */
static int count_nodes(void)
{
    MPI_Comm node;
    int rank_here, first, nodes;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank_here);
    first = rank_here == 0;
    MPI_Allreduce(&first, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&node);
    return nodes;
}

/* Everybody tells everybody a number. How many were wrong. */
static int talk(int round)
{
    int mine[RANKS_MOST], theirs[RANKS_MOST], wrong = 0;

    for (int i = 0; i < ranks; i++)
        mine[i] = round * 1000000 + rank * 1000 + i;
    MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        wrong += theirs[i] != round * 1000000 + i * 1000 + rank;
    return wrong;
}

int main(int argc, char **argv)
{
    int hosts, nodes, expected = argc > 1 ? atoi(argv[1]) : 0, wrong = 0, go_on = 1;
    double seconds = argc > 2 ? atof(argv[2]) : 0, began;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    hosts = count_hosts();
    nodes = count_nodes();
    began = MPI_Wtime();
    for (int round = 0; go_on; round++) {
        wrong += talk(round);
        begun();
        if (round >= ROUNDS)
            usleep(1000); /* the rest is to last, not to be fast */
        go_on = round < ROUNDS || MPI_Wtime() < began + seconds;
        MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (hosts != expected || nodes < expected || wrong)
        fprintf(stderr, "rank %d: %d hosts, %d nodes instead of %d, %d wrong numbers\n", rank,
                hosts, nodes, expected, wrong);
    MPI_Finalize();
    return hosts == expected && nodes >= expected && wrong == 0 ? 0 : 1;
}
