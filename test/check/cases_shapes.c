/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores in other shapes: other synchronizations, buffers of each side, ways to a word.
 */
#include "cases.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static volatile long seen;

static INLINE long load(const long *word)
{
    return *(const volatile long *)word;
}

static INLINE void store(long *word, long value)
{
    *(volatile long *)word = value;
}

/* ---- locks ---- */

static INLINE void put_in_lock(int lock)
{
    MPI_Win_lock(lock, TARGET, 0, win);
    put(TARGET, 0);
    MPI_Win_unlock(TARGET, win);
}

/* The target has no lock of its own. */
static void wrong_load_without_lock(void)
{
    if (rank == FIRST)
        put_in_lock(MPI_LOCK_EXCLUSIVE);
    if (rank == TARGET)
        seen = load(memory);
}

static void wrong_store_in_shared_lock(void)
{
    if (rank == FIRST)
        put_in_lock(MPI_LOCK_SHARED);
    if (rank == TARGET) {
        MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
        store(memory, 3);
        MPI_Win_unlock(TARGET, win);
    }
}

static void right_load_behind_barrier(void)
{
    if (rank == FIRST)
        put_in_lock(MPI_LOCK_SHARED);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == TARGET)
        seen = load(memory);
}

/* ---- post and start ---- */

static INLINE void expose(int loads, int is_early)
{
    int ranks[] = {FIRST, TARGET};
    MPI_Group world, group;

    if (rank == SECOND)
        return;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &ranks[rank == FIRST], &group);
    if (rank == FIRST) {
        MPI_Win_start(group, 0, win);
        if (loads)
            put(TARGET, 0);
        else
            get(TARGET, 0);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(group, 0, win);
        if (is_early && loads)
            seen = load(memory);
        else if (is_early)
            store(memory, 4);
        MPI_Win_wait(win);
        if (!is_early)
            store(memory, load(memory));
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void wrong_exposed_load(void)
{
    expose(1, 1);
}

static void right_exposed_load(void)
{
    expose(1, 0);
}

static void wrong_exposed_get(void)
{
    expose(0, 1);
}

static void right_exposed_get(void)
{
    expose(0, 0);
}

/* ---- buffers on the stack, and requests ---- */

static void wrong_stack_result(void)
{
    long value = 1;

    MPI_Win_fence(0, win);
    if (rank == FIRST) {
        MPI_Get(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        seen = load(&value);
    }
    MPI_Win_fence(0, win);
}

static void right_stack_result(void)
{
    long value = 1;

    MPI_Win_fence(0, win);
    if (rank == FIRST)
        MPI_Get(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    seen = load(&value);
}

static void wrong_locked_result(void)
{
    long value = 1;

    if (rank == FIRST) {
        MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
        MPI_Get(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        store(&value, 2);
        MPI_Win_unlock(TARGET, win);
    }
}

static INLINE void start_put(int is_wrong)
{
    long value = 1;
    int target = TARGET, first = FIRST;
    MPI_Group world, group;

    if (rank == SECOND)
        return;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, rank == FIRST ? &target : &first, &group);
    if (rank == FIRST) {
        MPI_Win_start(group, 0, win);
        MPI_Put(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        if (is_wrong)
            store(&value, 7);
        MPI_Win_complete(win);
        store(&value, 8);
    } else {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void wrong_started_store(void)
{
    start_put(1);
}

static void right_started_store(void)
{
    start_put(0);
}

static INLINE void request(int is_wrong)
{
    static long value;
    MPI_Request request;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Rput(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win, &request);
        if (is_wrong)
            store(&value, 5);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        store(&value, 6);
    }
    MPI_Win_unlock_all(win);
}

static void wrong_requested_store(void)
{
    request(1);
}

static void right_requested_store(void)
{
    request(0);
}

static INLINE void request_get(int is_wrong)
{
    static long value;
    MPI_Request request;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Rget(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win, &request);
        if (is_wrong)
            seen = load(&value);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        seen = load(&value);
    }
    MPI_Win_unlock_all(win);
}

static void wrong_requested_load(void)
{
    request_get(1);
}

static void right_requested_load(void)
{
    request_get(0);
}

/* ---- before a request is complete ---- */

static INLINE void load_in_barrier(int is_early)
{
    MPI_Request request;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        MPI_Win_flush(TARGET, win);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (rank == TARGET && is_early)
        seen = load(memory);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == TARGET && !is_early)
        seen = load(memory);
    MPI_Win_unlock_all(win);
}

static void wrong_load_in_barrier(void)
{
    load_in_barrier(1);
}

static void right_load_in_barrier(void)
{
    load_in_barrier(0);
}

/* In the call the next registers and the stack have the address of the window. */
static void wrong_load_after_barrier(void)
{
    typedef int begin(MPI_Comm, MPI_Request *, long *, long *, long *, long *, long *, long *);
    begin *volatile barrier = (begin *)(uintptr_t)MPI_Ibarrier;
    MPI_Request request;

    MPI_Win_fence(0, win);
    barrier(MPI_COMM_WORLD, &request, memory, memory, memory, memory, memory, memory);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == TARGET)
        seen = load(memory);
    MPI_Win_fence(0, win);
}

/* ---- the target is the origin ---- */

static INLINE void by_itself(int is_wrong)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    if (rank == TARGET) {
        put(TARGET, 0);
        if (!is_wrong)
            MPI_Win_flush(TARGET, win);
        seen = load(memory);
    }
    MPI_Win_unlock(rank, win);
}

static void wrong_by_itself(void)
{
    by_itself(1);
}

static void right_by_itself(void)
{
    by_itself(0);
}

/* ---- ways to the word ---- */

struct list {
    long *word;
    struct list *next;
};

static __attribute__((noinline)) void deepest(struct list *list)
{
    store(list->next->word, 9);
}

static __attribute__((noinline)) void deeper(struct list *list)
{
    deepest(list);
    seen++; /* or the call would be a jump */
}

static INLINE void deep(long at)
{
    struct list last = {memory + at, NULL}, first = {NULL, &last};

    MPI_Win_fence(0, win);
    if (rank == FIRST)
        get(TARGET, 1);
    if (rank == TARGET)
        deeper(&first);
    MPI_Win_fence(0, win);
}

static void wrong_deep(void)
{
    deep(1);
}

/* Another place, as the pair of places is told once. */
static void right_deep(void)
{
    deep(2);
}

/* The buffer has two names. */
static void wrong_alias(void)
{
    static long words[WORDS];
    long *volatile other = words + 3;

    MPI_Win_fence(0, win);
    if (rank == FIRST) {
        MPI_Put(words + 4, 1, MPI_LONG, TARGET, 4, 1, MPI_LONG, win);
        store(other + 1, 2);
    }
    MPI_Win_fence(0, win);
}

static void wrong_set(void)
{
    void *(*volatile set)(void *, int, size_t) = memset;

    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == TARGET)
        set(memory, 0, WORDS * sizeof(long));
    MPI_Win_fence(0, win);
}

/* The C library loads in a function of its own. */
static void wrong_by_printing(void)
{
    char text[WORDS];

    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == TARGET)
        snprintf(text, sizeof text, "%.8s", (const char *)memory);
    MPI_Win_fence(0, win);
    seen = text[0];
}

/* For gcc 16, which makes one instruction of a load and a store, of volatile memory too. */
static INLINE long in_register(long value)
{
    __asm__ volatile("" : "+r"(value));
    return value;
}

/* A statement that loads and stores. */
static void wrong_increased(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == TARGET)
        *(volatile long *)memory = in_register(*(volatile long *)memory) + 1;
    MPI_Win_fence(0, win);
}

/* The conflict is in the second turn of a loop. */
static void wrong_in_loop(void)
{
    MPI_Win_fence(0, win);
    for (int i = 0; i < 2; i++) {
        if (rank == FIRST)
            add(TARGET, i);
        if (rank == TARGET)
            store(memory + 2 - i, i);
        MPI_Win_fence(0, win);
    }
}

const struct scene shapes[] = {
    LOCAL(load_without_lock, "MPI_Put", FIRST, "a load", TARGET),
    LOCAL(store_in_shared_lock, "MPI_Put", FIRST, "a store", TARGET),
    RIGHT(load_behind_barrier),
    LOCAL(exposed_load, "MPI_Put", FIRST, "a load", TARGET),
    RIGHT(exposed_load),
    LOCAL(exposed_get, "MPI_Get", FIRST, "a store", TARGET),
    RIGHT(exposed_get),
    LOCAL(stack_result, "MPI_Get", FIRST, "a load", FIRST),
    RIGHT(stack_result),
    LOCAL(locked_result, "MPI_Get", FIRST, "a store", FIRST),
    LOCAL(started_store, "MPI_Put", FIRST, "a store", FIRST),
    RIGHT(started_store),
    LOCAL(requested_store, "MPI_Rput", FIRST, "a store", FIRST),
    RIGHT(requested_store),
    LOCAL(requested_load, "MPI_Rget", FIRST, "a load", FIRST),
    RIGHT(requested_load),
    LOCAL(load_in_barrier, "MPI_Put", FIRST, "a load", TARGET),
    RIGHT(load_in_barrier),
    LOCAL(load_after_barrier, "MPI_Put", FIRST, "a load", TARGET),
    LOCAL(by_itself, "MPI_Put", TARGET, "a load", TARGET),
    RIGHT(by_itself),
    LOCAL(deep, "MPI_Get", FIRST, "a store", TARGET),
    RIGHT(deep),
    LOCAL(alias, "MPI_Put", FIRST, "a store", FIRST),
    LOCAL(by_printing, "MPI_Put", FIRST, "a load", TARGET),
    LOCAL(set, "MPI_Put", FIRST, "a store", TARGET),
    LOCAL(increased, "MPI_Put", FIRST, "a load", TARGET),
    LOCAL(in_loop, "MPI_Accumulate", FIRST, "a store", TARGET),
    {0},
};
