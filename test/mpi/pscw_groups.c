/* SPDX-License-Identifier: BSD-3-Clause */
/* The edges of post and start: empty groups, a group of oneself alone, an epoch in which some or
 * all targets get no operation, groups that come and go. */
#include "window.h"

static void empty_groups(struct area *a)
{
    int done = 0;
    MPI_Win_start(MPI_GROUP_EMPTY, 0, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_post(MPI_GROUP_EMPTY, 0, a->win);
    MPI_Win_wait(a->win);
    MPI_Win_post(MPI_GROUP_EMPTY, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT, a->win);
    MPI_Win_start(MPI_GROUP_EMPTY, MPI_MODE_NOCHECK, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_test(a->win, &done);
    CHECK(done, "%s: MPI_Win_test after an empty post says no", kind_names[a->kind]);
}

static void self_only(struct area *a, int value)
{
    MPI_Group self = group_of_one(rank);
    int got = 0;
    MPI_Win_post(self, 0, a->win);
    MPI_Win_start(self, 0, a->win);
    MPI_Put(&value, 1, MPI_INT, rank, disp_at(a, rank, 0), 1, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    CHECK(*(int *)a->base == value, "%s: %d instead of %d", kind_names[a->kind], *(int *)a->base,
          value);
    MPI_Win_post(self, 0, a->win);
    MPI_Win_start(self, 0, a->win);
    MPI_Get(&got, 1, MPI_INT, rank, disp_at(a, rank, 0), 1, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    CHECK(got == value, "%s: got %d instead of %d", kind_names[a->kind], got, value);
    MPI_Group_free(&self);
}

/* All to all, without any operation or with one to the right neighbour only. */
static void idle_members(struct area *a, int value, int operate)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_post(world, 0, a->win);
    MPI_Win_start(world, 0, a->win);
    int sent = 100 * value + rank;
    if (operate)
        MPI_Put(&sent, 1, MPI_INT, right, disp_at(a, right, 1), 1, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    int found = ((int *)a->base)[1];
    CHECK(!operate || found == 100 * value + left, "%s: %d instead of %d", kind_names[a->kind],
          found, 100 * value + left);
    MPI_Group_free(&world);
}

/* Access epochs alone and exposure epochs alone: even ranks are origins, odd ones targets, then the
 * other way round. */
static void one_sided_roles(struct area *a, int value)
{
    int partner = rank ^ 1;
    if (partner >= nranks)
        return;
    MPI_Group group = group_of_one(partner);
    if ((rank + value) % 2) {
        MPI_Win_post(group, 0, a->win);
        MPI_Win_wait(a->win);
    } else {
        MPI_Win_start(group, 0, a->win);
        MPI_Win_complete(a->win);
    }
    MPI_Group_free(&group);
}

/* One put of `value` from every rank to the one `shift` further on. */
static void put_further(struct area *a, int shift, int value, MPI_Group from, MPI_Group to)
{
    int target = (rank + shift) % nranks, origin = (rank + nranks - shift) % nranks;
    int sent = 100 * value + rank;
    MPI_Win_post(from, 0, a->win);
    MPI_Win_start(to, 0, a->win);
    MPI_Put(&sent, 1, MPI_INT, target, disp_at(a, target, 0), 1, MPI_INT, a->win);
    MPI_Win_complete(a->win);
    MPI_Win_wait(a->win);
    CHECK(*(int *)a->base == 100 * value + origin, "%s: %d instead of %d", kind_names[a->kind],
          *(int *)a->base, 100 * value + origin);
}

/* A handle may stand for another group once its group is freed, and does under both hosts. */
static void handles_again(struct area *a, int value)
{
    for (int shift = 0; shift < nranks; shift++) {
        MPI_Group to = group_of_one((rank + shift) % nranks);
        MPI_Group from = group_of_one((rank + nranks - shift) % nranks);
        put_further(a, shift, value, from, to);
        MPI_Group_free(&from);
        MPI_Group_free(&to);
    }
}

/* More groups in turn than Proa keeps. */
static void many_groups(struct area *a, int value)
{
    enum { MANY = 7 };
    MPI_Group to[MANY], from[MANY];
    for (int i = 0; i < MANY; i++) {
        to[i] = group_of_one((rank + i) % nranks);
        from[i] = group_of_one((rank + MANY * nranks - i) % nranks);
    }
    for (int i = 0; i < 3 * MANY; i++)
        put_further(a, i % MANY % nranks, value + i, from[i % MANY], to[i % MANY]);
    for (int i = 0; i < MANY; i++) {
        MPI_Group_free(&from[i]);
        MPI_Group_free(&to[i]);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 2 * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        for (int value = 1; value <= 20; value++) {
            empty_groups(&a);
            self_only(&a, value);
            idle_members(&a, value, value % 2);
            one_sided_roles(&a, value);
            handles_again(&a, value);
        }
        many_groups(&a, 1);
        close_area(&a);
    }
    return finish("pscw_groups");
}
