/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What check mode tells of usage rules: pairs of a wrong use and its correct twin, each on a window
 * of its own, whose name is that of the case (misuse.sh). With two ranks at least.
 */
#include "check.h"
#include "window.h"

enum { words = 64 };

static long mine[words], theirs[words];
static int right, left;

static void lock_all(MPI_Win win, int begins)
{
    if (begins)
        MPI_Win_lock_all(0, win);
    else
        MPI_Win_unlock_all(win);
}

/* ---- datatypes and buffers ---- */

static void wrong_signature(MPI_Win win)
{
    double number[2] = {0};

    lock_all(win, 1);
    MPI_Put(number, 1, MPI_DOUBLE, right, 0, 1, MPI_LONG, win);
    lock_all(win, 0);
}

static void right_signature(MPI_Win win)
{
    lock_all(win, 1);
    MPI_Put(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Put(mine, 8, MPI_BYTE, right, 8, 1, MPI_LONG, win);
    lock_all(win, 0);
}

static void put_twice(MPI_Win win, int stride)
{
    MPI_Datatype type;

    MPI_Type_create_hvector(2, 1, stride, MPI_LONG, &type);
    MPI_Type_commit(&type);
    lock_all(win, 1);
    MPI_Put(mine, 2, MPI_LONG, right, 0, 1, type, win);
    lock_all(win, 0);
    MPI_Type_free(&type);
}

static void wrong_overlap(MPI_Win win)
{
    put_twice(win, 4);
}

static void right_overlap(MPI_Win win)
{
    put_twice(win, 8);
}

static void wrong_result(MPI_Win win)
{
    lock_all(win, 1);
    MPI_Fetch_and_op(mine, mine, MPI_LONG, right, 0, MPI_SUM, win);
    lock_all(win, 0);
}

static void right_result(MPI_Win win)
{
    lock_all(win, 1);
    MPI_Fetch_and_op(mine, theirs, MPI_LONG, right, 0, MPI_SUM, win);
    MPI_Win_flush(right, win); /* the result's buffer is free again */
    MPI_Fetch_and_op(theirs, theirs, MPI_LONG, right, 8, MPI_NO_OP, win);
    lock_all(win, 0);
}

/* ---- assertions ---- */

static void wrong_noprecede(MPI_Win win)
{
    MPI_Win_fence(0, win);
    MPI_Put(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

/* The get is of another epoch, which is over. */
static void right_noprecede(MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Get(theirs, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(right, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void wrong_fence_asserts(MPI_Win win)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Win_fence(rank ? MPI_MODE_NOSUCCEED : 0, win);
}

/* These are each process's own. */
static void right_fence_asserts(MPI_Win win)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE | (rank ? MPI_MODE_NOPUT : 0), win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | (rank ? 0 : MPI_MODE_NOSTORE), win);
}

/* The target posts after the start. */
static void start_before(MPI_Win win, int assert)
{
    MPI_Group to = group_of_one(right), from = group_of_one(left);

    if (!assert)
        MPI_Win_post(from, 0, win);
    MPI_Win_start(to, assert, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (assert)
        MPI_Win_post(from, MPI_MODE_NOCHECK, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

static void wrong_nocheck_start(MPI_Win win)
{
    if (nranks > 1)
        start_before(win, MPI_MODE_NOCHECK);
}

static void right_nocheck_start(MPI_Win win)
{
    MPI_Group to = group_of_one(right), from = group_of_one(left);

    MPI_Win_post(from, MPI_MODE_NOCHECK, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(to, MPI_MODE_NOCHECK, win);
    MPI_Put(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    start_before(win, 0);
}

/* Each rank holds the lock of its right neighbour, and the left one takes that of itself. */
static void locks(MPI_Win win, int type, int assert)
{
    MPI_Win_lock(type, right, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (assert)
        MPI_Win_lock(type, rank, assert, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (assert)
        MPI_Win_unlock(rank, win);
    MPI_Win_unlock(right, win);
}

static void wrong_nocheck_lock(MPI_Win win)
{
    locks(win, MPI_LOCK_EXCLUSIVE, MPI_MODE_NOCHECK);
}

static void right_nocheck_lock(MPI_Win win)
{
    locks(win, MPI_LOCK_SHARED, MPI_MODE_NOCHECK);
}

/* ---- groups ---- */

/* Without operations neither start nor complete waits. */
static void wrong_groups(MPI_Win win)
{
    MPI_Group to = group_of_one(right);

    MPI_Win_start(to, 0, win);
    MPI_Win_complete(win);
    MPI_Group_free(&to);
}

static void right_groups(MPI_Win win)
{
    MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_wait(win);
    MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
    MPI_Win_complete(win);
}

/* ---- what is served, and errors ---- */

static void wrong_served(MPI_Win win)
{
    MPI_Request request;

    MPI_Win_fence(0, win);
    MPI_Rput(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
}

static void wrong_error(MPI_Win win)
{
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Put(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
}

/* ---- all ---- */

static const struct {
    const char *name;
    void (*body)(MPI_Win win);
} cases[] = {
#define CASE(name)  \
    {               \
#name, name \
    }
    CASE(wrong_signature),     CASE(right_signature),     CASE(wrong_overlap),
    CASE(right_overlap),       CASE(wrong_result),        CASE(right_result),
    CASE(wrong_noprecede),     CASE(right_noprecede),     CASE(wrong_fence_asserts),
    CASE(right_fence_asserts), CASE(wrong_nocheck_start), CASE(right_nocheck_start),
    CASE(wrong_nocheck_lock),  CASE(right_nocheck_lock),  CASE(wrong_groups),
    CASE(right_groups),        CASE(wrong_served),        CASE(wrong_error),
#undef CASE
};

static void create(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Win win;
    void *base;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    MPI_Win_allocate(words * (MPI_Aint)sizeof(long), 8, info, MPI_COMM_WORLD, &base, &win);
    MPI_Win_free(&win);
    MPI_Info_free(&info);
}

/* Memory that goes before its window; and a window that is left. */
static void lose(void)
{
    MPI_Win win;
    void *base;

    MPI_Alloc_mem(words * sizeof(long), MPI_INFO_NULL, &base);
    MPI_Win_create(base, words * sizeof(long), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Free_mem(base);
    MPI_Win_free(&win);
    MPI_Win_create(mine, sizeof mine, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "wrong_leak");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    right = (rank + 1) % nranks;
    left = (rank + nranks - 1) % nranks;
    for (size_t which = 0; which < sizeof cases / sizeof *cases; which++) {
        struct area area = open_area(kind_allocate, sizeof mine, 1, MPI_COMM_WORLD);

        MPI_Win_set_name(area.win, cases[which].name);
        cases[which].body(area.win);
        close_area(&area);
    }
    create("accumulate_ops", rank ? "same_op" : "same_op_no_op");
    create("accumulate_ops", "same_op");
    lose();
    return finish("misuse");
}
