/* SPDX-License-Identifier: BSD-3-Clause */
/* What PROA_STATS counts where threads call at once: each call once. */
#include "check.h"
#include "proa.h"

#include <pthread.h>

enum { threads = 4, rounds = 50000 };

static MPI_Win win;

static void *work(void *arg)
{
    long one = 1, before;
    int right = (rank + 1) % nranks;

    (void)arg;
    for (int i = 0; i < rounds; i++)
        MPI_Fetch_and_op(&one, &before, MPI_LONG, right, 0, MPI_SUM, win);
    for (int i = 0; i < rounds; i++)
        MPI_Put(&one, 1, MPI_LONG, right, 1, 1, MPI_LONG, win);
    for (int i = 0; i < rounds; i++)
        MPI_Win_flush(right, win);
    return NULL;
}

int main(int argc, char **argv)
{
    const unsigned long long each = (unsigned long long)threads * rounds;
    int (*get_stats)(const void *, struct proa_stats *, unsigned long);
    pthread_t id[threads];
    struct proa_stats stats;
    long *memory;

    if (!start_threads(&argc, &argv))
        return skip("the host has no MPI_THREAD_MULTIPLE");
    get_stats = (int (*)(const void *, struct proa_stats *, unsigned long))dlsym(RTLD_DEFAULT,
                                                                                 "proa_stats_get");
    MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < threads; i++)
        pthread_create(&id[i], NULL, work, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    MPI_Win_unlock_all(win);
    CHECK(get_stats && get_stats(&win, &stats, sizeof stats) == 0, "no statistics");
    CHECK(stats.calls[PROA_STATS_FETCH_AND_OP].count == each, "%llu fetch-and-ops",
          stats.calls[PROA_STATS_FETCH_AND_OP].count);
    CHECK(stats.operations[PROA_STATS_FETCH_AND_OP][PROA_STATS_PLAIN].bytes == 8 * each, "bytes");
    CHECK(stats.calls[PROA_STATS_PUT].count == each, "%llu puts",
          stats.calls[PROA_STATS_PUT].count);
    CHECK(stats.calls[PROA_STATS_FLUSH].count == each, "%llu flushes",
          stats.calls[PROA_STATS_FLUSH].count);
    MPI_Win_free(&win);
    return finish("stats_threads");
}
