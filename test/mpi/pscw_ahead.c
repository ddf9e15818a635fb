/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Origins of different speed at one target, the last rank. Some run ahead: their empty epochs may
 * be complete before the target has posted. What they completed must count for them alone, and for
 * the right epoch: the target must not take two completions of a fast origin for one of each, nor
 * let an exposure to one origin be ended by another.
 */
#include "window.h"

enum { rounds = 40 };

static int target;

static int is_slow(int origin, int round)
{
    return (origin + round / 8) % 2;
}

static void nap(int origin, int round)
{
    if (is_slow(origin, round) && round % 4 == 1)
        usleep(3000);
}

/* Rank `origin` puts in every round if it is slow in it, and runs through empty epochs if it is
 * fast. */
static void run_origin(struct area *a, int only_mine)
{
    MPI_Group group = group_of_one(target);
    for (int round = 1; round <= rounds; round++) {
        int value = 100 * round + rank;
        if (only_mine && round % target != rank)
            continue;
        nap(rank, round);
        MPI_Win_start(group, 0, a->win);
        if (is_slow(rank, round))
            MPI_Put(&value, 1, MPI_INT, target, disp_at(a, target, rank), 1, MPI_INT, a->win);
        MPI_Win_complete(a->win);
    }
    MPI_Group_free(&group);
}

static void check_origin(const struct area *a, int origin, int round)
{
    int found = ((int *)a->base)[origin];
    CHECK(!is_slow(origin, round) || found == 100 * round + origin, "%s, round %d: %d from %d",
          kind_names[a->kind], round, found, origin);
}

/* Exposed to all other ranks at once. */
static void expose_to_all(struct area *a)
{
    int *others = need(malloc(sizeof(int) * (size_t)nranks));
    for (int i = 0; i < target; i++)
        others[i] = i;
    MPI_Group group = group_of(MPI_COMM_WORLD, target, others);
    for (int round = 1; round <= rounds; round++) {
        MPI_Win_post(group, 0, a->win);
        MPI_Win_wait(a->win);
        for (int origin = 0; origin < target; origin++)
            check_origin(a, origin, round);
    }
    MPI_Group_free(&group);
    free(others);
}

/* Exposed to one other rank after the other. */
static void expose_in_turn(struct area *a)
{
    for (int round = 1; round <= rounds; round++) {
        MPI_Group group = group_of_one(round % target);
        MPI_Win_post(group, 0, a->win);
        MPI_Win_wait(a->win);
        check_origin(a, round % target, round);
        MPI_Group_free(&group);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks < 2)
        return skip("needs 2 ranks");
    target = nranks - 1;
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, sizeof(int) * (size_t)nranks, sizeof(int), MPI_COMM_WORLD);
        for (int in_turn = 0; in_turn < 2; in_turn++) {
            if (rank != target) {
                run_origin(&a, in_turn);
            } else {
                usleep(20000); /* lets the fast ones run ahead */
                in_turn ? expose_in_turn(&a) : expose_to_all(&a);
            }
        }
        close_area(&a);
    }
    return finish("pscw_ahead");
}
