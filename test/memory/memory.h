/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What every test in this folder uses: memory of the program's with a window in the middle of it.
 *
 *   |  head   |  whole pages            |   tail   |       a room: eight pages, or more
 *        ^ base                       ^ base + bytes      the window
 *
 * The first and the last page are the window's in part only: the rest of them is the neighbours',
 * which the program uses as it likes while the window comes, lives and goes. Pages between are all
 * the window's. A room is fresh memory, so that its windows are not taken for ones that come and go
 * on the very same place.
 */
#ifndef PROA_TEST_MEMORY_H
#define PROA_TEST_MEMORY_H

#include "../mpi/check.h"

#include <errno.h>
#include <sys/mman.h>

enum memory { HEAP, MAPPED, STATIC, nmemories };

static const char *const memory_names[nmemories] = {"heap", "mapped", "static"};

enum { room_pages = 8, room_most = 64 };

struct room {
    enum memory memory;
    size_t page; /* bytes of one */
    size_t pages;
    void *block; /* what malloc or mmap gave */
    char *first; /* of the first page */
    char *base;  /* the window */
    size_t bytes;
    char *head, *inside, *tail; /* beside the window, in whole pages of it, beside it: a quarter of
                                   a page or more each */
    int attached;               /* to a dynamic window */
    MPI_Win win;
};

static inline size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static inline void *map_pages(size_t bytes, int flags)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    return need(memory == MAP_FAILED ? NULL : memory);
}

/* Static memory is there once: a second room of that kind lies where the first did. */
static inline void *block_of(enum memory memory, size_t bytes)
{
    static char fixed[(room_most + 1) << 16];
    if (memory == HEAP)
        return need(malloc(bytes));
    return memory == MAPPED ? map_pages(bytes, 0) : fixed;
}

static inline struct room room_of(enum memory memory, size_t pages)
{
    size_t page = page_size();
    struct room room = {.memory = memory, .page = page, .pages = pages, .win = MPI_WIN_NULL};
    room.block = block_of(memory, (pages + 1) * page);
    room.first = (char *)(((uintptr_t)room.block + page - 1) / page * page);
    memset(room.first, 0, pages * page);
    room.head = room.first;
    room.base = room.first + page / 2;
    room.inside = room.first + 3 * page;
    room.tail = room.first + (pages - 1) * page + page / 2;
    room.bytes = (size_t)(room.tail - room.base);
    return room;
}

static inline struct room room_make(enum memory memory)
{
    return room_of(memory, room_pages);
}

static inline void room_give_back(struct room *room)
{
    if (room->memory == HEAP)
        free(room->block);
    if (room->memory == MAPPED)
        munmap(room->block, (room->pages + 1) * room->page);
}

static inline void room_open(struct room *room, int attached)
{
    room->attached = attached;
    if (attached) {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &room->win);
        MPI_Win_attach(room->win, room->base, (MPI_Aint)room->bytes);
    } else {
        MPI_Win_create(room->base, (MPI_Aint)room->bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                       &room->win);
    }
}

static inline void room_close(struct room *room)
{
    if (room->attached) {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_detach(room->win, room->base);
    }
    MPI_Win_free(&room->win);
}

/* An int of the right neighbour's is put to and fetched back, `offset` bytes from where its window
 * of the same shape begins. */
static inline void window_works(MPI_Win win, void *base, int attached, size_t offset,
                                const char *what)
{
    int right = (rank + 1) % nranks, left = (rank + nranks - 1) % nranks;
    int sent = 1000 + rank, got = 0;
    MPI_Aint at = (MPI_Aint)offset;
    if (attached) {
        MPI_Aint mine;
        MPI_Get_address((char *)base + offset, &mine);
        MPI_Sendrecv(&mine, 1, MPI_AINT, left, 0, &at, 1, MPI_AINT, right, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, win);
    MPI_Put(&sent, 1, MPI_INT, right, at, 1, MPI_INT, win);
    MPI_Win_flush(right, win);
    MPI_Get(&got, 1, MPI_INT, right, at, 1, MPI_INT, win);
    MPI_Win_unlock(right, win);
    CHECK(got == sent, "%s: got %d, not the %d that was put", what, got, sent);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    CHECK(*(int *)(void *)((char *)base + offset) == 1000 + left,
          "%s: memory holds %d, not the %d that was put", what,
          *(int *)(void *)((char *)base + offset), 1000 + left);
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static inline void room_works(struct room *room, const char *what)
{
    window_works(room->win, room->base, room->attached, 2 * room->page, what);
}

/* Is that thread of this process in this system call? Its first arguments, as many as are asked
 * for. */
static inline int is_in_call(int thread, long call, unsigned long *argument, int arguments)
{
    char path[60];
    long number = -1;
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    int found = fscanf(file, "%ld", &number) == 1 && number == call;
    for (int i = 0; found && i < arguments; i++)
        found = fscanf(file, "%lx", &argument[i]) == 1;
    fclose(file);
    return found;
}

/* Has any rank failed so far? Where a failure takes long, the rest is left out, on all ranks. */
static inline int has_failed(void)
{
    long most = 0;
    MPI_Allreduce(&check_failures, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    return most > 0;
}

#endif
