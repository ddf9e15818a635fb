/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assertions of post and start. MPI_MODE_NOCHECK is given by both sides, where a message has
 * carried the post to the origin before it starts; epochs without it follow, and their counts must
 * still be right. MPI_MODE_NOSTORE and MPI_MODE_NOPUT where they are true.
 */
#include "window.h"

enum { rounds = 200 };

static int left, right;
static MPI_Group origins, targets;

/* Every rank has posted to its left neighbour, and its right neighbour has posted to it. */
static void posts_are_known(void)
{
    MPI_Sendrecv(NULL, 0, MPI_INT, left, 0, NULL, 0, MPI_INT, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void put_epoch(struct area *a, int round, int post_assert, int start_assert)
{
    int sent = 1000 * round + rank;
    MPI_Win_post(origins, post_assert, a->win);
    if (start_assert & MPI_MODE_NOCHECK)
        posts_are_known();
    MPI_Win_start(targets, start_assert, a->win);
    MPI_Put(&sent, 1, MPI_INT, right, disp_at(a, right, 0), 1, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    int found = *(int *)a->base;
    CHECK(found == 1000 * round + left, "%s, round %d: %d instead of %d", kind_names[a->kind],
          round, found, 1000 * round + left);
}

static void get_epoch(struct area *a, int round, int post_assert, int start_assert)
{
    int got = -1;
    if (!(post_assert & MPI_MODE_NOSTORE))
        ((int *)a->base)[1] = 2000 * round + rank;
    MPI_Win_post(origins, post_assert, a->win);
    if (start_assert & MPI_MODE_NOCHECK)
        posts_are_known();
    MPI_Win_start(targets, start_assert, a->win);
    MPI_Get(&got, 1, MPI_INT, right, disp_at(a, right, 1), 1, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    int expected = 2000 * (post_assert & MPI_MODE_NOSTORE ? round - 1 : round) + right;
    CHECK(got == expected, "%s, round %d: got %d instead of %d", kind_names[a->kind], round, got,
          expected);
}

/* Empty epochs, of which NOCHECK leaves nothing at all to do for the origin. */
static void empty_epoch(struct area *a, int nocheck)
{
    MPI_Win_post(origins, nocheck, a->win);
    if (nocheck)
        posts_are_known();
    MPI_Win_start(targets, nocheck, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
}

static void run_rounds(struct area *a)
{
    uint64_t common = 7; /* both sides must agree on NOCHECK */
    for (int round = 1; round <= rounds; round++) {
        int nocheck = random_below(&common, 2) ? MPI_MODE_NOCHECK : 0;
        switch (random_below(&common, 4)) {
        case 0:
            put_epoch(a, round, nocheck, nocheck);
            break;
        case 1:
            put_epoch(a, round, nocheck | MPI_MODE_NOSTORE, nocheck);
            break;
        case 2:
            get_epoch(a, round, nocheck | MPI_MODE_NOPUT, nocheck);
            get_epoch(a, round + 1, nocheck | MPI_MODE_NOPUT | MPI_MODE_NOSTORE, nocheck);
            break;
        default:
            empty_epoch(a, nocheck);
        }
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    left = (rank + nranks - 1) % nranks;
    right = (rank + 1) % nranks;
    origins = group_of_one(left);
    targets = group_of_one(right);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 2 * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        run_rounds(&a);
        close_area(&a);
    }
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
    return finish("pscw_nocheck");
}
