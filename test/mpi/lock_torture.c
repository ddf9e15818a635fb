/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readers and writers that never stop, on three windows at once, while every rank keeps a lock_all
 * open on a fourth, as most programs do: locks on other windows must not let a process overtake.
 * All writers must get through their rounds, which is counted, not timed: readers go on until then,
 * and one that has come to its limit of turns before says that a writer starves. Once with one
 * thread a rank and once with four.
 */
#include "window.h"

#include <pthread.h>

enum { fights = 3, rounds = 40, limit = 1000000, threads_most = 4 };

static struct area areas[fights];
static int crew, provided; /* threads of each rank */
static int narrow;         /* all ranks at the same few targets of one window */
/* in the window that is kept open, at rank 0: writers that have done their rounds */
static long *finished;
static MPI_Win kept;
static pthread_barrier_t gate;

/* Every fourth thread of all ranks writes, the last one of all at least. */
static int writes(int of_rank, int thread)
{
    int number = of_rank * crew + thread;
    return number % 4 == 1 || number == nranks * crew - 1;
}

static int writers(void)
{
    int count = 0;
    for (int r = 0; r < nranks; r++)
        for (int t = 0; t < crew; t++)
            count += writes(r, t);
    return count;
}

/* A thread locks targets of its own, as no process may lock one twice: with `crew` words of a
 * window on each rank, thread t takes targets t, t + crew, ... */
static int target_of(int thread, uint64_t *seed)
{
    int choices = narrow ? thread < nranks : (nranks - thread + crew - 1) / crew;
    return choices <= 0 ? -1 : thread + crew * random_below(seed, choices);
}

static int window_of(uint64_t *seed)
{
    return narrow ? 0 : random_below(seed, fights);
}

static void write_once(MPI_Win win, int target)
{
    long value = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Get(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
    MPI_Win_flush(target, win);
    value++;
    MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(target, win);
}

static void read_once(MPI_Win win, int target)
{
    long values[16];
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    for (int i = 0; i < 50; i++) /* so that there is always one inside */
        MPI_Get(values, 16, MPI_LONG, target, 0, 16, MPI_LONG, win);
    MPI_Win_unlock(target, win);
    CHECK(values[0] >= 0 && values[1] == 0, "read %ld and %ld", values[0], values[1]);
}

static long writers_finished(void)
{
    long now = 0, none = 0;
    MPI_Fetch_and_op(&none, &now, MPI_LONG, 0, 0, MPI_NO_OP, kept);
    MPI_Win_flush(0, kept);
    return now;
}

static void write_all(int thread, uint64_t *seed, long *written)
{
    const long one = 1;
    int target;
    for (int i = 0; i < rounds; i++)
        if ((target = target_of(thread, seed)) >= 0) {
            int fight = window_of(seed);
            write_once(areas[fight].win, target);
            written[fight]++;
        }
    MPI_Accumulate(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, kept);
    MPI_Win_flush(0, kept);
}

static void read_until_done(int thread, uint64_t *seed, int all)
{
    long turns = 0;
    int target;
    while (writers_finished() < all && turns < limit)
        if ((target = target_of(thread, seed)) >= 0 && ++turns)
            read_once(areas[window_of(seed)].win, target);
    CHECK(turns < limit, "a writer is still not served after %ld turns of this reader", turns);
}

struct member {
    int thread, all;
    long written[fights];
};

static void *fight(void *arg)
{
    struct member *m = arg;
    uint64_t seed = (uint64_t)(rank * threads_most + m->thread);
    if (crew > 1)
        pthread_barrier_wait(&gate);
    if (writes(rank, m->thread))
        write_all(m->thread, &seed, m->written);
    else
        read_until_done(m->thread, &seed, m->all);
    return NULL;
}

/* The sum of all words of a window is how often it was written. */
static void check_sums(const struct member *members)
{
    for (int f = 0; f < fights; f++) {
        long mine = 0, written = 0, found = 0;
        for (int t = 0; t < crew; t++)
            mine += members[t].written[f];
        MPI_Allreduce(&mine, &written, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, areas[f].win);
        mine = *(long *)areas[f].base;
        MPI_Win_unlock(rank, areas[f].win);
        MPI_Allreduce(&mine, &found, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK(found == written, "window %d: %ld instead of %ld", f, found, written);
    }
}

static void run(int threads, int all_at_once)
{
    struct member members[threads_most] = {{0}};
    pthread_t others[threads_most];
    crew = threads;
    narrow = all_at_once;
    pthread_barrier_init(&gate, NULL, (unsigned)crew);
    for (int f = 0; f < fights; f++)
        areas[f] = open_area(kind_allocate, 16 * sizeof(long), sizeof(long), MPI_COMM_WORLD);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &finished, &kept);
    *finished = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, kept);
    for (int t = 0; t < crew; t++) {
        members[t] = (struct member){.thread = t, .all = writers()};
        if (t > 0)
            pthread_create(&others[t], NULL, fight, &members[t]);
    }
    fight(&members[0]);
    for (int t = 1; t < crew; t++)
        pthread_join(others[t], NULL);
    MPI_Win_unlock_all(kept);
    MPI_Barrier(MPI_COMM_WORLD);
    check_sums(members);
    MPI_Win_free(&kept);
    for (int f = 0; f < fights; f++)
        close_area(&areas[f]);
    pthread_barrier_destroy(&gate);
}

int main(int argc, char **argv)
{
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &nranks);
    if (argc > 1 && strcmp(argv[1], "threads") == 0 && provided < MPI_THREAD_MULTIPLE)
        return skip("this MPI has no MPI_THREAD_MULTIPLE");
    for (int narrow_too = 0; narrow_too < 2; narrow_too++)
        run(argc > 1 && strcmp(argv[1], "threads") == 0 ? threads_most : 1, narrow_too);
    return finish("lock_torture");
}
