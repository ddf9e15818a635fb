/* SPDX-License-Identifier: BSD-3-Clause */
/* How a rank that has nothing to do learns the next loop: in the host's broadcast, or asleep. */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

enum { PAUSE_NS = 1000000 };

/* With BENCH_ASLEEP=1, for all ranks, it leaves its processor to the progress of others' operations
 * and looks once a millisecond. */
void bench_learn(long *n, bool is_idle)
{
    const char *asleep = getenv("BENCH_ASLEEP");
    MPI_Request request;
    int done = 0;

    if (!asleep || *asleep != '1') {
        MPI_Bcast(n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        return;
    }
    MPI_Ibcast(n, 1, MPI_LONG, 0, MPI_COMM_WORLD, &request);
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done)
        if (is_idle)
            nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* done: for clang's checker of requests */
}
