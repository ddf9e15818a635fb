/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of many sizes at aligned and unaligned displacements, to a neighbour and to the rank
 * itself: counts 0, 1, 7, 1000, 100000. Bytes before and after the target's must stay as they were.
 */
#include "window.h"

enum { most = 100000, guard = 64 };

static const int counts[] = {0, 1, 7, 1000, most};
static const int shifts[] = {0, 8, 1, 3};

static long pattern(long seed, int i)
{
    return seed * 1000003 + i;
}

static void fill(void *at, int count, long seed)
{
    for (int i = 0; i < count; i++) {
        long v = pattern(seed, i);
        memcpy((char *)at + sizeof v * (size_t)i, &v, sizeof v);
    }
}

static long differ(const void *at, int count, long factor, long seed, long seed2)
{
    long n = 0;
    for (int i = 0; i < count; i++) {
        long v, expected = pattern(seed, i) * factor + (seed2 ? pattern(seed2, i) : 0);
        memcpy(&v, (const char *)at + sizeof v * (size_t)i, sizeof v);
        n += v != expected;
    }
    return n;
}

static long changed(const char *at, size_t bytes)
{
    long n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += at[i] != 0x5a;
    return n;
}

struct turn {
    struct area *a;
    int target, origin; /* this rank's target, and the rank whose target it is */
    int count, shift;
    long *sent, *got;
};

static void report(const struct turn *t, long wrong, const char *what)
{
    CHECK(wrong == 0, "%s: %s of %d at shift %d to %s: %ld wrong", kind_names[t->a->kind], what,
          t->count, t->shift, t->target == rank ? "itself" : "the neighbour", wrong);
}

static char *memory_of(const struct turn *t)
{
    return (char *)t->a->base + guard + t->shift;
}

static void verify_window(const struct turn *t, long factor, long seed, long seed2,
                          const char *what)
{
    const char *memory = memory_of(t);
    size_t bytes = sizeof(long) * (size_t)t->count;
    report(t, differ(memory, t->count, factor, seed, seed2), what);
    report(t, changed(memory - guard, guard) + changed(memory + bytes, guard), "surroundings");
}

/* put, get, accumulate, get_accumulate, each in an epoch of its own. */
static void run_turn(const struct turn *t)
{
    const int n = t->count;
    MPI_Win win = t->a->win;
    MPI_Aint disp = disp_at(t->a, t->target, guard + t->shift);
    memset(t->a->base, 0x5a, (size_t)most * sizeof(long) + 3 * guard);
    fill(t->sent, n, rank + 1);

    MPI_Win_fence(0, win);
    MPI_Put(t->sent, n, MPI_LONG, t->target, disp, n, MPI_LONG, win);
    MPI_Win_fence(0, win);
    verify_window(t, 1, t->origin + 1, 0, "put");

    MPI_Win_fence(0, win);
    MPI_Get(t->got, n, MPI_LONG, t->target, disp, n, MPI_LONG, win);
    MPI_Win_fence(0, win);
    report(t, differ(t->got, n, 1, rank + 1, 0), "get");

    fill(t->sent, n, 10 * (rank + 1));
    MPI_Win_fence(0, win);
    MPI_Accumulate(t->sent, n, MPI_LONG, t->target, disp, n, MPI_LONG, MPI_SUM, win);
    MPI_Win_fence(0, win);
    verify_window(t, 1, t->origin + 1, 10 * (t->origin + 1), "accumulate");

    MPI_Win_fence(0, win);
    MPI_Get_accumulate(t->sent, n, MPI_LONG, t->got, n, MPI_LONG, t->target, disp, n, MPI_LONG,
                       MPI_REPLACE, win);
    MPI_Win_fence(0, win);
    report(t, differ(t->got, n, 1, rank + 1, 10 * (rank + 1)), "get_accumulate");
    verify_window(t, 1, 10 * (t->origin + 1), 0, "get_accumulate at the target");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    long *sent = need(malloc(most * sizeof *sent)), *got = need(malloc(most * sizeof *got));
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, most * sizeof(long) + 3 * guard, 1, MPI_COMM_WORLD);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++)
                for (int hop = 0; hop < 2; hop++) {
                    const struct turn t = {&a,
                                           (rank + hop) % nranks,
                                           (rank + nranks - hop) % nranks,
                                           counts[c],
                                           shifts[s],
                                           sent,
                                           got};
                    run_turn(&t);
                }
        close_area(&a);
    }
    free(sent);
    free(got);
    return finish("op_counts");
}
