/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads that poll the memory of a window, and what they order. */
#include "cases.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

static volatile long seen;

/* Data at 1 before the flag at 0. The target polls one of them, and then stores to the flag. */
static INLINE void reset_polled(MPI_Aint at)
{
    static const long one = 1;

    MPI_Win_lock_all(0, win);
    for (MPI_Aint i = 2; rank == FIRST && i-- > 0;) {
        MPI_Accumulate(&one, 1, MPI_LONG, TARGET, i, 1, MPI_LONG, MPI_REPLACE, win);
        MPI_Win_flush(TARGET, win);
    }
    if (rank == TARGET) {
        do
            MPI_Win_sync(win);
        while (((volatile long *)memory)[at] == 0);
        MPI_Win_flush_local(TARGET, win);
        memory[0] = 0;
    }
    MPI_Win_unlock_all(win);
}

static void right_polled_reset(void)
{
    reset_polled(0);
}

static void wrong_polled_reset(void)
{
    reset_polled(1);
}

/* Other calls than MPI_Win_sync that programs poll with. */
static INLINE void poll_with(void (*call)(void))
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_flagged();
    if (rank == TARGET) {
        do
            call();
        while (((volatile long *)memory)[0] == 0);
        seen = memory[1];
    }
    MPI_Win_unlock_all(win);
}

static INLINE void probe(void)
{
    int flag;

    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static INLINE void test_nothing(void)
{
    MPI_Request none = MPI_REQUEST_NULL;
    int flag;

    MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
}

static INLINE void flush_self(void)
{
    MPI_Win_flush(TARGET, win);
}

static void right_polled_probe(void)
{
    poll_with(probe);
}

static void right_polled_test(void)
{
    poll_with(test_nothing);
}

static void right_polled_flush(void)
{
    poll_with(flush_self);
}

/* ---- a flag that is there at the first load, with no call near it ---- */

/* By the kernel, which check mode does not see. */
static INLINE void wait_unseen(void)
{
    const int file = open("/proc/self/mem", O_RDONLY);
    long value = 0;

    while (pread(file, &value, sizeof value, (off_t)(uintptr_t)memory) > 0 && value == 0)
        usleep(1000);
    close(file);
}

static INLINE void find(void (*load)(volatile long *flag))
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put_flagged();
    if (rank == TARGET) {
        wait_unseen();
        load(memory);
    }
    MPI_Win_unlock_all(win);
}

static INLINE void poll_sync(volatile long *flag)
{
    while (!*flag)
        MPI_Win_sync(win);
    seen = memory[1];
}

static INLINE void poll_value(volatile long *flag)
{
    while (*flag != 1) {
        MPI_Win_flush_all(win);
        usleep(1000);
    }
    seen = memory[1];
}

static INLINE void load_once(volatile long *flag)
{
    if (*flag != 1)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static INLINE void load_in_order(volatile long *flag)
{
    while (*flag < 1)
        MPI_Win_sync(win);
}

static void right_found_sync(void)
{
    find(poll_sync);
}

static void right_found_value(void)
{
    find(poll_value);
}

static void wrong_found_once(void)
{
    find(load_once);
}

static void wrong_found_order(void)
{
    find(load_in_order);
}

const struct scene polls[] = {
    RIGHT(polled_reset),
    LOCAL(polled_reset, "MPI_Accumulate", FIRST, "a store", TARGET),
    RIGHT(polled_probe),
    RIGHT(polled_test),
    RIGHT(polled_flush),
    RIGHT(found_sync),
    RIGHT(found_value),
    LOCAL(found_once, "MPI_Accumulate", FIRST, "a load", TARGET),
    LOCAL(found_order, "MPI_Accumulate", FIRST, "a load", TARGET),
    {0},
};
