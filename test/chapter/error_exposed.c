/* SPDX-License-Identifier: BSD-3-Clause */
/* A window that is locked and exposed at once: an error if strict, and served otherwise. */
#include "epochs.h"

static void strictly_locked_exposed(struct area *a)
{
    expose_to_left(a);
    WRONG(a, sync_error, "exposed", MPI_Win_lock, (MPI_LOCK_SHARED, rank, 0, a->win));
    WRONG(a, sync_error, "exposed", MPI_Win_lock_all, (0, a->win));
    start_to_right(a);
    RIGHT(MPI_Win_complete(a->win));
    end_exposure(a);
    RIGHT(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a->win));
    WRONG(a, sync_error, "locked", MPI_Win_post, (left_group, 0, a->win));
    RIGHT(MPI_Win_unlock(rank, a->win));
    RIGHT(MPI_Win_lock_all(MPI_MODE_NOCHECK, a->win));
    WRONG(a, sync_error, "locked", MPI_Win_post, (left_group, 0, a->win));
    unlock_all_of(a);
}

static int add_word(const struct area *a, int target, int at, int value)
{
    return MPI_Accumulate(&value, 1, MPI_INT, target, disp_at(a, target, at), 1, MPI_INT, MPI_SUM,
                          a->win);
}

enum { additions = 5000 };

/* Lock and exposure at once, in either order: what the origin does in its epoch, and what this
 * process does under its lock, both count. The accumulates of both go to one word. */
static void add_from_both_sides(struct area *a, int at)
{
    start_to_right(a);
    RIGHT(put_word(a, right_of(), 6, &(int){611}));
    for (int i = 0; i < additions; i++)
        RIGHT(add_word(a, right_of(), at, 1));
    RIGHT(MPI_Win_complete(a->win));
}

static void check_both(struct area *a, int at, int own)
{
    CHECK(((int *)a->base)[6] == 611, "%s: a put to a window that is locked and exposed brings %d",
          kind_names[a->kind], ((int *)a->base)[6]);
    CHECK(((int *)a->base)[at] == pattern(rank, at) + additions + own,
          "%s: %d additions to a window that is locked and exposed add %d", kind_names[a->kind],
          additions + own, ((int *)a->base)[at] - pattern(rank, at));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 5; i <= 7; i++)
        ((int *)a->base)[i] = pattern(rank, i);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void lock_while_exposed(struct area *a, int type)
{
    expose_to_left(a);
    RIGHT(MPI_Win_lock(type, rank, 0, a->win));
    for (int i = 0; i < additions; i++)
        RIGHT(add_word(a, rank, 5, 1));
    RIGHT(MPI_Win_unlock(rank, a->win));
    MPI_Barrier(MPI_COMM_WORLD);
    add_from_both_sides(a, 5);
    end_exposure(a);
    check_both(a, 5, additions);
}

static void lock_all_while_exposed(struct area *a)
{
    expose_to_left(a);
    RIGHT(MPI_Win_lock_all(0, a->win));
    RIGHT(add_word(a, rank, 7, 3));
    RIGHT(MPI_Win_unlock_all(a->win));
    MPI_Barrier(MPI_COMM_WORLD);
    add_from_both_sides(a, 7);
    end_exposure(a);
    check_both(a, 7, 3);
}

/* The origin has been told of no sole access, and the exclusive lock no longer excludes: both add
 * at the same time. */
static void post_while_locked(struct area *a, int type)
{
    RIGHT(MPI_Win_lock(type, rank, 0, a->win));
    RIGHT(MPI_Win_post(left_group, 0, a->win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank % 2 == 0)
        for (int i = 0; i < additions; i++)
            RIGHT(add_word(a, rank, 5, 1));
    RIGHT(MPI_Win_unlock(rank, a->win));
    add_from_both_sides(a, 5);
    end_exposure(a);
    check_both(a, 5, rank % 2 == 0 ? additions : 0);
}

static void post_in_lock_all(struct area *a)
{
    RIGHT(MPI_Win_lock_all(0, a->win));
    RIGHT(MPI_Win_post(left_group, 0, a->win));
    RIGHT(add_word(a, rank, 7, 3));
    RIGHT(MPI_Win_unlock_all(a->win));
    add_from_both_sides(a, 7);
    end_exposure(a);
    check_both(a, 7, 3);
}

static void laxly_locked_exposed(struct area *a)
{
    MPI_Barrier(MPI_COMM_WORLD);
    post_while_locked(a, MPI_LOCK_EXCLUSIVE);
    post_while_locked(a, MPI_LOCK_SHARED);
    lock_while_exposed(a, MPI_LOCK_SHARED);
    lock_while_exposed(a, MPI_LOCK_EXCLUSIVE);
    post_in_lock_all(a);
    lock_all_while_exposed(a);
}

static void run_locked_exposed(struct area *a)
{
    if (is_strict())
        strictly_locked_exposed(a);
    else
        laxly_locked_exposed(a);
    /* A neighbour's lock is not this process's mistake, and may come before the post that it was to
     * follow. */
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_post(MPI_GROUP_EMPTY, 0, a->win));
    RIGHT(MPI_Win_wait(a->win));
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct row rows[] = {{"locked_exposed", run_locked_exposed, nkinds}};

int main(int argc, char **argv)
{
    start_listening(&argc, &argv);
    make_groups();
    run_row(argc, argv, rows, sizeof rows / sizeof rows[0]);
    free_groups();
    return finish_listening("error_exposed");
}
