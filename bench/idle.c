/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that never use one-sided communication: with Proa preloaded they must take as long as
 * without. */
#include "bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* 8 bytes there and back. */
void body_pingpong(struct bench *b, long n)
{
    uint64_t word = 0;

    for (long i = 0; i < n; i++) {
        if (b->rank == 0)
            MPI_Send(&word, 1, MPI_UINT64_T, b->target, 0, MPI_COMM_WORLD);
        MPI_Recv(&word, 1, MPI_UINT64_T, b->target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (b->rank != 0)
            MPI_Send(&word, 1, MPI_UINT64_T, b->target, 0, MPI_COMM_WORLD);
    }
}

/* 8 bytes to both neighbours of a ring, and from both. */
void body_halo_send(struct bench *b, long n)
{
    uint64_t word = 0, came[2];
    MPI_Request requests[4];
    MPI_Status statuses[4]; /* gcc takes MPICH's MPI_STATUSES_IGNORE for an array */

    for (long i = 0; i < n; i++) {
        MPI_Irecv(&came[0], 1, MPI_UINT64_T, b->source, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&came[1], 1, MPI_UINT64_T, b->target, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&word, 1, MPI_UINT64_T, b->target, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&word, 1, MPI_UINT64_T, b->source, 1, MPI_COMM_WORLD, &requests[3]);
        MPI_Waitall(4, requests, statuses);
    }
}

/* ---- a whole program: MPI_Init, MPI_Finalize and nothing between them ----
 *
 * What the loader does for a preloaded library is part of the cost, and is over before main starts.
 * So the process that the launcher starts is only a stopwatch: it makes a child that takes over its
 * place in the job, and times that from fork to exit. */

/* exit statuses: the stopwatch does not know its rank */
enum { CHILD_IS_RANK_0 = 40, CHILD_IS_ANOTHER = 41 };

int idle_init_child(void)
{
    int rank;

    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return rank == 0 ? CHILD_IS_RANK_0 : CHILD_IS_ANOTHER;
}

static int run_child(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        execl("/proc/self/exe", "rma", "--init", (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return 1;
    return WEXITSTATUS(status);
}

static double processor_ns(void)
{
    struct rusage used;

    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
           (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3;
}

/* name: idle.init for the time that passes, idle.init_cpu for what the processors spend. */
int idle_init(const char *name)
{
    double start_ns = loop_now_ns(), took_ns;
    bool cpu = strstr(name, "_cpu") != NULL;
    int status = run_child();

    took_ns = cpu ? processor_ns() : loop_now_ns() - start_ns;
    if (status == CHILD_IS_RANK_0)
        loop_print(name, (struct loop_figure){took_ns, took_ns});
    else if (status != CHILD_IS_ANOTHER)
        fprintf(stderr, "rma: the child of %s failed\n", name);
    return status == CHILD_IS_RANK_0 || status == CHILD_IS_ANOTHER ? 0 : 1;
}
