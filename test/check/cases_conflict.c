/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on the same bytes in one epoch, by every way to open one. */
#include "cases.h"

#include <unistd.h>

/* ---- fence ---- */

static void wrong_fence_put_put(void)
{
    MPI_Win_fence(0, win);
    if (rank != TARGET)
        put(TARGET, 0);
    MPI_Win_fence(0, win);
}

static void right_fence_put_put(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    MPI_Win_fence(0, win);
    if (rank == SECOND)
        put(TARGET, 0);
    MPI_Win_fence(0, win);
}

static void wrong_fence_put_get(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 1);
    if (rank == SECOND)
        get(TARGET, 1);
    MPI_Win_fence(0, win);
}

static void right_fence_gets(void)
{
    MPI_Win_fence(0, win);
    get(TARGET, 1);
    MPI_Win_fence(0, win);
}

/* Bytes of one word. */
static void right_fence_bytes(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        MPI_Put(buffer, 3, MPI_BYTE, TARGET, 0, 3, MPI_BYTE, win);
    if (rank == SECOND)
        put(TARGET, 1);
    MPI_Win_fence(0, win);
}

/* The target is an origin as well. */
static void wrong_fence_self(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST || rank == TARGET)
        put(TARGET, 2);
    MPI_Win_fence(0, win);
}

static void right_fence_self(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST || rank == TARGET)
        put(TARGET, 2 + rank);
    MPI_Win_fence(0, win);
}

/* ---- post, start, complete, wait ---- */

static INLINE void expose(void (*origin)(void))
{
    const int origins[] = {FIRST, SECOND}, targets[] = {TARGET};
    MPI_Group all, group;

    MPI_Win_get_group(win, &all);
    if (rank == TARGET) {
        MPI_Group_incl(all, 2, origins, &group);
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Group_incl(all, 1, targets, &group);
        MPI_Win_start(group, 0, win);
        origin();
        MPI_Win_complete(win);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

/* The target is an origin too, and its buffer is memory that the other one has put to. That has
 * completed by then, which is not an order before MPI_Win_wait. */
static void wrong_expose_from(void)
{
    const int other = rank == FIRST ? TARGET : FIRST;
    MPI_Group all, group;

    if (rank == SECOND)
        return;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &other, &group);
    MPI_Win_post(group, 0, win);
    MPI_Win_start(group, 0, win);
    if (rank == FIRST)
        put(TARGET, 9);
    if (rank == TARGET) {
        usleep(50000); /* the race is there without it */
        MPI_Put(memory + 9, 1, MPI_LONG, FIRST, 10, 1, MPI_LONG, win);
    }
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static INLINE void put_there(void)
{
    put(TARGET, 3);
}

static INLINE void put_apart(void)
{
    put(TARGET, 4 + rank);
}

static INLINE void put_or_get(void)
{
    if (rank == FIRST)
        get(TARGET, 5);
    else
        put(TARGET, 5);
}

static INLINE void put_first(void)
{
    if (rank == FIRST)
        put(TARGET, 5);
}

static INLINE void get_second(void)
{
    if (rank == SECOND)
        get(TARGET, 5);
}

static void wrong_expose_put_put(void)
{
    expose(put_there);
}

static void right_expose_apart(void)
{
    expose(put_apart);
}

static void wrong_expose_get_put(void)
{
    expose(put_or_get);
}

static void right_expose_twice(void)
{
    expose(put_first);
    expose(get_second);
}

/* ---- locks ---- */

static INLINE void locked(int kind, void (*origin)(void))
{
    if (rank == TARGET)
        return;
    MPI_Win_lock(kind, TARGET, 0, win);
    origin();
    MPI_Win_unlock(TARGET, win);
}

static void wrong_lock_shared(void)
{
    locked(MPI_LOCK_SHARED, put_there);
}

static void right_lock_exclusive(void)
{
    locked(MPI_LOCK_EXCLUSIVE, put_there);
}

static void right_lock_mixed(void)
{
    locked(rank == FIRST ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, put_there);
}

static void wrong_lock_get_put(void)
{
    locked(MPI_LOCK_SHARED, put_or_get);
}

static void wrong_lock_all(void)
{
    MPI_Win_lock_all(0, win);
    if (rank != TARGET)
        put(TARGET, 6);
    MPI_Win_unlock_all(win);
}

static void right_lock_all(void)
{
    MPI_Win_lock_all(0, win);
    put((rank + 1) % RANKS, 6);
    MPI_Win_unlock_all(win);
}

static void wrong_lock_all_self(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put(TARGET, 6);
    if (rank == TARGET)
        get(TARGET, 6);
    MPI_Win_unlock_all(win);
}

/* A flush completes, and orders nothing among others. */
static void wrong_flush(void)
{
    MPI_Win_lock_all(0, win);
    if (rank != TARGET) {
        put(TARGET, 7);
        MPI_Win_flush(TARGET, win);
    }
    MPI_Win_unlock_all(win);
}

static void right_flush(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 7);
        MPI_Win_flush(TARGET, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == SECOND)
        put(TARGET, 7);
    MPI_Win_unlock_all(win);
}

/* Complete at the origin only when the others are told. */
static void wrong_flush_local(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 7);
        MPI_Win_flush_local(TARGET, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == SECOND)
        get(TARGET, 7);
    MPI_Win_unlock_all(win);
}

/* ---- requests ---- */

static INLINE void request_put(void)
{
    MPI_Request request;

    MPI_Rput(buffer, 1, MPI_LONG, TARGET, 8, 1, MPI_LONG, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void wrong_request_put(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        request_put();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == SECOND)
        get(TARGET, 8);
    MPI_Win_unlock_all(win);
}

static void right_request_put(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        request_put();
        MPI_Win_flush(TARGET, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == SECOND)
        get(TARGET, 8);
    MPI_Win_unlock_all(win);
}

static INLINE void request_get(int waits)
{
    MPI_Request request;

    MPI_Rget(buffer + WORDS, 1, MPI_LONG, TARGET, 8, 1, MPI_LONG, win, &request);
    if (waits)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!waits)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void wrong_request_get(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        request_get(0);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == SECOND)
        put(TARGET, 8);
    MPI_Win_unlock_all(win);
}

static void right_request_get(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        request_get(1);
    else
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == SECOND)
        put(TARGET, 8);
    MPI_Win_unlock_all(win);
}

const struct scene conflicts[] = {
    WRONG(fence_put_put, "Put", FIRST, "Put", SECOND),
    RIGHT(fence_put_put),
    WRONG(fence_put_get, "Put", FIRST, "Get", SECOND),
    RIGHT(fence_gets),
    RIGHT(fence_bytes),
    WRONG(fence_self, "Put", FIRST, "Put", TARGET),
    RIGHT(fence_self),
    WRONG(expose_put_put, "Put", FIRST, "Put", SECOND),
    RIGHT(expose_apart),
    WRONG(expose_from, "Put", FIRST, "Put", TARGET),
    WRONG(expose_get_put, "Get", FIRST, "Put", SECOND),
    RIGHT(expose_twice),
    WRONG(lock_shared, "Put", FIRST, "Put", SECOND),
    RIGHT(lock_exclusive),
    RIGHT(lock_mixed),
    WRONG(lock_get_put, "Get", FIRST, "Put", SECOND),
    WRONG(lock_all, "Put", FIRST, "Put", SECOND),
    RIGHT(lock_all),
    WRONG(lock_all_self, "Put", FIRST, "Get", TARGET),
    WRONG(flush, "Put", FIRST, "Put", SECOND),
    RIGHT(flush),
    WRONG(flush_local, "Put", FIRST, "Get", SECOND),
    WRONG(request_put, "Rput", FIRST, "Get", SECOND),
    RIGHT(request_put),
    WRONG(request_get, "Rget", FIRST, "Put", SECOND),
    RIGHT(request_get),
    {0},
};
