/* SPDX-License-Identifier: BSD-3-Clause */
/* A notified operation tells its target that it is complete itself, and nothing of earlier ones. */
#include "cases.h"

#define PROA_MPI_NAMES
#include <proa_notify.h>

static long *const result = buffer + WORDS;

static INLINE void notify(int count)
{
    MPI_Put_notify(buffer, count, MPI_LONG, TARGET, 0, count, MPI_LONG, 0, win);
}

static void begin(void)
{
    MPI_Win_set_num_notify(win, MPI_INFO_NULL, 1);
    MPI_Win_lock_all(0, win);
}

static INLINE void send_result(int is_wrong)
{
    begin();
    if (rank == FIRST) {
        get(TARGET, 0);
        notify(0);
        if (!is_wrong)
            MPI_Win_flush(TARGET, win);
        MPI_Send(result, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(win);
    if (rank == SECOND)
        MPI_Recv(result, 1, MPI_LONG, FIRST, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wrong_notified_result(void)
{
    send_result(1);
}

static void right_notified_result(void)
{
    send_result(0);
}

/* The target puts to the same word once it has been notified. */
static INLINE void put_at_target(void)
{
    if (rank != TARGET)
        return;
    PROA_Win_wait_notify(win, 0, 1);
    put(TARGET, 0);
}

static void wrong_notified_before(void)
{
    begin();
    if (rank == FIRST) {
        put(TARGET, 0);
        notify(0);
    }
    put_at_target();
    MPI_Win_unlock_all(win);
}

static void right_notified_before(void)
{
    begin();
    if (rank == FIRST) {
        put(TARGET, 0);
        MPI_Win_flush(TARGET, win);
        notify(0);
    }
    put_at_target();
    MPI_Win_unlock_all(win);
}

static void right_notified(void)
{
    begin();
    if (rank == FIRST)
        notify(1);
    put_at_target();
    MPI_Win_unlock_all(win);
}

static void right_notified_sent(void)
{
    begin();
    if (rank == FIRST)
        notify(1);
    if (rank == TARGET) {
        PROA_Win_wait_notify(win, 0, 1);
        MPI_Send(memory, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD);
    }
    if (rank == SECOND)
        MPI_Recv(result, 1, MPI_LONG, TARGET, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
}

static void wrong_notified_over(void)
{
    begin();
    if (rank == FIRST) {
        put(TARGET, 0);
        notify(1);
    }
    MPI_Win_unlock_all(win);
}

const struct scene notified[] = {
    WRONG(notified_result, "Get", FIRST, "Send", FIRST),
    RIGHT(notified_result),
    WRONG(notified_before, "Put", FIRST, "Put", TARGET),
    RIGHT(notified_before),
    RIGHT(notified),
    RIGHT(notified_sent),
    WRONG(notified_over, "Put", FIRST, "Put_notify", FIRST),
    {0},
};
