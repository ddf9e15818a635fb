/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Five hundred windows of each kind, or as many as the first argument says, created, used and freed
 * one after the other: afterwards the process holds no more memory, files and mappings than after
 * the first few.
 */
#include "footprint.h"
#include "window.h"

enum { warm_up = 100 };

/* A leak of one page, file or mapping per window would be 500 of them. Sanitizers keep freed
 * memory for a while, so each window's is at a new place; memory that was moved there and back is
 * no longer one mapping with its neighbours, as they reserve their memory otherwise. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { kib_allowed = 1 << 20, mappings_allowed = 3000 };
#else
enum { kib_allowed = 1000, mappings_allowed = 20 };
#endif

static void one_window(enum kind kind, size_t bytes, int value)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    struct area a = open_area(kind, bytes, sizeof(int), MPI_COMM_WORLD);
    MPI_Win_fence(0, a.win);
    MPI_Put(&value, 1, MPI_INT, right, disp_at(&a, right, left), 1, MPI_INT, a.win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a.win);
    int index = (left + nranks - 1) % nranks; /* the left neighbour's left neighbour */
    CHECK(((int *)a.base)[index] == value, "%s window %d: %d", kind_names[kind], value,
          ((int *)a.base)[index]);
    close_area(&a);
}

/* Windows of three sizes in turn, so that their memory does not always fall into the same place. */
static size_t size_of(int i)
{
    return i % 3 == 0 ? 4096 : i % 3 == 1 ? 100000 : 1200;
}

int main(int argc, char **argv)
{
    int windows = argc > 1 ? atoi(argv[1]) : 500;
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        for (int i = 0; i < warm_up; i++)
            one_window(kind, size_of(i), i);
        struct footprint before = footprint();
        for (int i = 0; i < windows; i++)
            one_window(kind, size_of(i), i);
        struct footprint after = footprint();
        const char *name = kind_names[kind];
        CHECK(after.resident_kib < before.resident_kib + kib_allowed,
              "%s: resident %ld KiB, then %ld", name, before.resident_kib, after.resident_kib);
        CHECK(after.files < before.files + 10, "%s: %ld open files, then %ld", name, before.files,
              after.files);
        CHECK(after.mappings < before.mappings + mappings_allowed, "%s: %ld mappings, then %ld",
              name, before.mappings, after.mappings);
    }
    return finish("many_in_turn");
}
