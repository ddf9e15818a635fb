/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notified communication (include/proa_notify.h) in windows of every kind: numbers of counters,
 * values, every operation with its payload, requests, thresholds beside the host's own requests,
 * errors, attributes of the draft's info keys. The same program runs without Proa, by plain MPI.
 */
#include "window.h"

#include <limits.h>
#define PROA_MPI_NAMES
#include <proa_notify.h>

enum { words = 4096, rounds = 24 };

static int right, left, is_native;
static const char *kind_name;

static MPI_Count value_of(MPI_Win win, int index)
{
    MPI_Count value = -1;
    int error = MPI_Win_get_notify_value(win, index, &value);
    CHECK(error == MPI_SUCCESS, "%s: get_notify_value: %d", kind_name, error);
    return value;
}

/* ---- the number ---- */

static void check_numbers(struct area *a)
{
    int number = 7;
    MPI_Win_get_num_notify(a->win, right, &number);
    CHECK(number == 0, "%s: %d counters at first", kind_name, number);
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 2 + rank);
    for (int i = 0; i < nranks; i++) {
        MPI_Win_get_num_notify(a->win, i, &number);
        CHECK(number == 2 + i, "%s: rank %d has %d counters", kind_name, i, number);
    }
    for (int i = 0; i < 2 + rank; i++)
        CHECK(value_of(a->win, i) == 0, "%s: counter %d begins with a value", kind_name, i);
    MPI_Barrier(MPI_COMM_WORLD); /* before the first operation of a neighbour */
}

/* ---- operations ---- */

/* Element i of the n-th message. */
static int64_t element(int n, int i)
{
    return (int64_t)n * 100000 + i;
}

static const int counts[] = {1, 0, 7, 300, words / 2};

/* Each message goes to the other half of the window than the one before. */
static void check_put(struct area *a)
{
    static int64_t out[words];
    volatile const int64_t *in = a->base;
    MPI_Win_lock_all(0, a->win);
    for (int n = 1; n <= rounds; n++) {
        const int count = counts[n % 5], half = n % 2 * (words / 2);
        for (int i = 0; i < count; i++)
            out[i] = element(n, i);
        MPI_Put_notify(out, count, MPI_INT64_T, right, disp_at(a, right, half), count, MPI_INT64_T,
                       1, a->win);
        PROA_Win_wait_notify(a->win, 1, n);
        for (int i = 0; i < count; i++)
            CHECK(in[half + i] == element(n, i), "%s: put %d of %d: element %d is %lld", kind_name,
                  n, count, i, (long long)in[half + i]);
        MPI_Win_flush_local(right, a->win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(a->win);
    CHECK(value_of(a->win, 0) == 0, "%s: a counter beside counts", kind_name);
}

static void check_others(struct area *a)
{
    int64_t out = 3, got = -1, result = -1;
    const MPI_Aint at = disp_at(a, right, 0);
    int64_t *in = a->base;
    MPI_Count before;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a->win);
    in[0] = 5;
    MPI_Win_unlock(rank, a->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_reset_notify_value(a->win, 1, &before);
    CHECK(before == rounds, "%s: the reset gives %lld", kind_name, (long long)before);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
    MPI_Accumulate_notify(&out, 1, MPI_INT64_T, right, at, 1, MPI_INT64_T, MPI_SUM, 1, a->win);
    MPI_Get_accumulate_notify(&out, 1, MPI_INT64_T, &result, 1, MPI_INT64_T, right, at, 1,
                              MPI_INT64_T, MPI_SUM, 1, a->win);
    MPI_Win_flush(right, a->win);
    CHECK(result == 8, "%s: get_accumulate got %lld", kind_name, (long long)result);
    MPI_Get_notify(&got, 1, MPI_INT64_T, right, at, 1, MPI_INT64_T, 0, a->win);
    MPI_Win_unlock(right, a->win);
    CHECK(got == 11, "%s: get got %lld", kind_name, (long long)got);
    PROA_Win_wait_notify(a->win, 0, 1);
    PROA_Win_wait_notify(a->win, 1, 2);
    CHECK(value_of(a->win, 1) == 2, "%s: two operations, and %lld", kind_name,
          (long long)value_of(a->win, 1));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The counter tells the target that its memory has been read: it changes that at once. A flush
 * includes the counter. */
static void check_get(struct area *a)
{
    static int64_t got[words];
    const MPI_Aint at = disp_at(a, right, 0);
    MPI_Count before;
    for (int i = 0; i < 2; i++)
        MPI_Win_reset_notify_value(a->win, i, &before);
    for (int n = 1; n <= 4; n++) {
        const int count = counts[n];
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a->win);
        for (int i = 0; i < count; i++)
            ((int64_t *)a->base)[i] = element(n, i);
        MPI_Win_unlock(rank, a->win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, a->win);
        MPI_Get_notify(got, count, MPI_INT64_T, right, at, count, MPI_INT64_T, 0, a->win);
        PROA_Win_wait_notify(a->win, 0, n);
        for (int i = 0; i < count; i++)
            ((volatile int64_t *)a->base)[i] = -1;
        MPI_Win_flush(right, a->win);
        for (int i = 0; i < count; i++)
            CHECK(got[i] == element(n, i), "%s: get of %d: element %d is %lld", kind_name, count, i,
                  (long long)got[i]);
        MPI_Barrier(MPI_COMM_WORLD); /* the stores come before the next get */
        MPI_Get_notify(got, 1, MPI_INT64_T, right, at, 1, MPI_INT64_T, 1, a->win);
        MPI_Win_flush(right, a->win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_reset_notify_value(a->win, 1, &before);
        CHECK(before == 1, "%s: a flush leaves the counter at %lld", kind_name, (long long)before);
        MPI_Win_unlock_all(a->win);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Types that differ, for as many elements: the target's skips a word. */
static void check_types(struct area *a)
{
    const MPI_Aint at = disp_at(a, right, 0), word = sizeof(int64_t);
    const int64_t put = 40 + rank;
    int64_t *in = a->base, got = -1;
    MPI_Datatype second;
    MPI_Count before;
    MPI_Type_create_hindexed_block(1, 1, &word, MPI_INT64_T, &second);
    MPI_Type_commit(&second);
    MPI_Win_reset_notify_value(a->win, 0, &before);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a->win);
    in[0] = in[1] = -2;
    MPI_Win_unlock(rank, a->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
    MPI_Put_notify(&put, 1, MPI_INT64_T, right, at, 1, second, 0, a->win);
    MPI_Win_flush(right, a->win);
    MPI_Get_notify(&got, 1, MPI_INT64_T, right, at, 1, second, 0, a->win);
    MPI_Win_unlock(right, a->win);
    PROA_Win_wait_notify(a->win, 0, 2);
    CHECK(got == put, "%s: get of the second word got %lld", kind_name, (long long)got);
    CHECK(in[0] == -2 && in[1] == 40 + left, "%s: put to the second word left %lld, %lld",
          kind_name, (long long)in[0], (long long)in[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Type_free(&second);
}

static void check_requests(struct area *a)
{
    static int64_t out[words], got[words];
    int64_t result = -1;
    MPI_Request requests[4];
    MPI_Status statuses[2];
    MPI_Count before;
    const MPI_Aint at = disp_at(a, right, 0);
    MPI_Win_reset_notify_value(a->win, 0, &before);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, a->win);
    for (int i = 0; i < words; i++)
        out[i] = rank;
    MPI_Rput_notify(out, words, MPI_INT64_T, right, at, words, MPI_INT64_T, 0, a->win, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    PROA_Win_wait_notify(a->win, 0, 1);
    CHECK(((int64_t *)a->base)[words - 1] == left, "%s: rput", kind_name);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rget_notify(got, words, MPI_INT64_T, right, at, words, MPI_INT64_T, 0, a->win, requests);
    MPI_Raccumulate_notify(out, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, MPI_SUM, 0,
                           a->win, requests + 1);
    MPI_Waitall(2, requests, statuses);
    CHECK(got[0] == rank && got[words - 1] == rank, "%s: rget", kind_name);
    PROA_Win_wait_notify(a->win, 0, 2);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Raccumulate_notify(out, 1, MPI_INT64_T, right, at, 1, MPI_INT64_T, MPI_SUM, 0, a->win,
                           requests);
    MPI_Rget_accumulate_notify(NULL, 0, MPI_INT64_T, &result, 1, MPI_INT64_T, right, at, 1,
                               MPI_INT64_T, MPI_NO_OP, 0, a->win, requests + 1);
    MPI_Waitall(2, requests, statuses);
    MPI_Win_unlock_all(a->win);
    PROA_Win_wait_notify(a->win, 0, 4);
    CHECK(value_of(a->win, 0) == 4, "%s: requests counted %lld", kind_name,
          (long long)value_of(a->win, 0));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The forms with counts of MPI_Count, which go beyond a host of MPI-3. Without Proa such a host
 * cannot be told a count that is no int. */
static void check_large(struct area *a)
{
    const MPI_Count one = 1, many = (MPI_Count)INT_MAX + 1;
    const MPI_Aint at = disp_at(a, right, 0), next = disp_at(a, right, 1);
    int64_t out = 3, put = 20 + rank, results[2] = {-1, -1}, got[2] = {-1, -1};
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Count before;
    MPI_Win_reset_notify_value(a->win, 0, &before);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
    MPI_Put_notify_c(&put, one, MPI_INT64_T, right, at, one, MPI_INT64_T, 0, a->win);
    MPI_Win_flush(right, a->win);
    MPI_Accumulate_notify_c(&out, one, MPI_INT64_T, right, at, one, MPI_INT64_T, MPI_SUM, 0,
                            a->win);
    MPI_Get_accumulate_notify_c(&out, one, MPI_INT64_T, &results[0], one, MPI_INT64_T, right, at,
                                one, MPI_INT64_T, MPI_SUM, 0, a->win);
    MPI_Win_flush(right, a->win);
    MPI_Get_notify_c(&got[0], one, MPI_INT64_T, right, at, one, MPI_INT64_T, 0, a->win);
    MPI_Rput_notify_c(&put, one, MPI_INT64_T, right, next, one, MPI_INT64_T, 0, a->win,
                      &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Win_flush(right, a->win);
    MPI_Raccumulate_notify_c(&out, one, MPI_INT64_T, right, next, one, MPI_INT64_T, MPI_SUM, 0,
                             a->win, &requests[0]);
    MPI_Rget_accumulate_notify_c(&out, one, MPI_INT64_T, &results[1], one, MPI_INT64_T, right, next,
                                 one, MPI_INT64_T, MPI_SUM, 0, a->win, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Win_flush(right, a->win);
    MPI_Rget_notify_c(&got[1], one, MPI_INT64_T, right, next, one, MPI_INT64_T, 0, a->win,
                      &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Win_unlock(right, a->win);
    PROA_Win_wait_notify(a->win, 0, 8);
    CHECK(results[0] == put + 3 && got[0] == put + 6, "%s: by large counts: %lld, %lld", kind_name,
          (long long)results[0], (long long)got[0]);
    CHECK(results[1] >= put && results[1] <= put + 3 && got[1] == put + 6,
          "%s: by large counts and requests: %lld, %lld", kind_name, (long long)results[1],
          (long long)got[1]);
    if (MPI_VERSION < 4 && !is_native) {
        int error, class;
        MPI_Win_set_errhandler(a->win, MPI_ERRORS_RETURN);
        error = MPI_Put_notify_c(NULL, many, MPI_BYTE, right, at, many, MPI_BYTE, 0, a->win);
        MPI_Error_class(error, &class);
        CHECK(class == MPI_ERR_COUNT, "%s: too large a count gives class %d", kind_name, class);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- waits ---- */

/* Several thresholds for one counter, among requests of the host's. */
static void check_thresholds(struct area *a)
{
    MPI_Request requests[5];
    MPI_Status statuses[5];
    MPI_Count before;
    int flag = 1, sent = rank, token = -1, index = -1;
    MPI_Win_reset_notify_value(a->win, 0, &before);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_notify_ithreshold(a->win, 0, 0, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        MPI_Win_notify_ithreshold(a->win, 0, i + 1, &requests[i]);
    MPI_Irecv(&token, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(&sent, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[4]);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag, "%s: a threshold is complete too early", kind_name);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, a->win);
    MPI_Put_notify(NULL, 0, MPI_INT, right, disp_at(a, right, 0), 0, MPI_INT, 0, a->win);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK(value_of(a->win, 0) >= 1, "%s: a threshold came without its counter", kind_name);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE);
    CHECK(!flag, "%s: the second threshold is complete too early", kind_name);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        MPI_Put_notify(NULL, 0, MPI_INT, right, disp_at(a, right, 0), 0, MPI_INT, 0, a->win);
    MPI_Waitall(5, requests, statuses);
    CHECK(token == left && value_of(a->win, 0) == 3, "%s: thresholds among messages", kind_name);
    MPI_Win_notify_ithreshold(a->win, 0, 3, &requests[0]);
    requests[1] = MPI_REQUEST_NULL;
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    CHECK(index == 0, "%s: a threshold that has come", kind_name);
    MPI_Win_unlock_all(a->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_some(struct area *a)
{
    const int indices[] = {1, 0};
    const MPI_Count none[] = {1, 1};
    int n = 0, which[2] = {-1, -1};
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 2);
    MPI_Win_lock_all(0, a->win);
    MPI_Put_notify(NULL, 0, MPI_INT, right, disp_at(a, right, 0), 0, MPI_INT, 0, a->win);
    PROA_Win_waitsome_notify(a->win, 2, indices, none, &n, which);
    CHECK(n == 1 && which[0] == 1, "%s: waitsome gives %d, first %d", kind_name, n, which[0]);
    MPI_Win_unlock_all(a->win);
    uint64_t *counter = NULL;
    PROA_Win_get_notify_address(a->win, 0, (void *)&counter);
    CHECK(counter && __atomic_load_n(counter, __ATOMIC_ACQUIRE) == 1, "%s: by its address",
          kind_name);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- errors ---- */

static void check_errors(struct area *a)
{
    int64_t out = 77;
    const MPI_Aint at = disp_at(a, right, 0);
    MPI_Count value;
    int error, class, expected, number;
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 2);
    MPI_Win_set_errhandler(a->win, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, a->win);
    *(int64_t *)a->base = 1;
    MPI_Win_unlock(rank, a->win);
    MPI_Barrier(MPI_COMM_WORLD);
    expected = MPI_ERR_RMA_NOTIFICATION;
    if (!is_native) /* Open MPI 4 says that it does not know a class that was added */
        MPI_Error_class(expected, &expected);
    MPI_Win_lock_all(0, a->win);
    for (int index = -1; index <= 2; index += 3) {
        error = MPI_Put_notify(&out, 1, MPI_INT64_T, right, at, 1, MPI_INT64_T, index, a->win);
        MPI_Error_class(error, &class);
        CHECK(class == expected, "%s: index %d gives class %d", kind_name, index, class);
        error = MPI_Win_get_notify_value(a->win, index, &value);
        MPI_Error_class(error, &class);
        CHECK(class == expected, "%s: index %d gives class %d", kind_name, index, class);
    }
    MPI_Put_notify(&out, 1, MPI_INT64_T, MPI_PROC_NULL, 0, 1, MPI_INT64_T, 9, a->win);
    MPI_Win_unlock_all(a->win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(*(volatile int64_t *)a->base == 1, "%s: a refused put moved its bytes", kind_name);
    CHECK(value_of(a->win, 0) + value_of(a->win, 1) == 0, "%s: a refused put counted", kind_name);
    error = MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, rank == 0 ? -1 : 1);
    MPI_Error_class(error, &class);
    CHECK(class == MPI_ERR_ARG, "%s: a negative number gives class %d", kind_name, class);
    if (is_native) {
        MPI_Win_lock(MPI_LOCK_SHARED, right, 0, a->win);
        error = MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 1);
        MPI_Win_unlock(right, a->win);
        MPI_Error_class(error, &class);
        CHECK(class == MPI_ERR_RMA_SYNC, "%s: an open epoch gives class %d", kind_name, class);
    }
    MPI_Win_get_num_notify(a->win, right, &number);
    CHECK(number == 2, "%s: a refused number counts: %d", kind_name, number);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_attributes(MPI_Win win, int most)
{
    int *num_sb = NULL, *num_ub = NULL, flags[3] = {0, 0, 0};
    MPI_Count *value_ub = NULL;
    MPI_Win_get_attr(win, MPI_WIN_NOTIFICATION_NUM_SB, &num_sb, &flags[0]);
    MPI_Win_get_attr(win, MPI_WIN_NOTIFICATION_NUM_UB, &num_ub, &flags[1]);
    MPI_Win_get_attr(win, MPI_WIN_NOTIFICATION_VALUE_UB, &value_ub, &flags[2]);
    CHECK(flags[0] && flags[1] && flags[2], "attributes: %d %d %d", flags[0], flags[1], flags[2]);
    CHECK(flags[0] && *num_sb == most, "NUM_SB is %d", *num_sb);
    CHECK(flags[1] && *num_ub == most, "NUM_UB is %d", *num_ub);
    CHECK(flags[2] && *value_ub == INT64_MAX, "VALUE_UB is %lld", (long long)*value_ub);
}

/* The asserted most is a limit, and set_info cannot invent one. */
static void check_limit(void)
{
    MPI_Info info, told;
    MPI_Win win;
    char text[32] = "";
    void *base;
    int error, class, number = -1;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_max_num_notify", "3");
    MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    check_attributes(win, 3);
    MPI_Info_set(info, "mpi_assert_max_num_notify", "9");
    MPI_Win_set_info(win, info);
    MPI_Win_get_info(win, &told);
    CHECK(info_value(told, "mpi_assert_max_num_notify", text, sizeof text) &&
              strcmp(text, "3") == 0,
          "the asserted most is told as '%s'", text);
    error = MPI_Win_set_num_notify(win, MPI_INFO_NULL, 3);
    CHECK(error == MPI_SUCCESS, "as many as asserted: %d", error);
    error = MPI_Win_set_num_notify(win, MPI_INFO_NULL, 4);
    MPI_Error_class(error, &class);
    CHECK(class == MPI_ERR_ARG, "more than asserted gives class %d", class);
    MPI_Win_get_num_notify(win, right, &number);
    CHECK(number == 3, "more than asserted leaves %d counters", number);
    MPI_Info_free(&told);
    MPI_Info_free(&info);
    MPI_Win_free(&win);
}

/* 0 asserts nothing, and no window can be given a limit later. */
static void check_no_limit(void)
{
    MPI_Info info;
    MPI_Win win;
    void *base;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_max_num_notify", "0");
    MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &base, &win);
    MPI_Info_set(info, "mpi_assert_max_num_notify", "2");
    MPI_Win_set_info(win, info);
    check_attributes(win, INT_MAX);
    CHECK(MPI_Win_set_num_notify(win, MPI_INFO_NULL, 5) == MPI_SUCCESS, "a limit was invented");
    MPI_Info_free(&info);
    MPI_Win_free(&win);
}

int main(int argc, char *argv[])
{
    start(&argc, &argv);
    right = (rank + 1) % nranks;
    left = (rank + nranks - 1) % nranks;
    for (int kind = 0; kind < nkinds; kind++) {
        if (!host_makes((enum kind)kind, MPI_COMM_WORLD) && !getenv("PROA_EXPECT"))
            continue;
        struct area a = open_area((enum kind)kind, words * 8, 8, MPI_COMM_WORLD);
        kind_name = kind_names[kind];
        is_native = PROA_Notify_is_native(a.win);
        CHECK(!getenv("PROA_EXPECT") || is_native, "%s: not by Proa", kind_name);
        check_numbers(&a);
        check_attributes(a.win, INT_MAX);
        check_put(&a);
        check_others(&a);
        check_get(&a);
        check_types(&a);
        check_requests(&a);
        check_large(&a);
        check_thresholds(&a);
        check_some(&a);
        check_errors(&a);
        close_area(&a);
    }
    if (is_native) {
        check_limit();
        check_no_limit();
    }
    return finish("notify");
}
