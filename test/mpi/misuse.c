/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What check mode tells of usage rules: pairs of a wrong use and its correct twin, each on a window
 * of its own, whose name is that of the case (misuse.sh). With two ranks at least.
 */
#include "check.h"
#include "window.h"

#include <sys/mman.h>

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

/* An int and a double, in this order or in the other one. */
static MPI_Datatype number_pair(int int_first)
{
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {0, 8};
    const MPI_Datatype types[] = {int_first ? MPI_INT : MPI_DOUBLE,
                                  int_first ? MPI_DOUBLE : MPI_INT};
    MPI_Datatype type;

    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    return type;
}

static void put_pair(MPI_Win win, int count, int int_first)
{
    MPI_Datatype here = number_pair(1), there = number_pair(int_first), rows;

    MPI_Type_create_resized(there, 0, 16, &there);
    MPI_Type_contiguous(count, there, &rows);
    MPI_Type_commit(&rows);
    MPI_Type_create_resized(here, 0, 16, &here);
    MPI_Type_commit(&here);
    lock_all(win, 1);
    MPI_Put(mine, count, here, right, 0, 1, rows, win);
    lock_all(win, 0);
    MPI_Type_free(&here);
    MPI_Type_free(&there);
    MPI_Type_free(&rows);
}

static void wrong_struct(MPI_Win win)
{
    put_pair(win, 3, 0);
}

static void right_struct(MPI_Win win)
{
    put_pair(win, 3, 1);
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

static void add_twice(MPI_Win win, int stride, MPI_Op op)
{
    MPI_Datatype type;

    MPI_Type_create_hvector(2, 1, stride, MPI_LONG, &type);
    MPI_Type_commit(&type);
    lock_all(win, 1);
    MPI_Get_accumulate(mine, 2, MPI_LONG, theirs, 2, MPI_LONG, right, 0, 1, type, op, win);
    lock_all(win, 0);
    MPI_Type_free(&type);
}

static void wrong_overlap_sum(MPI_Win win)
{
    add_twice(win, 0, MPI_SUM);
}

/* Nothing is written. */
static void right_overlap_sum(MPI_Win win)
{
    add_twice(win, 8, MPI_SUM);
    add_twice(win, 0, MPI_NO_OP);
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

/* Rank 0 takes its lock while the others have all. */
static void beside_all(MPI_Win win, int type)
{
    if (rank > 0)
        MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_lock(type, 0, MPI_MODE_NOCHECK, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Win_unlock_all(win);
}

static void wrong_nocheck_beside_all(MPI_Win win)
{
    beside_all(win, MPI_LOCK_EXCLUSIVE);
}

static void right_nocheck_beside_all(MPI_Win win)
{
    beside_all(win, MPI_LOCK_SHARED);
}

/* Posts and starts with these assertions, and puts. */
static void put_started(MPI_Win win, int posted, int started)
{
    MPI_Group to = group_of_one(right), from = group_of_one(left);

    MPI_Win_post(from, posted, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(to, started, win);
    MPI_Put(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

static void wrong_nocheck_sides(MPI_Win win)
{
    put_started(win, 0, MPI_MODE_NOCHECK);
}

static void right_nocheck_sides(MPI_Win win)
{
    put_started(win, MPI_MODE_NOCHECK, MPI_MODE_NOCHECK);
    put_started(win, 0, 0);
}

static void wrong_noput_post(MPI_Win win)
{
    put_started(win, MPI_MODE_NOPUT, 0);
}

static void wrong_noput(MPI_Win win)
{
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOPUT, win);
    MPI_Put(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
}

/* The puts are of other epochs, and of rank 0 alone to a rank that permits them. */
static void right_noput(MPI_Win win)
{
    MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : 0, win);
    if (rank == 0)
        MPI_Put(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Get(theirs, 1, MPI_LONG, rank == 0 ? rank : 0, 8, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    MPI_Put(mine, 1, MPI_LONG, right, 16, 1, MPI_LONG, win);
    MPI_Win_fence(MPI_MODE_NOPUT, win);
    MPI_Win_fence(0, win);
    put_started(win, 0, 0);
}

/* Each rank holds the lock of its right neighbour, and is exposed. */
static void wrong_locked_exposed(MPI_Win win)
{
    MPI_Group from = group_of_one(left), to = group_of_one(right);

    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_post(from, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock(right, win);
    MPI_Win_start(to, 0, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
}

static void right_locked_exposed(MPI_Win win)
{
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Put(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(right, win);
    MPI_Barrier(MPI_COMM_WORLD);
    put_started(win, 0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Win_unlock_all(win);
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

/* ---- requests ---- */

static void request_of_put(MPI_Win win, MPI_Request *request)
{
    MPI_Rput(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win, request);
}

static void wrong_request_free(MPI_Win win)
{
    MPI_Request request;

    lock_all(win, 1);
    request_of_put(win, &request);
    MPI_Request_free(&request);
    lock_all(win, 0);
}

/* Between nodes MPI_Cancel refuses it. */
static void wrong_request_cancel(MPI_Win win)
{
    MPI_Request request;

    lock_all(win, 1);
    MPI_Rget(theirs, 1, MPI_LONG, right, 0, 1, MPI_LONG, win, &request);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Cancel(&request);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    lock_all(win, 0);
}

/* The requests of messages may be freed. */
static void right_requests(MPI_Win win)
{
    MPI_Request requests[3], sent;
    MPI_Status statuses[3];
    int index, flag = 0;

    lock_all(win, 1);
    MPI_Rput(mine, 1, MPI_LONG, right, 0, 1, MPI_LONG, win, &requests[0]);
    MPI_Raccumulate(mine, 1, MPI_LONG, right, 8, 1, MPI_LONG, MPI_SUM, win, &requests[1]);
    MPI_Rget(theirs, 1, MPI_LONG, right, 16, 1, MPI_LONG, win, &requests[2]);
    MPI_Isend(NULL, 0, MPI_LONG, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &sent);
    MPI_Request_free(&sent);
    while (!flag)
        MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    MPI_Waitany(3, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitall(3, requests, statuses);
    lock_all(win, 0);
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
    CASE(wrong_signature),
    CASE(right_signature),
    CASE(wrong_overlap),
    CASE(right_overlap),
    CASE(wrong_result),
    CASE(right_result),
    CASE(wrong_noprecede),
    CASE(right_noprecede),
    CASE(wrong_fence_asserts),
    CASE(right_fence_asserts),
    CASE(wrong_nocheck_start),
    CASE(right_nocheck_start),
    CASE(wrong_nocheck_lock),
    CASE(right_nocheck_lock),
    CASE(wrong_groups),
    CASE(right_groups),
    CASE(wrong_served),
    CASE(wrong_error),
    CASE(wrong_struct),
    CASE(right_struct),
    CASE(wrong_overlap_sum),
    CASE(right_overlap_sum),
    CASE(wrong_nocheck_sides),
    CASE(right_nocheck_sides),
    CASE(wrong_noput_post),
    CASE(wrong_noput),
    CASE(right_noput),
    CASE(wrong_locked_exposed),
    CASE(right_locked_exposed),
    CASE(wrong_request_free),
    CASE(wrong_request_cancel),
    CASE(right_requests),
    CASE(wrong_nocheck_beside_all),
    CASE(right_nocheck_beside_all),
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

/* Values of MPI_Win_set_info, too, must be alike. */
static void inform(const char *name, const char *value)
{
    struct area area = open_area(kind_allocate, sizeof mine, 1, MPI_COMM_WORLD);
    MPI_Info info;

    MPI_Win_set_name(area.win, name);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", value);
    MPI_Win_set_info(area.win, info);
    MPI_Info_free(&info);
    close_area(&area);
}

/* Memory from within that of MPI_Alloc_mem, or attached from there. */
static void lose_part(int is_attached)
{
    char *base;
    MPI_Win win;

    MPI_Alloc_mem(words * sizeof(long), MPI_INFO_NULL, &base);
    if (is_attached) {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_attach(win, base + 64, 64);
    } else {
        MPI_Win_create(base + 64, 64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    MPI_Win_set_name(win, is_attached ? "wrong_attached" : "wrong_part");
    MPI_Free_mem(base);
    MPI_Win_free(&win);
}

/* Pages that are there no longer. */
static void lose_pages(void)
{
    const size_t bytes = 1 << 20;
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MPI_Win win;

    MPI_Win_create(base, (MPI_Aint)bytes, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "wrong_unmapped");
    MPI_Barrier(MPI_COMM_WORLD);
    munmap(base, bytes);
    MPI_Win_free(&win);
}

static __attribute__((noinline)) MPI_Win window_on_stack(const char *name, int frees)
{
    long here[words] = {0};
    MPI_Win win;

    MPI_Win_create(here, sizeof here, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, name);
    if (frees)
        MPI_Win_free(&win);
    return win;
}

/* A request that is left. */
static void lose_request(void)
{
    struct area area = open_area(kind_allocate, sizeof mine, 1, MPI_COMM_WORLD);
    MPI_Request request;

    MPI_Win_set_name(area.win, "wrong_request_leak");
    lock_all(area.win, 1);
    request_of_put(area.win, &request);
    lock_all(area.win, 0);
    close_area(&area);
}

/* Memory that goes before its window; and a window that is left. */
static void lose(void)
{
    MPI_Win win;
    void *base;

    lose_part(0);
    lose_part(1);
    lose_pages();
    win = window_on_stack("wrong_stack", 0);
    MPI_Win_free(&win);
    window_on_stack("right_stack", 1);
    lose_request();

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
    inform("wrong_info", rank ? "true" : "false");
    inform("right_info", "true");
    lose();
    return finish("misuse");
}
