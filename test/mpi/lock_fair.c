/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A writer among readers that never stop: it must get its exclusive lock although there is always a
 * reader that holds or wants the shared one. The readers go on until the writer has had all its
 * rounds; one that comes to its limit before says that the writer starves. The limit is counted in
 * rounds, not in time, and generous: a descheduled writer on a busy machine is not a starving one.
 * The same with the roles of lock and lock_all, and with one reader among writers.
 */
#include "window.h"

enum { rounds = 20, limit = 3000000 };

static void write_once(struct area *a)
{
    long value = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, a->win);
    MPI_Get(&value, 1, MPI_LONG, 0, disp_at(a, 0, 0), 1, MPI_LONG, a->win);
    MPI_Win_flush(0, a->win);
    value++;
    MPI_Put(&value, 1, MPI_LONG, 0, disp_at(a, 0, 0), 1, MPI_LONG, a->win);
    MPI_Win_unlock(0, a->win);
}

static void read_by_lock(struct area *a)
{
    long values[64];
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, a->win);
    MPI_Get(values, 64, MPI_LONG, 0, disp_at(a, 0, 0), 64, MPI_LONG, a->win);
    MPI_Win_unlock(0, a->win);
}

static void read_by_lock_all(struct area *a)
{
    long values[64];
    MPI_Win_lock_all(0, a->win);
    MPI_Get(values, 64, MPI_LONG, 0, disp_at(a, 0, 0), 64, MPI_LONG, a->win);
    MPI_Win_unlock_all(a->win);
}

typedef void access_fn(struct area *);

/* The last rank does `few` for its rounds, all others `many` until it has finished. */
static void one_among_many(struct area *a, access_fn *few, access_fn *many, const char *what)
{
    MPI_Request few_done;
    int done = 0;
    long n = 0;
    if (rank == nranks - 1)
        for (int i = 0; i < rounds; i++)
            few(a);
    MPI_Ibarrier(MPI_COMM_WORLD, &few_done);
    for (; !done && n < limit; n++) {
        if (rank != nranks - 1)
            many(a);
        MPI_Test(&few_done, &done, MPI_STATUS_IGNORE);
        if (rank == nranks - 1)
            break;
    }
    CHECK(done || rank == nranks - 1, "%s: %s: still not served after %ld rounds of the others",
          kind_names[a->kind], what, n);
    MPI_Wait(&few_done, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, 64 * sizeof(long), sizeof(long), MPI_COMM_WORLD);
        one_among_many(&a, write_once, read_by_lock, "a writer among readers by lock");
        one_among_many(&a, write_once, read_by_lock_all, "a writer among readers by lock_all");
        one_among_many(&a, read_by_lock, write_once, "a reader by lock among writers");
        one_among_many(&a, read_by_lock_all, write_once, "a reader by lock_all among writers");
        close_area(&a);
    }
    return finish("lock_fair");
}
