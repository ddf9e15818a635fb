/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fixed piece of work whose ranks wait for each other all the time: fences in which each rank
 * puts to the next one, then posts and starts with both neighbours. `beside` (the script) times it
 * with more ranks than processors, beside processes that compute.
 *
 *   beside ROUNDS [STEPS]
 *
 * Without rounds the ranks only start and end. STEPS: of computing before each fence and post.
 *
 * Prints lines "NAME VALUE" on rank 0, microseconds for one.
 */
#include "loop.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct ring {
    MPI_Win win;
    MPI_Group both; /* the ranks before and after this one */
    long *base;
    int rank, ranks;
    long steps; /* of computing before each wait */
};

static void fail(const char *why)
{
    fprintf(stderr, "beside: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Some nanoseconds a step. */
static void compute(long steps)
{
    static volatile double x = 1;

    for (long i = 0; i < steps; i++)
        x = x * 0.999999 + 0.000001;
}

/* Each rank puts the round's number to the next one, and finds that of the one before. */
static void fences(struct ring *ring, long rounds)
{
    int next = (ring->rank + 1) % ring->ranks;

    for (long round = 1; round <= rounds; round++) {
        compute(ring->steps);
        MPI_Put(&round, 1, MPI_LONG, next, 0, 1, MPI_LONG, ring->win);
        MPI_Win_fence(0, ring->win);
        if (*ring->base != round)
            fail("a put has not arrived");
        MPI_Win_fence(0, ring->win);
    }
}

static void posts(struct ring *ring, long rounds)
{
    for (long round = 0; round < rounds; round++) {
        compute(ring->steps);
        MPI_Win_post(ring->both, 0, ring->win);
        MPI_Win_start(ring->both, 0, ring->win);
        MPI_Win_complete(ring->win);
        MPI_Win_wait(ring->win);
    }
}

typedef void work(struct ring *ring, long rounds);

static void tell(struct ring *ring, const char *name, work *work, long rounds, int waits_in_round)
{
    double began;

    MPI_Barrier(MPI_COMM_WORLD);
    began = loop_now_ns();
    work(ring, rounds);
    if (ring->rank == 0)
        printf("%s %.4g\n", name,
               (loop_now_ns() - began) / 1000 / (double)(rounds * waits_in_round));
    fflush(stdout);
}

static void work_in_window(struct ring *ring, long rounds)
{
    int both[2] = {(ring->rank + ring->ranks - 1) % ring->ranks, (ring->rank + 1) % ring->ranks};
    MPI_Group world;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, ring->ranks > 2 ? 2 : 1, both, &ring->both);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &ring->base,
                     &ring->win);
    MPI_Win_fence(0, ring->win);
    tell(ring, "fence", fences, rounds, 2);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, ring->win);
    tell(ring, "pscw", posts, rounds, 1);
    MPI_Win_free(&ring->win);
    MPI_Group_free(&ring->both);
    MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
    struct ring ring = {.steps = argc > 2 ? strtol(argv[2], NULL, 10) : 0};
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &ring.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ring.ranks);
    if (rounds > 0)
        work_in_window(&ring, rounds);
    MPI_Finalize();
    return 0;
}
