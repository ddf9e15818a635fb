/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic windows: a thousand regions attached at once, detached and attached again in another
 * order, regions next to each other, a region that spans a whole one of memory from MPI_Alloc_mem,
 * the stack and static memory. Addresses travel by MPI_Get_address.
 */
#include "window.h"

enum { regions = 1000, words = 12 };

static int right, left;
static MPI_Win win;

static void swap_addresses(const MPI_Aint *mine, MPI_Aint *theirs, int n)
{
    MPI_Sendrecv(mine, n, MPI_AINT, left, 0, theirs, n, MPI_AINT, right, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
}

static void put_all(const MPI_Aint *theirs, int seed)
{
    int sent[words];
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    for (int r = 0; r < regions; r++) {
        for (int i = 0; i < words; i++)
            sent[i] = seed + r * words + i + rank;
        MPI_Put(sent, words, MPI_INT, right, theirs[r], words, MPI_INT, win);
        MPI_Win_flush(right, win);
        sent[0] = 1;
        MPI_Accumulate(sent, 1, MPI_INT, right, MPI_Aint_add(theirs[r], (words - 1) * sizeof(int)),
                       1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush_local(right, win);
    }
    MPI_Win_unlock(right, win);
}

static void check_all(int *const *mine, int seed)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    for (int r = 0; r < regions; r++)
        for (int i = 0; i < words; i++)
            CHECK(mine[r][i] == seed + r * words + i + left + (i == words - 1),
                  "region %d, word %d: %d", r, i, mine[r][i]);
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void many_regions(void)
{
    static int *mine[regions];
    static MPI_Aint addresses[regions], theirs[regions];
    for (int r = 0; r < regions; r++) {
        mine[r] = need(calloc(words, sizeof(int)));
        MPI_Win_attach(win, mine[r], words * sizeof(int));
        MPI_Get_address(mine[r], &addresses[r]);
    }
    swap_addresses(addresses, theirs, regions);
    put_all(theirs, 10);
    check_all(mine, 10);
    for (int r = 1; r < regions; r += 2)
        MPI_Win_detach(win, mine[r]);
    for (int r = regions - 1 - regions % 2; r > 0; r -= 2)
        MPI_Win_attach(win, mine[r], words * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    put_all(theirs, 20);
    check_all(mine, 20);
    for (int r = 0; r < regions; r++) {
        MPI_Win_detach(win, mine[r]);
        free(mine[r]);
    }
}

static void one_region(void *memory, size_t bytes, const char *what)
{
    MPI_Aint mine, theirs;
    int sent = 4000 + rank, got = -1;
    memset(memory, 0, bytes);
    MPI_Win_attach(win, memory, (MPI_Aint)bytes);
    MPI_Get_address(memory, &mine);
    swap_addresses(&mine, &theirs, 1);
    MPI_Aint last = MPI_Aint_add(theirs, (MPI_Aint)(bytes - sizeof(int)));
    MPI_Win_fence(0, win);
    MPI_Put(&sent, 1, MPI_INT, right, last, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, right, last, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(got == sent, "%s: got %d", what, got);
    memcpy(&got, (char *)memory + bytes - sizeof(int), sizeof got);
    CHECK(got == 4000 + left, "%s: put brought %d", what, got);
    MPI_Win_detach(win, memory);
}

/* Two regions side by side, reached by displacements from one address. */
static void neighbours(void)
{
    static int both[2 * words];
    MPI_Aint mine, theirs;
    int sent[2] = {rank, rank + 50};
    MPI_Win_attach(win, both, words * sizeof(int));
    MPI_Win_attach(win, both + words, words * sizeof(int));
    MPI_Get_address(both, &mine);
    swap_addresses(&mine, &theirs, 1);
    MPI_Win_fence(0, win);
    MPI_Put(&sent[0], 1, MPI_INT, right, MPI_Aint_add(theirs, (words - 1) * sizeof(int)), 1,
            MPI_INT, win);
    MPI_Put(&sent[1], 1, MPI_INT, right, MPI_Aint_add(theirs, words * sizeof(int)), 1, MPI_INT,
            win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(both[words - 1] == left && both[words] == left + 50, "adjacent regions: %d and %d",
          both[words - 1], both[words]);
    MPI_Win_detach(win, both + words);
    MPI_Win_detach(win, both);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    static char fixed[10000];
    char on_stack[10000];
    void *from_mpi, *from_heap = need(malloc(5 << 20));
    right = (rank + 1) % nranks;
    left = (rank + nranks - 1) % nranks;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    many_regions();
    MPI_Alloc_mem(100000, MPI_INFO_NULL, &from_mpi);
    one_region(from_mpi, 100000, "MPI_Alloc_mem");
    one_region(from_heap, 5 << 20, "heap");
    one_region(fixed, sizeof fixed, "static");
    one_region(on_stack, sizeof on_stack, "stack");
    neighbours();
    MPI_Free_mem(from_mpi);
    free(from_heap);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return finish("win_dynamic");
}
