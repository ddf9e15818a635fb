/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fence with MPI_MODE_NOPRECEDE ends nothing: it does not wait, but the first operation to a
 * target waits for the target's fence (MPI-4.1, 13.5.1). Between two ranks there is no other to
 * wait for. Where a program loads and stores in its neighbours' memory by itself the fence waits,
 * as Proa cannot.
 */
#include "window.h"
#include <stdbool.h>
#include <unistd.h>

enum { rounds = 20 };

/* Rank 0's fence must return before the others call theirs: they wait for its message first. */
static void opens_alone(struct area *a)
{
    long *mine = a->base, got = -1;
    for (int round = 1; round <= rounds; round++) {
        if (rank == 0) {
            MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win);
            for (int i = 1; i < nranks; i++)
                MPI_Send(&round, 1, MPI_INT, i, 0, a->comm);
        } else {
            int number = 0;
            MPI_Recv(&number, 1, MPI_INT, 0, 0, a->comm, MPI_STATUS_IGNORE);
            usleep((unsigned)(round % 3 * 300));
            mine[0] = number * 100 + rank; /* before the fence: an operation must find it */
            MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win);
        }
        int target = (rank + 1) % nranks;
        if (rank == 0 && nranks > 1)
            MPI_Get(&got, 1, MPI_LONG, target, disp_at(a, target, 0), 1, MPI_LONG, a->win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win);
        CHECK(rank != 0 || nranks == 1 || got == round * 100 + 1, "%s: round %d: got %ld",
              kind_names[a->kind], round, got);
    }
}

/* Every kind of call may follow a fence that has opened an unused epoch. */
static void goes_on(struct area *a)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    long one = 1;
    MPI_Group all, to, from;
    MPI_Comm_group(a->comm, &all);
    MPI_Group_incl(all, 1, &right, &to);
    MPI_Group_incl(all, 1, &left, &from);
    ((long *)a->base)[1] = 0;
    MPI_Barrier(a->comm);
    for (int round = 0; round < rounds; round++) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win);
        MPI_Win_post(from, 0, a->win);
        MPI_Win_start(to, 0, a->win);
        MPI_Accumulate(&one, 1, MPI_LONG, right, disp_at(a, right, 1), 1, MPI_LONG, MPI_SUM,
                       a->win);
        MPI_Win_complete(a->win);
        MPI_Win_wait(a->win);
        MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win);
        MPI_Barrier(a->comm); /* all fences are behind all, and no epoch was used */
        MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
        MPI_Accumulate(&one, 1, MPI_LONG, right, disp_at(a, right, 1), 1, MPI_LONG, MPI_SUM,
                       a->win);
        MPI_Win_unlock(right, a->win);
        MPI_Barrier(a->comm);
        MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win);
        MPI_Win_lock_all(0, a->win);
        MPI_Accumulate(&one, 1, MPI_LONG, right, disp_at(a, right, 1), 1, MPI_LONG, MPI_SUM,
                       a->win);
        MPI_Win_unlock_all(a->win);
        MPI_Barrier(a->comm);
        CHECK(((long *)a->base)[1] == 3 * (round + 1), "%s: %ld in round %d", kind_names[a->kind],
              ((long *)a->base)[1], round);
        MPI_Barrier(a->comm);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

/* The neighbour's memory by plain stores, after a fence that ends nothing and before one that does:
 * in a window that is there for that, and in one whose ranks have asked for their neighbours'
 * memory. */
static void direct(bool shared)
{
    MPI_Win win;
    long *mine = NULL, *right_memory = NULL;
    int right = (rank + 1) % nranks, unit;
    MPI_Aint size;
    if (shared)
        MPI_Win_allocate_shared(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                                &win);
    else
        MPI_Win_allocate(sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_shared_query(win, right, &size, &unit, &right_memory);
    for (int round = 1; round <= rounds; round++) {
        usleep((unsigned)((rank + round) % 3 * 200));
        *mine = -1;
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        *right_memory = round * 10 + rank;
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        CHECK(*mine == round * 10 + (rank + nranks - 1) % nranks, "round %d: %ld", round, *mine);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area((enum kind)kind, 64 * sizeof(long), sizeof(long), MPI_COMM_WORLD);
        int is_served = kind != kind_allocate && getenv("PROA_TEST_SERVED");
        /* that fence waits, as all do over nodes */
        if (kind != kind_shared && nranks > 2 && !is_served && shares_memory())
            opens_alone(&a);
        goes_on(&a);
        close_area(&a);
    }
    if (shares_memory())
        direct(true);
    if (shares_memory())
        direct(false);
    return finish("fence_open");
}
