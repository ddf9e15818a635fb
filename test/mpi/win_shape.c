/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows of odd shapes: another size and another displacement unit on every rank, no memory on
 * some, on communicators with fewer ranks in another order. The target's displacement unit counts,
 * and the target's rank in the window's own group.
 */
#include "window.h"

enum { words = 64 };

/* Rank r of the window exposes memory unless r % 3 == 2. */
static int exposes(int r)
{
    return r % 3 != 2;
}
static int unit_of(int r)
{
    return 1 << r % 4;
} /* 1, 2, 4, 8 */

static MPI_Win open_odd(MPI_Comm comm, int create, char *own, void **base)
{
    int me;
    MPI_Win win;
    MPI_Comm_rank(comm, &me);
    MPI_Aint size = exposes(me) ? words * 8 + me * 8 : 0;
    *base = own;
    if (create)
        MPI_Win_create(size ? own : NULL, size, unit_of(me), MPI_INFO_NULL, comm, &win);
    else
        MPI_Win_allocate(size, unit_of(me), MPI_INFO_NULL, comm, base, &win);
    return win;
}

/* Every rank puts its number into word `me` of every rank that exposes memory, and gets it back in
 * the next epoch. */
static void exchange(MPI_Comm comm, int create, const char *what)
{
    static char own[words * 8 * 4];
    int me, n;
    void *base;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    MPI_Win win = open_odd(comm, create, own, &base);
    int64_t sent = 7000 + me, got[words];
    MPI_Win_fence(0, win);
    for (int t = 0; t < n; t++)
        if (exposes(t))
            MPI_Put(&sent, 1, MPI_INT64_T, t, me * 8 / unit_of(t), 1, MPI_INT64_T, win);
    MPI_Win_fence(0, win);
    for (int t = 0; t < n; t++)
        if (exposes(t))
            MPI_Get(&got[t], 1, MPI_INT64_T, t, me * 8 / unit_of(t), 1, MPI_INT64_T, win);
    MPI_Win_fence(0, win);
    for (int t = 0; t < n; t++)
        CHECK(!exposes(t) || got[t] == sent, "%s: got %lld from %d", what, (long long)got[t], t);
    for (int o = 0; o < n && exposes(me); o++)
        CHECK(((int64_t *)base)[o] == 7000 + o, "%s: %lld from %d", what,
              (long long)((int64_t *)base)[o], o);
    MPI_Win_free(&win);
}

static void on_all_communicators(int create, const char *how)
{
    MPI_Comm reversed, odd_even, early;
    char what[80];
    const int nearly_all = nranks > 1 ? nranks - 1 : 1;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &odd_even);
    MPI_Comm_split(MPI_COMM_WORLD, rank < nearly_all ? 0 : MPI_UNDEFINED, -rank, &early);
    MPI_Comm comms[] = {MPI_COMM_WORLD, reversed, odd_even, early};
    static const char *const names[] = {"world", "world reversed", "half of it reversed",
                                        "all but the last, reversed"};
    for (int i = 0; i < 4; i++) {
        snprintf(what, sizeof what, "%s on %s", how, names[i]);
        if (comms[i] != MPI_COMM_NULL)
            exchange(comms[i], create, what);
        if (i > 0 && comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[i]);
    }
}

/* The communicator may go before the window. */
static void outlives_communicator(void)
{
    MPI_Comm comm;
    MPI_Win win;
    int *base, right = (rank + 1) % nranks, sent = rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, comm, &base, &win);
    MPI_Comm_free(&comm);
    MPI_Win_fence(0, win);
    MPI_Put(&sent, 1, MPI_INT, right, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(base[0] == (rank + nranks - 1) % nranks, "window outlives its communicator: %d", base[0]);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    on_all_communicators(0, "allocate");
    on_all_communicators(1, "create");
    outlives_communicator();
    return finish("win_shape");
}
