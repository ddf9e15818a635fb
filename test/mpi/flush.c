/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flush, flush_local and their _all forms inside one passive epoch. After a flush the data is at
 * the target, which a message then tells it; after a flush_local the origin's buffer may change and
 * the data of a get is there.
 */
#include "window.h"

enum { words = 5000 };

static int left, right;

static void fill(int *values, int seed)
{
    for (int i = 0; i < words; i++)
        values[i] = seed * 10007 + i;
}

static long differ(const int *values, int seed)
{
    long n = 0;
    for (int i = 0; i < words; i++)
        n += values[i] != seed * 10007 + i;
    return n;
}

static void tell_right(void)
{
    MPI_Sendrecv(NULL, 0, MPI_INT, right, 0, NULL, 0, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void tell_left(void)
{
    MPI_Sendrecv(NULL, 0, MPI_INT, left, 0, NULL, 0, MPI_INT, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

/* The target sees the data in its memory while all epochs are still open. */
static void flush_reaches_target(struct area *a, int all, int seed)
{
    static int sent[words];
    fill(sent, seed + rank);
    MPI_Put(sent, words, MPI_INT, right, disp_at(a, right, 0), words, MPI_INT, a->win);
    if (all)
        MPI_Win_flush_all(a->win);
    else
        MPI_Win_flush(right, a->win);
    tell_right();
    MPI_Win_sync(a->win);
    long wrong = differ(a->base, seed + left);
    CHECK(wrong == 0, "%s: after %s %ld words are wrong", kind_names[a->kind],
          all ? "flush_all" : "flush", wrong);
    tell_left();
}

/* One buffer for two puts, with a local flush between them. */
static void flush_local_frees_buffer(struct area *a, int all, int seed)
{
    static int buffer[words], got[2][words];
    for (int half = 0; half < 2; half++) {
        fill(buffer, seed + 100 * half + rank);
        MPI_Put(buffer, words, MPI_INT, right, disp_at(a, right, half * words), words, MPI_INT,
                a->win);
        if (all)
            MPI_Win_flush_local_all(a->win);
        else
            MPI_Win_flush_local(right, a->win);
        memset(buffer, 0, sizeof buffer);
    }
    MPI_Win_flush(right, a->win);
    for (int half = 0; half < 2; half++)
        MPI_Get(got[half], words, MPI_INT, right, disp_at(a, right, half * words), words, MPI_INT,
                a->win);
    if (all)
        MPI_Win_flush_local_all(a->win);
    else
        MPI_Win_flush_local(right, a->win);
    for (int half = 0; half < 2; half++)
        CHECK(differ(got[half], seed + 100 * half + rank) == 0, "%s: half %d is wrong after %s",
              kind_names[a->kind], half, all ? "flush_local_all" : "flush_local");
    tell_left(); /* no rank puts there again before this is read */
}

/* A flush of one target while operations to others are under way. */
static void flush_one_of_many(struct area *a)
{
    static int sent[words];
    fill(sent, 900 + rank);
    MPI_Barrier(MPI_COMM_WORLD); /* until now only neighbours wrote here */
    for (int hop = 0; hop < nranks; hop++) {
        int t = (rank + hop) % nranks;
        MPI_Put(sent + hop, 1, MPI_INT, t, disp_at(a, t, rank), 1, MPI_INT, a->win);
    }
    MPI_Win_flush(right, a->win);
    tell_right();
    MPI_Win_sync(a->win);
    int found = ((volatile int *)a->base)[left], expected = (900 + left) * 10007 + (nranks > 1);
    CHECK(found == expected, "%s: flush of one target: %d instead of %d", kind_names[a->kind],
          found, expected);
    MPI_Win_flush_all(a->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    left = (rank + nranks - 1) % nranks;
    right = (rank + 1) % nranks;
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 2 * words * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        MPI_Win_lock_all(0, a.win);
        MPI_Win_flush_all(a.win); /* with nothing to flush */
        for (int i = 0; i < 5; i++) {
            flush_reaches_target(&a, i % 2, 10 * i);
            flush_local_frees_buffer(&a, i % 2, 10 * i);
        }
        flush_one_of_many(&a);
        MPI_Win_unlock_all(a.win);
        close_area(&a);
    }
    return finish("flush");
}
