/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Win_shared_query on every flavor (MPI-4.1, 13.2.3): an address by which this process loads
 * and stores the other's memory, or size 0 and NULL where there is none. MPI_PROC_NULL asks for the
 * lowest rank that has memory.
 */
#include "window.h"

static struct {
    MPI_Aint size;
    int unit;
    int *base;
} found;

static void query(MPI_Win win, int who)
{
    found.size = -1;
    found.unit = -1;
    found.base = (int *)1;
    int code = MPI_Win_shared_query(win, who, &found.size, &found.unit, &found.base);
    CHECK(code == MPI_SUCCESS, "query of %d: class %d", who, error_class(code));
#if MPI_VERSION >= 4
    MPI_Aint size = -1, unit = -1;
    int *base = (int *)1;
    MPI_Win_shared_query_c(win, who, &size, &unit, &base);
    CHECK(size == found.size && unit == found.unit && base == found.base,
          "MPI_Win_shared_query_c says something else");
#endif
}

static MPI_Aint bytes_of(int who)
{
    return 64 + 16 * who;
}

/* Stores into the right neighbour's memory, which it loads after the fence. */
static void store_and_load(MPI_Win win, const int *own, const char *what)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    query(win, right);
    MPI_Win_fence(0, win);
    found.base[3] = 600 + rank;
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(own[3] == 600 + left, "%s: a store by an address from the query brings %d", what, own[3]);
}

static void all_reachable(MPI_Win win, int *own, const char *what)
{
    for (int who = 0; who < nranks; who++) {
        query(win, who);
        CHECK(found.size == bytes_of(who) && found.unit == 4 && found.base,
              "%s: rank %d has size %ld, unit %d, base %p", what, who, (long)found.size, found.unit,
              (void *)found.base);
    }
    query(win, rank);
    CHECK(found.base == own, "%s: own base %p, not %p", what, (void *)found.base, (void *)own);
    query(win, MPI_PROC_NULL);
    CHECK(found.size == bytes_of(0), "%s: MPI_PROC_NULL gives size %ld", what, (long)found.size);
    store_and_load(win, own, what);
}

static void of_kind(int kind)
{
    struct area a = open_area(kind, (size_t)bytes_of(rank), 4, MPI_COMM_WORLD);
    all_reachable(a.win, a.base, kind_names[kind]);
    close_area(&a);
}

static void create_over_alloc_mem(void)
{
    int *memory;
    MPI_Win win;
    MPI_Alloc_mem(bytes_of(rank), MPI_INFO_NULL, &memory);
    MPI_Win_create(memory, bytes_of(rank), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    all_reachable(win, memory, "create over MPI_Alloc_mem");
    MPI_Win_free(&win);
    MPI_Free_mem(memory);
}

/* Memory that is this process's alone. Its own it reaches; another's it need not, and then must say
 * so. */
static void create_over_private_memory(void)
{
    static int fixed[64];
    MPI_Win win;
    MPI_Win_create(fixed, bytes_of(rank), 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    query(win, rank);
    CHECK(found.size == bytes_of(rank) && found.unit == 4 && found.base == fixed,
          "create: own size %ld, base %p", (long)found.size, (void *)found.base);
    query(win, (rank + 1) % nranks);
    if (found.base)
        store_and_load(win, fixed, "create over static memory");
    else
        CHECK(found.size == 0, "create: no address, but size %ld", (long)found.size);
    MPI_Win_free(&win);
}

static void none_has_memory(void)
{
    void *base;
    MPI_Win win;
    MPI_Win_allocate_shared(0, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    for (int who = 0; who < nranks; who++) {
        query(win, who);
        CHECK(found.size == 0, "no memory: size %ld", (long)found.size);
    }
    query(win, MPI_PROC_NULL);
    CHECK(found.size == 0 && !found.base, "no memory: MPI_PROC_NULL gives size %ld, base %p",
          (long)found.size, (void *)found.base);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    if (nranks < 2)
        return skip("needs 2 ranks");
    of_kind(kind_allocate);
    of_kind(kind_shared);
    create_over_alloc_mem();
    create_over_private_memory();
    none_has_memory();
    return finish("query"); /* dynamic windows: error_object.c, row flavor */
}
