/* SPDX-License-Identifier: BSD-3-Clause */
/* What a wait of a second costs, and how soon it ends. Rank 0 comes to a fence a second after the
 * others. */
#include "bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 3, BUSY_MOST = 64 };

static const double away_ns = 1e9;

static double cpu_now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* ---- threads of rank 0 that want every processor ---- */

static atomic_bool over;

/* One for each, wherever the launcher has bound this rank. */
static void *keep_busy(void *arg)
{
    cpu_set_t mine;

    CPU_ZERO(&mine);
    CPU_SET((size_t)(uintptr_t)arg, &mine);
    sched_setaffinity(0, sizeof mine, &mine);
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        ;
    return NULL;
}

static int processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    return count < 1 ? 1 : count < BUSY_MOST ? (int)count : BUSY_MOST;
}

static int busy_start(pthread_t thread[BUSY_MOST])
{
    int count = 0;

    atomic_store(&over, false);
    while (count < processors() &&
           pthread_create(&thread[count], NULL, keep_busy, (void *)(uintptr_t)count) == 0)
        count++;
    return count;
}

static void busy_stop(const pthread_t thread[BUSY_MOST], int count)
{
    atomic_store(&over, true);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

/* ---- samples ---- */

/* pause_ns: between two looks at the clock; 0: computes. */
static void stay_away(long pause_ns)
{
    double end_ns = loop_now_ns() + away_ns;

    while (loop_now_ns() < end_ns)
        if (pause_ns)
            nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
}

/* Processor time that a rank spends in the fence while others want all processors, the most of
 * any. */
static double spent(struct bench *b)
{
    pthread_t thread[BUSY_MOST];
    int count = b->rank == 0 ? busy_start(thread) : 0;
    double begin_ns, mine_ns, most_ns;

    if (b->rank == 0)
        stay_away(10000000);
    begin_ns = cpu_now_ns();
    MPI_Win_fence(0, b->win);
    mine_ns = b->rank == 0 ? 0 : cpu_now_ns() - begin_ns;
    busy_stop(thread, count);
    MPI_Allreduce(&mine_ns, &most_ns, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most_ns;
}

/* From when rank 0 calls its fence until the last of the others has come back. */
static double reacted(struct bench *b)
{
    double mine_ns[2], most_ns[2];

    if (b->rank == 0)
        stay_away(0);
    mine_ns[0] = b->rank == 0 ? -loop_now_ns() : -1e300;
    MPI_Win_fence(0, b->win);
    mine_ns[1] = b->rank == 0 ? 0 : loop_now_ns();
    MPI_Allreduce(mine_ns, most_ns, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most_ns[0] + most_ns[1];
}

static struct loop_figure measure(struct bench *b, double (*sample)(struct bench *b))
{
    double values[SAMPLES];

    for (int i = 0; i < SAMPLES; i++) {
        MPI_Win_fence(0, b->win);
        values[i] = sample(b);
    }
    return loop_figure_of(values, SAMPLES);
}

struct loop_figure measure_waited_cpu(struct bench *b)
{
    return measure(b, spent);
}

struct loop_figure measure_waited_reaction(struct bench *b)
{
    return measure(b, reacted);
}
