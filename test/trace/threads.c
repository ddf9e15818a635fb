/* SPDX-License-Identifier: BSD-3-Clause */
/* Three threads of each rank put to the next rank at once: threads PUTS. The i-th put of a thread
 * has 1 + i % LONGEST elements, at the thread's own place; every FLUSHED-th is flushed twice.
 * Before them are two puts and a flush of another target, and behind them is one of LARGE elements.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3, LONGEST = 1000, FLUSHED = 100, LARGE = 10000 };

struct work {
    pthread_t thread;
    int number, puts, target, other;
    MPI_Win win;
};

static void *put(void *argument)
{
    const struct work *work = argument;
    static const long values[LARGE];
    const MPI_Aint place = (MPI_Aint)work->number * LARGE;

    for (int i = 0; i < 2; i++) /* the first opens a chunk, and so is no brief record */
        MPI_Put(values, 1, MPI_LONG, work->target, place, 1, MPI_LONG, work->win);
    MPI_Win_flush(work->other, work->win);
    for (int i = 0; i < work->puts; i++) {
        const int count = 1 + i % LONGEST;

        MPI_Put(values, count, MPI_LONG, work->target, place, count, MPI_LONG, work->win);
        if (i % FLUSHED != FLUSHED - 1)
            continue;
        MPI_Win_flush(work->target, work->win);
        MPI_Win_flush(work->target, work->win);
    }
    MPI_Put(values, LARGE, MPI_LONG, work->target, place, LARGE, MPI_LONG, work->win);
    return NULL;
}

int main(int argc, char **argv)
{
    struct work work[THREADS];
    int rank, ranks, provided;
    long *memory;
    MPI_Win win;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (provided != MPI_THREAD_MULTIPLE || argc != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Win_allocate(THREADS * LARGE * sizeof *memory, sizeof *memory, MPI_INFO_NULL,
                     MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < THREADS; i++) {
        work[i] = (struct work){.number = i,
                                .puts = atoi(argv[1]),
                                .target = (rank + 1) % ranks,
                                .other = rank,
                                .win = win};
        pthread_create(&work[i].thread, NULL, put, &work[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(work[i].thread, NULL);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
