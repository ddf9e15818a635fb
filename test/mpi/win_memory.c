/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Win_create over every kind of memory that a program has: heap, small and large, static,
 * stack, MPI_Alloc_mem, mapped pages, unaligned pieces of them, windows that overlap. Creating a
 * window must not lose what the memory holds, and after MPI_Win_free the memory is the program's
 * again, to use and to give back.
 */
#include "window.h"
#include <sys/mman.h>

enum { small = 64, large = 3 << 20 };

static int right, left;

static unsigned char byte_of(int who, size_t i)
{
    return (unsigned char)((size_t)who * 37 + i * 11 + i / 251);
}

static void fill(unsigned char *at, size_t bytes, int who)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = byte_of(who, i);
}

static size_t differ(const unsigned char *at, size_t bytes, int who)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += at[i] != byte_of(who, i);
    return n;
}

static void counts_up(MPI_Win win, unsigned char *memory, size_t bytes, const char *what)
{
    MPI_Aint last = (MPI_Aint)bytes - 1;
    unsigned char one = 1, old;
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Fetch_and_op(&one, &old, MPI_UNSIGNED_CHAR, right, last, MPI_SUM, win);
    MPI_Accumulate(&one, 1, MPI_UNSIGNED_CHAR, right, last, 1, MPI_UNSIGNED_CHAR, MPI_SUM, win);
    MPI_Win_unlock(right, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    unsigned char expected = (unsigned char)(byte_of(left, bytes - 1) + 2);
    CHECK(memory[last] == expected, "%s: last byte is %d, not %d", what, memory[last], expected);
    MPI_Win_unlock(rank, win);
    CHECK(old == byte_of(rank, bytes - 1), "%s: fetched %d, not %d", what, old,
          byte_of(rank, bytes - 1));
}

/* The old contents of the memory are read by the left neighbour, then overwritten by it, then
 * changed by atomic operations. */
static void use(unsigned char *memory, size_t bytes, const char *what)
{
    unsigned char *buffer = need(malloc(bytes));
    MPI_Win win;
    fill(memory, bytes, rank);
    MPI_Win_create(memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    CHECK(differ(memory, bytes, rank) == 0, "%s: MPI_Win_create changed %zu bytes", what,
          differ(memory, bytes, rank));

    MPI_Win_fence(0, win);
    MPI_Get(buffer, (int)bytes, MPI_BYTE, right, 0, (int)bytes, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    CHECK(differ(buffer, bytes, right) == 0, "%s: get brought %zu wrong bytes", what,
          differ(buffer, bytes, right));

    fill(memory, bytes, rank + 100); /* a store after creation is seen by others */
    MPI_Win_fence(0, win);
    MPI_Get(buffer, (int)bytes, MPI_BYTE, right, 0, (int)bytes, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    CHECK(differ(buffer, bytes, right + 100) == 0, "%s: a later get brought %zu wrong bytes", what,
          differ(buffer, bytes, right + 100));

    fill(buffer, bytes, rank);
    MPI_Win_fence(0, win);
    MPI_Put(buffer, (int)bytes, MPI_BYTE, right, 0, (int)bytes, MPI_BYTE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(differ(memory, bytes, left) == 0, "%s: put brought %zu wrong bytes", what,
          differ(memory, bytes, left));
    MPI_Barrier(MPI_COMM_WORLD);
    counts_up(win, memory, bytes, what);
    MPI_Win_free(&win);

    CHECK(differ(memory, bytes - 1, left) == 0, "%s: MPI_Win_free changed the memory", what);
    fill(memory, bytes, rank + 1);
    CHECK(differ(memory, bytes, rank + 1) == 0, "%s: not usable after MPI_Win_free", what);
    free(buffer);
}

static void heap(size_t bytes, const char *what)
{
    unsigned char *memory = need(malloc(bytes + 100));
    use(memory, bytes, what);
    use(memory + 13, bytes, what); /* unaligned, overlapping the window that was there */
    memory = need(realloc(memory, 2 * bytes + 100));
    CHECK(differ(memory + 13, bytes, rank + 1) == 0, "%s: realloc lost data", what);
    use(memory, 2 * bytes, what);
    free(memory);
}

static void mapped(void)
{
    void *memory = mmap(NULL, large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    use(memory, large, "mmap");
    use((unsigned char *)memory + 4000, 4200, "part of mmap");
    CHECK(munmap(memory, large) == 0, "munmap fails after MPI_Win_free");
}

static void mpi_memory(void)
{
    unsigned char *memory;
    MPI_Alloc_mem(large, MPI_INFO_NULL, &memory);
    use(memory, large, "MPI_Alloc_mem");
    use(memory + 5, 1000, "part of MPI_Alloc_mem");
    MPI_Free_mem(memory);
}

/* Two windows share bytes; they are used one after the other. */
static void overlapping(void)
{
    int *memory = need(calloc(100, sizeof *memory)), sent[2] = {rank + 1, rank + 1000};
    MPI_Win first, second;
    MPI_Win_create(memory, 60 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &first);
    MPI_Win_create(memory + 40, 60 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &second);
    MPI_Win_fence(0, first);
    MPI_Put(&sent[0], 1, MPI_INT, right, 50, 1, MPI_INT, first);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, first);
    CHECK(memory[50] == left + 1, "first of two overlapping windows: %d", memory[50]);
    MPI_Win_fence(0, second);
    MPI_Accumulate(&sent[1], 1, MPI_INT, right, 10, 1, MPI_INT, MPI_SUM, second);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, second);
    CHECK(memory[50] == 2 * left + 1001, "second of two overlapping windows: %d", memory[50]);
    MPI_Win_free(&first);
    memory[99] = 5; /* the other window still covers this */
    MPI_Win_free(&second);
    free(memory);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    static unsigned char fixed[100000];
    unsigned char on_stack[20000];
    right = (rank + 1) % nranks;
    left = (rank + nranks - 1) % nranks;
    heap(small, "small heap");
    heap(large, "large heap");
    use(fixed, sizeof fixed, "static");
    use(fixed + 3, 5000, "part of static");
    use(on_stack, sizeof on_stack, "stack");
    mapped();
    mpi_memory();
    overlapping();
    return finish("win_memory");
}
