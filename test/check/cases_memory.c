/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations against loads and stores by the program: of window memory, and of buffers. */
#define _GNU_SOURCE
#include "cases.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <proa_notify.h>

static volatile long seen;

/* ---- window memory: the target's own loads and stores ---- */

static void wrong_fence_put_load(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == TARGET)
        seen = memory[0];
    MPI_Win_fence(0, win);
}

static void wrong_fence_put_store(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == TARGET)
        memory[0] = 5;
    MPI_Win_fence(0, win);
}

static void wrong_fence_get_store(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        get(TARGET, 3);
    if (rank == TARGET)
        memory[3] = 5;
    MPI_Win_fence(0, win);
}

static void wrong_fence_add_load(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        add(TARGET, 2);
    if (rank == TARGET)
        seen = memory[2];
    MPI_Win_fence(0, win);
}

static void right_fence_get_load(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        get(TARGET, 0);
    if (rank == TARGET)
        seen = memory[0];
    MPI_Win_fence(0, win);
}

static void right_fence_between(void)
{
    MPI_Win_fence(0, win);
    if (rank == TARGET)
        memory[0] = 1;
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    MPI_Win_fence(0, win);
    if (rank == TARGET)
        seen = memory[0];
    MPI_Win_fence(0, win);
}

/* Other bytes of the same line. */
static void right_beside(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 1);
    if (rank == TARGET)
        memory[0] = seen + 1;
    MPI_Win_fence(0, win);
}

/* One store of two words. */
typedef long pair __attribute__((vector_size(16)));

static void wrong_fence_get_pair(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        get(TARGET, 3);
    if (rank == TARGET)
        *(volatile pair *)(memory + 2) = (pair){5, 6};
    MPI_Win_fence(0, win);
}

static void right_fence_get_pair(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST) {
        MPI_Get(&buffer[1], 1, MPI_LONG, TARGET, 1, 1, MPI_LONG, win);
        MPI_Get(&buffer[4], 1, MPI_LONG, TARGET, 4, 1, MPI_LONG, win);
    }
    if (rank == TARGET)
        *(volatile pair *)(memory + 2) = (pair){5, 6};
    MPI_Win_fence(0, win);
}

/* The load begins in the word before. */
static void wrong_fence_put_half(void)
{
    typedef volatile long __attribute__((aligned(4))) half_aligned;

    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 1);
    if (rank == TARGET)
        seen = *(half_aligned *)((char *)memory + 4);
    MPI_Win_fence(0, win);
}

static void exposed(int is_wrong)
{
    int ranks[] = {FIRST, TARGET};
    MPI_Group world, group;

    if (rank == SECOND)
        return;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &ranks[rank == FIRST], &group);
    if (rank == FIRST) {
        MPI_Win_start(group, 0, win);
        put(TARGET, 0);
        MPI_Win_complete(win);
    } else {
        if (!is_wrong)
            memory[0] = 1;
        MPI_Win_post(group, 0, win);
        if (is_wrong)
            memory[0] = 1;
        MPI_Win_wait(win);
        seen = memory[0];
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void wrong_exposed_store(void)
{
    exposed(1);
}

static void right_exposed_store(void)
{
    exposed(0);
}

static void wrong_lock_all_load(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == TARGET)
        seen = memory[0];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
}

/* A barrier alone does not complete the put. */
static void wrong_barrier_without_flush(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == TARGET)
        seen = memory[0];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
}

static void right_flush_and_barrier(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == TARGET)
        memory[0] = 2;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == FIRST) {
        put(TARGET, 0);
        MPI_Win_flush(TARGET, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == TARGET)
        seen = memory[0];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
}

static void right_flush_and_message(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        MPI_Win_flush(TARGET, win);
        MPI_Send(buffer, 0, MPI_LONG, TARGET, 0, MPI_COMM_WORLD);
    }
    if (rank == TARGET) {
        MPI_Recv(buffer, 0, MPI_LONG, FIRST, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memory[0]++;
    }
    MPI_Win_unlock_all(win);
}

static void right_exclusive_locks(void)
{
    if (rank == FIRST) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
        put(TARGET, 0);
        MPI_Win_unlock(TARGET, win);
    }
    if (rank == TARGET) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
        memory[0]++;
        MPI_Win_unlock(TARGET, win);
    }
}

/* The target polls a flag, and then uses the data that were put before it. */
static void right_polled(void)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_flagged();
    if (rank == TARGET) {
        do
            MPI_Win_sync(win);
        while (((volatile long *)memory)[0] == 0);
        seen = memory[1];
        memory[1] = 0;
    }
    MPI_Win_unlock_all(win);
}

/* ---- by other ways ---- */

static void *load_for_thread(void *unused)
{
    seen = memory[5];
    return unused;
}

/* The thread is done before the fence that the put comes after. */
static void right_by_thread(void)
{
    pthread_t thread;

    if (rank == TARGET) {
        pthread_create(&thread, NULL, load_for_thread, NULL);
        pthread_join(thread, NULL);
    }
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 5);
    MPI_Win_fence(0, win);
}

static void fill(long *at, long value)
{
    *at = value;
}

static void wrong_by_function(void)
{
    void (*volatile what)(long *, long) = fill;

    MPI_Win_fence(0, win);
    if (rank == FIRST)
        get(TARGET, 1);
    if (rank == TARGET)
        what(memory + 1, 0);
    MPI_Win_fence(0, win);
}

static void wrong_by_memcpy(void)
{
    void *(*volatile copy)(void *, const void *, size_t) = memcpy;
    static long other[WORDS];

    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 3);
    if (rank == TARGET)
        copy(other, memory, sizeof other);
    MPI_Win_fence(0, win);
}

/* ---- system calls ---- */

static FILE *open_zeros(void)
{
    return fopen("/dev/zero", "r");
}

static void read_zeros(void *to, size_t bytes)
{
    int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);

    if (read(file, to, bytes) != (ssize_t)bytes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    close(file);
}

static void wrong_file_read(void)
{
    FILE *file = open_zeros();

    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 3);
    if (rank == TARGET && fread(memory, sizeof(long), WORDS, file) != WORDS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_fence(0, win);
    fclose(file);
}

static void right_file_read(void)
{
    FILE *file = open_zeros();

    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 3);
    if (rank == TARGET && fread(memory + 4, sizeof(long), WORDS - 4, file) != WORDS - 4)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_fence(0, win);
    fclose(file);
}

static INLINE void write_from_window(int as_vector)
{
    const struct iovec all = {memory, WORDS * sizeof(long)};
    int file = memfd_create("written", MFD_CLOEXEC);
    ssize_t written = as_vector ? pwritev(file, &all, 1, 0) : write(file, memory, all.iov_len);

    if (written != (ssize_t)all.iov_len)
        MPI_Abort(MPI_COMM_WORLD, 1);
    close(file);
}

static void wrong_window_written(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 2);
    if (rank == TARGET)
        write_from_window(0);
    MPI_Win_fence(0, win);
}

static void right_window_written(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        get(TARGET, 2);
    if (rank == TARGET)
        write_from_window(1);
    MPI_Win_fence(0, win);
}

static void wrong_result_read(void)
{
    static long other[WORDS];

    MPI_Win_fence(0, win);
    if (rank == FIRST) {
        MPI_Get(other, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        read_zeros(other, sizeof(long));
    }
    MPI_Win_fence(0, win);
}

static void right_result_read(void)
{
    static long other[WORDS];

    MPI_Win_fence(0, win);
    if (rank == FIRST) {
        MPI_Get(other, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        read_zeros(other + 1, sizeof(long));
    }
    MPI_Win_fence(0, win);
}

/* ---- buffers ---- */

static void wrong_origin_stored(void)
{
    long value = 1;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Put(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        value = 2;
        seen = value;
    }
    MPI_Win_unlock_all(win);
}

static void right_origin_stored(void)
{
    static long value = 1;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Put(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        seen = value;
        MPI_Win_flush_local(TARGET, win);
        value = 2;
        seen = value;
    }
    MPI_Win_unlock_all(win);
}

static void wrong_origin_added(void)
{
    static long other[WORDS];

    MPI_Win_fence(0, win);
    if (rank == FIRST) {
        MPI_Accumulate(other, WORDS, MPI_LONG, TARGET, 0, WORDS, MPI_LONG, MPI_SUM, win);
        other[0]++;
    }
    MPI_Win_fence(0, win);
}

static void wrong_result_loaded(void)
{
    static long value = 1;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Get(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        seen = value;
    }
    MPI_Win_unlock_all(win);
    seen += value;
}

static void wrong_result_stored(void)
{
    static long value = 1, one = 1;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Fetch_and_op(&one, &value, MPI_LONG, TARGET, 0, MPI_SUM, win);
        *(volatile long *)&value = 3;
    }
    MPI_Win_unlock_all(win);
}

static void right_result_loaded(void)
{
    static long value = 1, one = 1;

    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Get(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        MPI_Win_flush(TARGET, win);
        if (value != 0) /* as all windows of scenes begin; it is kept back until here */
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Fetch_and_op(&one, &value, MPI_LONG, TARGET, 0, MPI_SUM, win);
        MPI_Win_flush_local(TARGET, win);
        seen = value;
        MPI_Compare_and_swap(&one, &value, &buffer[4], MPI_LONG, TARGET, 0, win);
    }
    MPI_Win_unlock_all(win);
    if (rank == FIRST)
        seen = buffer[4] + value;
}

/* The origin buffer is window memory that another rank puts to, which is told once. */
static void wrong_origin_put_to(void)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        MPI_Put(memory + 6, 1, MPI_LONG, TARGET, 6, 1, MPI_LONG, win);
    if (rank == SECOND) {
        buffer[6] = 6;
        MPI_Put(buffer + 6, 1, MPI_LONG, FIRST, 6, 1, MPI_LONG, win);
    }
    MPI_Win_fence(0, win);
}

/* A notification completes nothing but its own operation. */
static void wrong_result_notified(void)
{
    static long value = 1;

    PROA_Win_set_num_notify(win, MPI_INFO_NULL, 1);
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Get(&value, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
        PROA_Put_notify(NULL, 0, MPI_LONG, TARGET, 0, 0, MPI_LONG, 0, win);
        seen = value;
    }
    MPI_Win_unlock_all(win);
}

static void wrong_nostore(void)
{
    MPI_Win_fence(0, win);
    if (rank == TARGET)
        memory[0] = 1;
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
    seen++; /* or the fence would be a jump, with the line of this function's call */
}

static void right_nostore(void)
{
    MPI_Win_fence(0, win);
    if (rank == TARGET)
        memory[0] = 1;
    MPI_Win_fence(0, win);
    if (rank == TARGET)
        seen = memory[0];
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
}

const struct scene local[] = {
    MISUSE(nostore, "MPI_Win_fence", TARGET, "a store", TARGET),
    RIGHT(nostore),
    LOCAL(result_notified, "MPI_Get", FIRST, "a load", FIRST),
    LOCAL(fence_put_load, "MPI_Put", FIRST, "a load", TARGET),
    LOCAL(fence_put_store, "MPI_Put", FIRST, "a store", TARGET),
    LOCAL(fence_get_store, "MPI_Get", FIRST, "a store", TARGET),
    LOCAL(fence_add_load, "MPI_Accumulate", FIRST, "a load", TARGET),
    RIGHT(fence_get_load),
    LOCAL(fence_get_pair, "MPI_Get", FIRST, "a store", TARGET),
    RIGHT(fence_get_pair),
    LOCAL(fence_put_half, "MPI_Put", FIRST, "a load", TARGET),
    RIGHT(fence_between),
    RIGHT(beside),
    LOCAL(exposed_store, "MPI_Put", FIRST, "a store", TARGET),
    RIGHT(exposed_store),
    LOCAL(lock_all_load, "MPI_Put", FIRST, "a load", TARGET),
    LOCAL(barrier_without_flush, "MPI_Put", FIRST, "a load", TARGET),
    RIGHT(flush_and_barrier),
    RIGHT(flush_and_message),
    RIGHT(exclusive_locks),
    RIGHT(polled),
    RIGHT(by_thread),
    LOCAL(by_function, "MPI_Get", FIRST, "a store", TARGET),
    LOCAL(by_memcpy, "MPI_Put", FIRST, "a load", TARGET),
    LOCAL(file_read, "MPI_Put", FIRST, "a store", TARGET),
    RIGHT(file_read),
    LOCAL(window_written, "MPI_Put", FIRST, "a load", TARGET),
    RIGHT(window_written),
    LOCAL(result_read, "MPI_Get", FIRST, "a store by a system call", FIRST),
    RIGHT(result_read),
    LOCAL(origin_stored, "MPI_Put", FIRST, "a store", FIRST),
    RIGHT(origin_stored),
    LOCAL(origin_added, "MPI_Accumulate", FIRST, "a store", FIRST),
    LOCAL(origin_put_to, "MPI_Put", FIRST, "MPI_Put", SECOND),
    LOCAL(result_loaded, "MPI_Get", FIRST, "a load", FIRST),
    LOCAL(result_stored, "MPI_Fetch_and_op", FIRST, "a store", FIRST),
    RIGHT(result_loaded),
    {0},
};
