/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readers under shared locks never see half of what a writer under an exclusive lock writes. The
 * record is larger than a page, and the writer writes it in two pieces, the second half first.
 */
#include "window.h"

enum { words = 1200, rounds = 60 };

static void write_record(struct area *a, int target, long stamp)
{
    long record[words];
    const int half = words / 2;
    for (int i = 0; i < words; i++)
        record[i] = stamp;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, a->win);
    MPI_Put(record + half, half, MPI_LONG, target, disp_at(a, target, half), half, MPI_LONG,
            a->win);
    MPI_Win_flush(target, a->win);
    MPI_Put(record, half, MPI_LONG, target, disp_at(a, target, 0), half, MPI_LONG, a->win);
    MPI_Win_unlock(target, a->win);
}

static void read_record(struct area *a, int target)
{
    long record[words];
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
    MPI_Get(record, words, MPI_LONG, target, disp_at(a, target, 0), words, MPI_LONG, a->win);
    MPI_Win_unlock(target, a->win);
    for (int i = 1; i < words; i++)
        CHECK(record[i] == record[0], "%s: torn record: %ld and %ld", kind_names[a->kind],
              record[0], record[i]);
}

/* All ranks do both, in different turns, so that readers meet readers and writers. */
static void run_rounds(struct area *a, int target)
{
    for (int i = 1; i <= rounds; i++)
        if ((i + rank) % 3 == 0)
            write_record(a, target, (long)i * nranks + rank);
        else
            read_record(a, target);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, words * sizeof(long), sizeof(long), MPI_COMM_WORLD);
        run_rounds(&a, 0);
        run_rounds(&a, nranks - 1);
        close_area(&a);
    }
    return finish("lock_readers");
}
