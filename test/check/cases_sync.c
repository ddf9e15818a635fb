/* SPDX-License-Identifier: BSD-3-Clause */
/* One origin, and synchronization that does not do what it is taken for; request forms. */
#include "cases.h"

static long *const result = buffer + WORDS;

/* The first rank does both in an epoch of lock_all, or of a lock of the target alone. */
static INLINE void in_lock_all(void (*what)(void))
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        what();
    MPI_Win_unlock_all(win);
}

static INLINE void put_there(void)
{
    put(TARGET, 0);
}

static INLINE void get_there(void)
{
    get(TARGET, 0);
}

static INLINE void add_there(void)
{
    add(TARGET, 0);
}

/* ---- flushes ---- */

/* Of another target. */
static INLINE void flush_elsewhere(void)
{
    put_there();
    MPI_Win_flush(SECOND, win);
    put_there();
}

static INLINE void flush_there(void)
{
    put_there();
    MPI_Win_flush(TARGET, win);
    put_there();
}

static INLINE void flush_local_put(void)
{
    put_there();
    MPI_Win_flush_local(TARGET, win);
    put_there();
}

static INLINE void flush_local_all_add(void)
{
    add_there();
    MPI_Win_flush_local_all(win);
    get_there();
}

static INLINE void flush_local_get(void)
{
    get_there();
    MPI_Win_flush_local_all(win);
    put_there();
}

static INLINE void flush_all_add(void)
{
    add_there();
    MPI_Win_flush_all(win);
    get_there();
}

/* It is for the public and private copies of this process's own window. */
static INLINE void sync_only(void)
{
    put_there();
    MPI_Win_sync(win);
    get_there();
}

static void wrong_flush_elsewhere(void)
{
    in_lock_all(flush_elsewhere);
}

static void right_flush_there(void)
{
    in_lock_all(flush_there);
}

static void wrong_flush_local_put(void)
{
    in_lock_all(flush_local_put);
}

static void wrong_flush_local_all(void)
{
    in_lock_all(flush_local_all_add);
}

static void right_flush_local_get(void)
{
    in_lock_all(flush_local_get);
}

static void right_flush_all(void)
{
    in_lock_all(flush_all_add);
}

static void wrong_sync_only(void)
{
    in_lock_all(sync_only);
}

/* ---- request forms ---- */

enum how { WAIT, WAITALL, WAITANY, WAITSOME, TEST, TESTALL, TESTANY, TESTSOME };

static INLINE void finish(enum how how, MPI_Request *request)
{
    MPI_Status status;
    int index, is_over = 0;

    if (how == WAIT)
        MPI_Wait(request, MPI_STATUS_IGNORE);
    else if (how == WAITALL)
        MPI_Waitall(1, request, &status);
    else if (how == WAITANY)
        MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
    else if (how == WAITSOME)
        MPI_Waitsome(1, request, &is_over, &index, &status);
    while (how >= TEST && !is_over)
        if (how == TEST)
            MPI_Test(request, &is_over, MPI_STATUS_IGNORE);
        else if (how == TESTALL)
            MPI_Testall(1, request, &is_over, &status);
        else if (how == TESTANY)
            MPI_Testany(1, request, &index, &is_over, MPI_STATUS_IGNORE);
        else
            MPI_Testsome(1, request, &is_over, &index, &status);
}

static INLINE void rget_then_put(enum how how)
{
    MPI_Request request;

    MPI_Rget(result, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win, &request);
    finish(how, &request);
    put_there();
}

#define RGET_THEN_PUT(name, how)        \
    static INLINE void name(void)       \
    {                                   \
        rget_then_put(how);             \
    }                                   \
    static void right_rget_##name(void) \
    {                                   \
        in_lock_all(name);              \
    }

RGET_THEN_PUT(waitall, WAITALL)
RGET_THEN_PUT(waitany, WAITANY)
RGET_THEN_PUT(waitsome, WAITSOME)
RGET_THEN_PUT(test, TEST)
RGET_THEN_PUT(testall, TESTALL)
RGET_THEN_PUT(testany, TESTANY)
RGET_THEN_PUT(testsome, TESTSOME)

static INLINE void rget_unfinished(void)
{
    MPI_Request request;

    MPI_Rget(result, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win, &request);
    put_there();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static INLINE void rput_twice(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Rput(buffer, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win, &requests[0]);
    MPI_Rput(buffer, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win, &requests[1]);
    MPI_Waitall(2, requests, statuses);
}

static INLINE void raccumulate_get(void)
{
    MPI_Request request;

    MPI_Raccumulate(buffer, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, MPI_SUM, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    get_there();
}

static INLINE void rget_accumulate_get(void)
{
    MPI_Request request;

    MPI_Rget_accumulate(buffer, 1, MPI_LONG, result, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, MPI_SUM,
                        win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Get(result, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win);
}

static void wrong_rget_unfinished(void)
{
    in_lock_all(rget_unfinished);
}

static void wrong_rput_twice(void)
{
    in_lock_all(rput_twice);
}

static void wrong_raccumulate_get(void)
{
    in_lock_all(raccumulate_get);
}

static void right_rget_accumulate_get(void)
{
    in_lock_all(rget_accumulate_get);
}

/* ---- epochs ---- */

static INLINE void start(int epochs)
{
    const int partner = rank == FIRST ? TARGET : FIRST;
    MPI_Group all, group;

    if (rank == SECOND)
        return;
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, 1, &partner, &group);
    for (int i = 0; i < epochs; i++)
        if (rank == TARGET) {
            MPI_Win_post(group, 0, win);
            MPI_Win_wait(win);
        } else {
            MPI_Win_start(group, 0, win);
            for (int j = i; j < 3 - epochs + i; j++)
                if (j == 0)
                    put_there();
                else
                    get_there();
            MPI_Win_complete(win);
        }
    MPI_Group_free(&group);
    MPI_Group_free(&all);
}

static void wrong_start(void)
{
    start(1);
}

static void right_start(void)
{
    start(2);
}

/* The unlock is of another target. */
static INLINE void lock_both(int first, int second)
{
    if (rank != FIRST)
        return;
    MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
    MPI_Win_lock(MPI_LOCK_SHARED, SECOND, 0, win);
    put_there();
    MPI_Win_unlock(first, win);
    if (first == TARGET)
        MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
    get_there();
    if (first == TARGET)
        MPI_Win_unlock(TARGET, win);
    MPI_Win_unlock(second, win);
}

static void wrong_unlock_other(void)
{
    lock_both(SECOND, TARGET);
}

static void right_unlock_this(void)
{
    lock_both(TARGET, SECOND);
}

/* A fence of another window ends nothing here. */
static INLINE void other_fence(int is_wrong)
{
    MPI_Win other;
    long word;

    MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put_there();
    MPI_Win_fence(0, is_wrong ? other : win);
    if (rank == FIRST)
        get_there();
    MPI_Win_fence(0, win);
    MPI_Win_free(&other);
}

static void wrong_fence_of_other(void)
{
    other_fence(1);
}

static void right_fence_of_this(void)
{
    other_fence(0);
}

/* An exclusive lock keeps others out, and not this one's own operations apart. */
static INLINE void exclusive(int is_wrong)
{
    if (rank != FIRST)
        return;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
    put_there();
    if (!is_wrong)
        MPI_Win_flush(TARGET, win);
    get_there();
    MPI_Win_unlock(TARGET, win);
}

static void wrong_exclusive(void)
{
    exclusive(1);
}

static void right_exclusive(void)
{
    exclusive(0);
}

/* One holds the target exclusively, the other all of them. */
static void right_exclusive_and_all(void)
{
    if (rank == FIRST) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
        put_there();
        MPI_Win_unlock(TARGET, win);
    }
    if (rank == SECOND) {
        MPI_Win_lock_all(0, win);
        put_there();
        MPI_Win_unlock_all(win);
    }
}

const struct scene syncs[] = {
    WRONG(flush_elsewhere, "Put", FIRST, "Put", FIRST),
    RIGHT(flush_there),
    WRONG(flush_local_put, "Put", FIRST, "Put", FIRST),
    WRONG(flush_local_all, "Accumulate", FIRST, "Get", FIRST),
    RIGHT(flush_local_get),
    RIGHT(flush_all),
    WRONG(sync_only, "Put", FIRST, "Get", FIRST),
    RIGHT(rget_waitall),
    RIGHT(rget_waitany),
    RIGHT(rget_waitsome),
    RIGHT(rget_test),
    RIGHT(rget_testall),
    RIGHT(rget_testany),
    RIGHT(rget_testsome),
    WRONG(rget_unfinished, "Rget", FIRST, "Put", FIRST),
    WRONG(rput_twice, "Rput", FIRST, "Rput", FIRST),
    WRONG(raccumulate_get, "Raccumulate", FIRST, "Get", FIRST),
    RIGHT(rget_accumulate_get),
    WRONG(start, "Put", FIRST, "Get", FIRST),
    RIGHT(start),
    WRONG(unlock_other, "Put", FIRST, "Get", FIRST),
    RIGHT(unlock_this),
    WRONG(fence_of_other, "Put", FIRST, "Get", FIRST),
    RIGHT(fence_of_this),
    WRONG(exclusive, "Put", FIRST, "Get", FIRST),
    RIGHT(exclusive),
    RIGHT(exclusive_and_all),
    {0},
};
