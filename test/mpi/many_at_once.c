/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Four thousand windows alive at the same time, of all kinds, in a process that may open 1024
 * files: each of them is used while all the others exist.
 */
#include "footprint.h"
#include "window.h"
#include <sys/resource.h>

enum { windows = 4000, bytes = 64 };

static void limit_files(rlim_t most)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > most)
        limit.rlim_max = most;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most)
        limit.rlim_cur = most;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static struct area areas[windows];
/* addresses of the right neighbour's memory, for dynamic windows */
static MPI_Aint theirs[windows];

/* All in one message: four thousand exchanges would take longer than the windows. */
static void exchange_addresses(int left, int right)
{
    static MPI_Aint mine[windows];
    for (int w = 0; w < windows; w++)
        MPI_Get_address(areas[w].base, &mine[w]);
    MPI_Sendrecv(mine, windows, MPI_AINT, left, 0, theirs, windows, MPI_AINT, right, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void use(int w, int target)
{
    int sent = w * nranks + rank, index = w % (bytes / (int)sizeof(int));
    MPI_Aint disp =
        areas[w].kind == kind_dynamic ? MPI_Aint_add(theirs[w], index * (int)sizeof(int)) : index;
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, areas[w].win);
    MPI_Put(&sent, 1, MPI_INT, target, disp, 1, MPI_INT, areas[w].win);
    MPI_Win_unlock(target, areas[w].win);
}

static void verify(int w, int origin)
{
    struct area *a = &areas[w];
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a->win);
    int found = ((int *)a->base)[w % (bytes / (int)sizeof(int))];
    MPI_Win_unlock(rank, a->win);
    CHECK(found == w * nranks + origin, "%s window %d: %d", kind_names[a->kind], w, found);
}

int main(int argc, char **argv)
{
    limit_files(1024);
    start(&argc, &argv);
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    struct footprint before = footprint();
    for (int w = 0; w < windows; w++)
        areas[w] = create_area(w % nkinds, bytes, sizeof(int), MPI_COMM_WORLD);
    exchange_addresses(left, right);
    for (int w = 0; w < windows; w++)
        use(w, right);
    MPI_Barrier(MPI_COMM_WORLD);
    struct footprint during = footprint();
    for (int w = 0; w < windows; w++)
        verify(w, left);
    CHECK(during.files < before.files + 500, "%ld files for %d windows",
          during.files - before.files, windows);
    CHECK(during.mappings < before.mappings + 1000, "%ld mappings for %d windows",
          during.mappings - before.mappings, windows);
    for (int w = 0; w < windows; w++)
        destroy_area(&areas[w]);
    return finish("many_at_once");
}
