/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What grows with the number of ranks: how long a window takes to be created and freed, a fence, a
 * post to and a start with both neighbours in a ring, a lock_all and its unlock; and how much
 * memory a window takes. `growth` (the script) runs it with 2 ranks and more.
 *
 * Prints lines "NAME VALUE" on rank 0: microseconds, and bytes for each window and rank.
 */
#include "loop.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WINDOW_BYTES = 64, WINDOWS = 32 };

struct ring {
    MPI_Win win, meet;
    MPI_Group both; /* the ranks before and after this one */
};

typedef void grown(struct ring *ring, long n);

static void create(struct ring *ring, long n)
{
    (void)ring;
    for (long i = 0; i < n; i++) {
        MPI_Win win;
        char *base;

        MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
        MPI_Win_free(&win);
    }
}

static void fence(struct ring *ring, long n)
{
    for (long i = 0; i < n; i++)
        MPI_Win_fence(0, ring->win);
}

static void post_to_wait(struct ring *ring, long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Win_post(ring->both, 0, ring->win);
        MPI_Win_start(ring->both, 0, ring->win);
        MPI_Win_complete(ring->win);
        MPI_Win_wait(ring->win);
    }
}

static void lock_all(struct ring *ring, long n)
{
    for (long i = 0; i < n; i++) {
        MPI_Win_lock_all(0, ring->win);
        MPI_Win_unlock_all(ring->win);
    }
}

/* What loop.h asks for: iterations, and their time. All do them, or rank 0 alone while the others
 * wait. */
struct timed {
    struct ring *ring;
    grown *what;
    bool alone;
};

/* They meet at a fence, not at a barrier of the host's: that is not to be measured, and from it
 * some ranks come back much later than others where there are more than processors. */
static double run(struct timed *t, int rank, long n)
{
    double began;

    MPI_Win_fence(0, t->ring->meet);
    began = loop_now_ns();
    if (rank == 0 || !t->alone)
        t->what(t->ring, n);
    began = loop_now_ns() - began;
    MPI_Win_fence(0, t->ring->meet);
    return began;
}

static double lead(void *arg, long n)
{
    MPI_Bcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return run(arg, 0, n);
}

/* The other ranks do as often as rank 0 says; 0: no more. */
static void follow(struct timed *t, int rank)
{
    long n;

    for (;;) {
        MPI_Bcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        if (n == 0)
            return;
        run(t, rank, n);
    }
}

static void tell_time(int rank, const char *name, struct timed timed)
{
    const struct loop_plan plan = {.loops = 9, .loop_ns = 2e7, .budget_ns = 5e8};
    struct loop_figure figure;
    long none = 0;

    if (rank != 0) {
        follow(&timed, rank);
        return;
    }
    figure = loop_measure(&plan, lead, &timed);
    MPI_Bcast(&none, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    printf("%s %.4g\n", name, figure.median_ns / 1e3);
    fflush(stdout);
}

/* Of this process, what is shared by several divided among them. */
static long proportional_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");

    while (file && kib < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "Pss: %ld", &kib) != 1)
            kib = -1;
    if (file)
        fclose(file);
    return kib;
}

/* Of all processes. All stand still meanwhile. */
static long kib_of_all(void)
{
    long mine, all = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    mine = proportional_kib();
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* The first ones bring what is there once. */
static void windows_come(MPI_Win *win)
{
    for (int i = 0; i < WINDOWS; i++) {
        char *base;

        MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win[i]);
        MPI_Win_fence(0, win[i]);
    }
}

static void tell_bytes(int rank, int ranks)
{
    MPI_Win first[WINDOWS], win[WINDOWS];
    long before, after;

    windows_come(first);
    before = kib_of_all();
    windows_come(win);
    after = kib_of_all();
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_free(&win[i]);
        MPI_Win_free(&first[i]);
    }
    if (rank == 0)
        printf("memory %.4g\n", (double)(after - before) * 1024 / WINDOWS / ranks);
    fflush(stdout);
}

/* Says where this rank is, where the script asks (where.c): before a time limit can end the run. */
static void tell_where(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "bench_where");
    void (*tell)(void) = NULL;

    memcpy(&tell, &symbol, sizeof tell);
    if (tell)
        tell();
}

int main(int argc, char **argv)
{
    struct ring ring;
    char *base;
    int rank, ranks, both[2];
    MPI_Group world;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    both[0] = (rank + ranks - 1) % ranks;
    both[1] = (rank + 1) % ranks;
    MPI_Group_incl(world, ranks > 2 ? 2 : 1, both, &ring.both);
    MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &ring.win);
    MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &ring.meet);
    tell_where();
    tell_time(rank, "create", (struct timed){&ring, create, false});
    tell_time(rank, "fence", (struct timed){&ring, fence, false});
    MPI_Win_fence(MPI_MODE_NOSUCCEED, ring.win);
    tell_time(rank, "pscw", (struct timed){&ring, post_to_wait, false});
    tell_time(rank, "lock_all", (struct timed){&ring, lock_all, true});
    MPI_Win_free(&ring.meet);
    MPI_Win_free(&ring.win);
    tell_bytes(rank, ranks);
    MPI_Group_free(&ring.both);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
