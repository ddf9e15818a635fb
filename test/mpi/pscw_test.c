/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Win_test: false until all origins have completed, true soon after, and true with all data in
 * place. It must also move things along by itself: here it is the only MPI call that the target
 * makes while a large epoch comes in.
 */
#include "window.h"

enum { rounds = 10, words = 1 << 18 };

static int left, right;

static void fill(int *values, int round, int who)
{
    for (int i = 0; i < words; i++)
        values[i] = round * 31 + who * 7 + i;
}

static long wrong(const int *values, int round, int who)
{
    long n = 0;
    for (int i = 0; i < words; i++)
        n += values[i] != round * 31 + who * 7 + i;
    return n;
}

static void test_until_true(MPI_Win win)
{
    for (int done = 0; !done;)
        MPI_Win_test(win, &done);
}

/* Every rank exposes to its left and is origin of its right neighbour, but only after that has seen
 * a false test. */
static void ring_round(struct area *a, MPI_Group origins, MPI_Group targets, int round, int *buffer)
{
    MPI_Win_post(origins, 0, a->win);
    for (int i = 0; i < 10; i++) {
        int done = 0;
        MPI_Win_test(a->win, &done);
        CHECK(!done, "%s: MPI_Win_test says yes before the origin started", kind_names[a->kind]);
        if (done)
            MPI_Abort(MPI_COMM_WORLD, 1); /* the epoch is over: the rest would hang */
    }
    MPI_Sendrecv(NULL, 0, MPI_INT, left, 0, NULL, 0, MPI_INT, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    fill(buffer, round, rank);
    MPI_Win_start(targets, 0, a->win);
    MPI_Put(buffer, words, MPI_INT, right, disp_at(a, right, 0), words, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    test_until_true(a->win);
    CHECK(wrong(a->base, round, left) == 0, "%s, round %d: %ld wrong words", kind_names[a->kind],
          round, wrong(a->base, round, left));
}

/* The target does nothing but test from its post to the end of the epoch. */
static void target_only_tests(struct area *a, int round, int *buffer)
{
    int partner = rank ^ 1;
    if (partner >= nranks)
        return;
    MPI_Group group = group_of_one(partner);
    if ((rank + round) % 2) {
        MPI_Win_post(group, 0, a->win);
        test_until_true(a->win);
        CHECK(wrong(a->base, round, partner) == 0, "%s, round %d: wrong words", kind_names[a->kind],
              round);
    } else {
        fill(buffer, round, rank);
        MPI_Win_start(group, 0, a->win);
        MPI_Put(buffer, words, MPI_INT, partner, disp_at(a, partner, 0), words, MPI_INT, a->win);
        MPI_Win_complete(a->win);
    }
    MPI_Group_free(&group);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    left = (rank + nranks - 1) % nranks;
    right = (rank + 1) % nranks;
    int *buffer = need(malloc(words * sizeof *buffer));
    MPI_Group origins = group_of_one(left), targets = group_of_one(right);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, words * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        for (int round = 1; round <= rounds; round++)
            ring_round(&a, origins, targets, round, buffer);
        for (int round = 1; round <= rounds; round++)
            target_only_tests(&a, round, buffer);
        close_area(&a);
    }
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
    free(buffer);
    return finish("pscw_test");
}
