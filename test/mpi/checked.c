/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What PROA_CHECK tells: pairs of a wrong use and its correct twin, each on a window of its own,
 * whose name begins with "wrong" or "right" (checked.sh). Each rank works on its right neighbour.
 */
#include "check.h"
#include "window.h"
#include "proa_notify.h"

enum { words = 64 };

static long mine[words], theirs[words];
static int right;

/* ---- in an epoch of locks ---- */

static void wrong_put_put(MPI_Win win, MPI_Aint at)
{
    MPI_Put(mine, 2, MPI_LONG, right, at, 2, MPI_LONG, win);
    MPI_Put(mine, 2, MPI_LONG, right, at + 8, 2, MPI_LONG, win);
}

static void right_put_put(MPI_Win win, MPI_Aint at)
{
    MPI_Put(mine, 2, MPI_LONG, right, at, 2, MPI_LONG, win);
    MPI_Win_flush(right, win);
    MPI_Put(mine, 2, MPI_LONG, right, at + 8, 2, MPI_LONG, win);
    MPI_Put(mine, 1, MPI_LONG, right, at + 24, 1, MPI_LONG, win); /* no byte in common */
    MPI_Put(mine, 1, MPI_BYTE, right, at + 32, 1, MPI_BYTE, win);
    MPI_Put(mine, 1, MPI_BYTE, right, at + 33, 1, MPI_BYTE, win); /* other bytes of one word */
}

static void wrong_get_put(MPI_Win win, MPI_Aint at)
{
    MPI_Get(theirs, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

/* Local completion of a get is its completion at the target. */
static void right_get_put(MPI_Win win, MPI_Aint at)
{
    MPI_Get(theirs, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Get(theirs + 1, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Win_flush_local(right, win);
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void wrong_flush_local(MPI_Win win, MPI_Aint at)
{
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Win_flush_local(right, win);
    MPI_Get(theirs, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void right_flush_all(MPI_Win win, MPI_Aint at)
{
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Win_flush_all(win);
    MPI_Get(theirs, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void wrong_request(MPI_Win win, MPI_Aint at)
{
    MPI_Request request;

    MPI_Rput(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void right_request(MPI_Win win, MPI_Aint at)
{
    MPI_Request request;

    MPI_Rget(theirs, 1, MPI_LONG, right, at, 1, MPI_LONG, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void wrong_types(MPI_Win win, MPI_Aint at)
{
    MPI_Accumulate(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, MPI_SUM, win);
    MPI_Accumulate(mine, 1, MPI_DOUBLE, right, at, 1, MPI_DOUBLE, MPI_SUM, win);
}

static void right_types(MPI_Win win, MPI_Aint at)
{
    static const long zero = 0;

    MPI_Accumulate(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, MPI_SUM, win);
    MPI_Accumulate(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, MPI_REPLACE, win);
    MPI_Fetch_and_op(mine, theirs, MPI_LONG, right, at, MPI_SUM, win);
    MPI_Compare_and_swap(mine, &zero, theirs + 1, MPI_LONG, right, at, win);
    MPI_Get_accumulate(NULL, 0, MPI_LONG, theirs + 2, 1, MPI_LONG, right, at, 1, MPI_LONG,
                       MPI_NO_OP, win);
}

static void wrong_accumulate_get(MPI_Win win, MPI_Aint at)
{
    MPI_Fetch_and_op(mine, theirs, MPI_LONG, right, at, MPI_SUM, win);
    MPI_Get(theirs + 1, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void right_no_op_get(MPI_Win win, MPI_Aint at)
{
    MPI_Fetch_and_op(NULL, theirs, MPI_LONG, right, at, MPI_NO_OP, win);
    MPI_Get(theirs + 1, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void wrong_no_op_put(MPI_Win win, MPI_Aint at)
{
    MPI_Get_accumulate(NULL, 0, MPI_LONG, theirs, 1, MPI_LONG, right, at, 1, MPI_LONG, MPI_NO_OP,
                       win);
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void wrong_swap_put(MPI_Win win, MPI_Aint at)
{
    long zero = 0;

    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Compare_and_swap(mine, &zero, theirs, MPI_LONG, right, at, win);
}

/* Every other word, from this address on. */
static void put_comb(MPI_Win win, MPI_Aint at)
{
    MPI_Datatype comb;

    MPI_Type_vector(4, 1, 2, MPI_LONG, &comb);
    MPI_Type_commit(&comb);
    MPI_Put(mine, 4, MPI_LONG, right, at, 1, comb, win);
    MPI_Type_free(&comb);
}

static void wrong_comb(MPI_Win win, MPI_Aint at)
{
    put_comb(win, at);
    MPI_Put(mine, 1, MPI_LONG, right, at + 32, 1, MPI_LONG, win);
}

static void right_comb(MPI_Win win, MPI_Aint at)
{
    put_comb(win, at);
    put_comb(win, at + 8);
}

/* One pair of places, told once. */
static void wrong_loop(MPI_Win win, MPI_Aint at)
{
    for (int i = 0; i < 10; i++)
        MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void right_nothing(MPI_Win win, MPI_Aint at)
{
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Put(mine, 0, MPI_LONG, right, at, 0, MPI_LONG, win);
    MPI_Put(mine, 1, MPI_LONG, MPI_PROC_NULL, at, 1, MPI_LONG, win);
}

static void right_unlock(MPI_Win win, MPI_Aint at)
{
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Win_unlock_all(win);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Win_unlock(right, win);
    MPI_Win_lock_all(0, win);
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

/* More accesses than are kept, and the last two conflict. */
static void wrong_many(MPI_Win win, MPI_Aint at)
{
    static char got[70000];

    for (int i = 0; i < 70000; i++)
        MPI_Get(got + i, 1, MPI_BYTE, right, at + 2 * i, 1, MPI_BYTE, win);
    MPI_Put(mine, 1, MPI_BYTE, right, at + 2 * 69999, 1, MPI_BYTE, win);
}

static void right_notified(MPI_Win win, MPI_Aint at)
{
    PROA_Put_notify(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, 0, win);
    PROA_Win_wait_notify(win, 0, 1);
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

/* ---- between fences, and between start and complete ---- */

static void wrong_fence(MPI_Win win, MPI_Aint at)
{
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Get(theirs, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void right_fence(MPI_Win win, MPI_Aint at)
{
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    MPI_Get(theirs, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

static void wrong_start(MPI_Win win, MPI_Aint at)
{
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
    MPI_Accumulate(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, MPI_SUM, win);
}

static void right_start(MPI_Win win, MPI_Aint at)
{
    MPI_Put(mine, 1, MPI_LONG, right, at, 1, MPI_LONG, win);
}

/* ---- all ---- */

enum epoch { by_lock, by_fence, by_start };

static const struct {
    const char *name;
    void (*body)(MPI_Win win, MPI_Aint at);
    enum epoch epoch;
} cases[] = {
#define CASE(name, epoch)  \
    {                      \
#name, name, epoch \
    }
    CASE(wrong_put_put, by_lock),        CASE(right_put_put, by_lock),
    CASE(wrong_get_put, by_lock),        CASE(right_get_put, by_lock),
    CASE(wrong_flush_local, by_lock),    CASE(right_flush_all, by_lock),
    CASE(wrong_request, by_lock),        CASE(right_request, by_lock),
    CASE(wrong_types, by_lock),          CASE(right_types, by_lock),
    CASE(wrong_accumulate_get, by_lock), CASE(right_no_op_get, by_lock),
    CASE(wrong_no_op_put, by_lock),      CASE(wrong_swap_put, by_lock),
    CASE(wrong_comb, by_lock),           CASE(right_comb, by_lock),
    CASE(wrong_loop, by_lock),           CASE(right_nothing, by_lock),
    CASE(right_unlock, by_lock),         CASE(wrong_many, by_lock),
    CASE(right_notified, by_lock),       CASE(wrong_fence, by_fence),
    CASE(right_fence, by_fence),         CASE(wrong_start, by_start),
    CASE(right_start, by_start),
#undef CASE
};

static void run_started(int which, MPI_Win win, MPI_Aint at)
{
    MPI_Group to = group_of_one(right), from = group_of_one((rank + nranks - 1) % nranks);

    for (int i = 0; i < 2; i++) {
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        cases[which].body(win, at);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

static void run(int which, enum kind kind)
{
    struct area area = open_area(kind, 2 * 70000, 1, MPI_COMM_WORLD);
    MPI_Aint at = disp_at(&area, right, 0);
    char name[64];

    snprintf(name, sizeof name, "%s %s", cases[which].name, kind_names[kind]);
    MPI_Win_set_name(area.win, name);
    if (cases[which].body == right_notified)
        PROA_Win_set_num_notify(area.win, MPI_INFO_NULL, 1);
    if (cases[which].epoch == by_lock) {
        MPI_Win_lock_all(0, area.win);
        cases[which].body(area.win, at);
        MPI_Win_unlock_all(area.win);
    } else if (cases[which].epoch == by_fence) {
        MPI_Win_fence(0, area.win);
        cases[which].body(area.win, at);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, area.win);
    } else {
        run_started(which, area.win, at);
    }
    close_area(&area);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    right = (rank + 1) % nranks;
    for (int which = 0; which < (int)(sizeof cases / sizeof *cases); which++)
        run(which, which % 3 == 0 ? kind_dynamic : which % 3 == 1 ? kind_create : kind_allocate);
    return finish("checked");
}
