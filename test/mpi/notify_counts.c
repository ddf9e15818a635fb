/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers of notification counters (include/proa_notify.h): others on each rank, a hundred thousand
 * on one, and numbers that change while another window works; and waits for several counters at a
 * time, beside requests of the host's. The same program runs without Proa, by plain MPI.
 */
#include "window.h"

#define PROA_MPI_NAMES
#include <proa_notify.h>

enum { many = 100000 };

static int right, left, is_native;

/* An empty notified put. */
static void notify(const struct area *a, int target, int index)
{
    MPI_Put_notify(NULL, 0, MPI_INT, target, disp_at(a, target, 0), 0, MPI_INT, index, a->win);
}

static MPI_Count value_of(const struct area *a, int index)
{
    MPI_Count value = -1;
    MPI_Win_get_notify_value(a->win, index, &value);
    return value;
}

/* Ends an epoch of all ranks: what they have counted is there. */
static void unlock_together(const struct area *a)
{
    MPI_Win_unlock_all(a->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- numbers ---- */

/* Odd numbers, so that no counter lies where a rank before has one; rank 0 has one, and the last
 * rank the most. Each counter of the right rank is counted up by its index and one more. */
static void check_each(struct area *a)
{
    int number = -1;
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 2 * rank + 1);
    MPI_Win_get_num_notify(a->win, right, &number);
    CHECK(number == 2 * right + 1, "rank %d has %d counters", right, number);
    MPI_Win_lock_all(0, a->win);
    for (int i = 0; i < 2 * right + 1; i++)
        for (int n = 0; n <= i; n++)
            notify(a, right, i);
    unlock_together(a);
    for (int i = 0; i < 2 * rank + 1; i++)
        CHECK(value_of(a, i) == i + 1, "counter %d is %lld", i, (long long)value_of(a, i));
}

static int index_of(int n)
{
    return (int)((int64_t)n * 7919 % many);
}

/* One rank has them all, and all ranks count some of them up. */
static void check_many(struct area *a)
{
    const int owner = nranks - 1, used = 500;
    MPI_Count sum = 0;
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, rank == owner ? many : 0);
    MPI_Win_lock_all(0, a->win);
    for (int n = 0; n < used; n++)
        notify(a, owner, index_of(n));
    notify(a, owner, many - 1);
    unlock_together(a);
    for (int n = 0; rank == owner && n < used; n++)
        CHECK(value_of(a, index_of(n)) == nranks, "counter %d is %lld", index_of(n),
              (long long)value_of(a, index_of(n)));
    for (int i = 0; rank == owner && i < many; i += is_native ? 1 : 97)
        sum += value_of(a, i);
    CHECK(!is_native || sum == (rank == owner ? (MPI_Count)nranks * (used + 1) : 0),
          "all counters together are %lld", (long long)sum);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The other window is in use all the while, and its counters stay. */
static void check_change(struct area *a, struct area *b)
{
    static const int numbers[] = {1, 3, 1000, 0, 40, 2};
    const int rounds = sizeof numbers / sizeof numbers[0];
    MPI_Win_set_num_notify(b->win, MPI_INFO_NULL, 1);
    MPI_Win_lock_all(0, b->win);
    for (int round = 0; round < rounds; round++) {
        const int number = numbers[round];
        int told = -1;
        notify(b, right, 0);
        MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, number);
        MPI_Win_get_num_notify(a->win, right, &told);
        CHECK(told == number, "%d counters, and %d are told", number, told);
        notify(b, right, 0);
        MPI_Win_lock_all(0, a->win);
        for (int i = 0; i < number; i += number / 3 + 1)
            notify(a, right, i);
        unlock_together(a);
        for (int i = 0; i < number; i++)
            CHECK(value_of(a, i) == (i % (number / 3 + 1) == 0), "%d counters: %d is %lld", number,
                  i, (long long)value_of(a, i));
        PROA_Win_wait_notify(b->win, 0, 2 * round + 2);
        MPI_Barrier(MPI_COMM_WORLD); /* before the counters change */
    }
    unlock_together(b);
    CHECK(value_of(b, 0) == 2 * rounds, "the other window counts %lld", (long long)value_of(b, 0));
}

/* A number that one rank must not ask for: all hear of it, and values stay as well. */
static void check_refused(struct area *a)
{
    int error, number;
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 3);
    MPI_Win_lock_all(0, a->win);
    notify(a, right, 2);
    unlock_together(a);
    MPI_Win_set_errhandler(a->win, MPI_ERRORS_RETURN);
    error = MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, rank == nranks - 1 ? -1 : 8);
    CHECK(error_class(error) == MPI_ERR_ARG, "class %d", error_class(error));
    MPI_Win_get_num_notify(a->win, right, &number);
    CHECK(number == 3, "%d counters", number);
    CHECK(value_of(a, 2) == 1, "a refused number changes a counter to %lld",
          (long long)value_of(a, 2));
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- waits ---- */

enum { thresholds = 4 };

/* Two thresholds each of two counters, and a message of the host's. */
static void open_requests(struct area *a, MPI_Request *requests, int *token)
{
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 2);
    for (int i = 0; i < thresholds; i++)
        MPI_Win_notify_ithreshold(a->win, i % 2, i / 2 + 1, &requests[i]);
    MPI_Irecv(token, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[thresholds]);
}

/* Has what request `i` waits for come? */
static void check_came(const struct area *a, int i, int token)
{
    if (i < thresholds)
        CHECK(value_of(a, i % 2) >= i / 2 + 1, "request %d at %lld", i,
              (long long)value_of(a, i % 2));
    else
        CHECK(token == left, "a message of %d", token);
}

static void check_any(struct area *a)
{
    MPI_Request requests[thresholds + 1], sent;
    int token = -1, index = -1, seen = 0;
    open_requests(a, requests, &token);
    MPI_Win_lock_all(0, a->win);
    for (int i = 0; i <= thresholds; i++) {
        if (i < thresholds)
            notify(a, right, i % 2);
        else
            MPI_Isend(&rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &sent);
        MPI_Waitany(thresholds + 1, requests, &index, MPI_STATUS_IGNORE);
        CHECK(index >= 0 && index <= thresholds && !(seen & 1 << index), "index %d", index);
        seen |= 1 << index;
        check_came(a, index, token);
    }
    CHECK(seen == (1 << (thresholds + 1)) - 1, "requests %x", (unsigned)seen);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    unlock_together(a);
}

static void check_some(struct area *a)
{
    MPI_Request requests[thresholds + 1], sent;
    MPI_Status statuses[thresholds + 1];
    int token = -1, indices[thresholds + 1], n = 0, all = 0;
    open_requests(a, requests, &token);
    MPI_Testsome(thresholds + 1, requests, &n, indices, statuses);
    CHECK(n == 0, "%d are complete too early", n);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, a->win);
    MPI_Isend(&rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &sent);
    for (int i = 0; i < thresholds; i++)
        notify(a, right, i % 2);
    while (all <= thresholds) {
        MPI_Testsome(thresholds + 1, requests, &n, indices, statuses);
        for (int i = 0; i < n; i++)
            check_came(a, indices[i], token);
        all += n;
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    unlock_together(a);
}

/* Each call of the families of MPI_Wait and MPI_Test once, for a threshold and a message. The calls
 * that test are made until both are complete. */
static int wait_for_both(int call, MPI_Request *requests)
{
    MPI_Status statuses[2];
    int flag = 0, n = 0, index, indices[2];
    switch (call) {
    case 0:
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        return MPI_Wait(&requests[1], MPI_STATUS_IGNORE) == MPI_SUCCESS;
    case 1:
        return MPI_Waitall(2, requests, statuses) == MPI_SUCCESS;
    case 2:
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        return requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL;
    case 3:
        MPI_Waitsome(2, requests, &n, indices, statuses);
        return requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL;
    case 4:
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
        return requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL;
    case 5:
        MPI_Testall(2, requests, &flag, statuses);
        return flag;
    case 6:
        MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
        return requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL;
    case 7:
        MPI_Testsome(2, requests, &n, indices, statuses);
        return requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL;
    default:
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
        return flag && MPI_Waitall(2, requests, statuses) == MPI_SUCCESS;
    }
}

static void check_family(struct area *a)
{
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 1);
    MPI_Win_lock_all(0, a->win);
    for (int call = 0; call <= 8; call++) {
        MPI_Request requests[2], sent;
        int token = -1;
        MPI_Win_notify_ithreshold(a->win, 0, call + 1, &requests[0]);
        MPI_Irecv(&token, 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&rank, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &sent);
        notify(a, right, 0);
        while (!wait_for_both(call, requests))
            continue;
        CHECK(value_of(a, 0) >= call + 1 && token == left, "call %d: %lld, a message of %d", call,
              (long long)value_of(a, 0), token);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    }
    unlock_together(a);
}

/* Thresholds that are opened while their counter comes to them, two of either counter. */
static void check_raced(struct area *a)
{
    enum { rounds = 100 };
    MPI_Request requests[thresholds];
    MPI_Status statuses[thresholds];
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 2);
    MPI_Win_lock_all(0, a->win);
    for (int n = 1; n <= rounds; n++) {
        for (int i = 0; i < thresholds; i++) {
            if (i < 2)
                notify(a, right, i);
            MPI_Win_notify_ithreshold(a->win, i % 2, n, &requests[i]);
        }
        MPI_Waitall(thresholds, requests, statuses);
        CHECK(value_of(a, 0) >= n && value_of(a, 1) >= n, "round %d: %lld, %lld", n,
              (long long)value_of(a, 0), (long long)value_of(a, 1));
    }
    unlock_together(a);
}

/* A counter that comes to a threshold ends none of the other counter's. */
static void check_apart(struct area *a)
{
    MPI_Request requests[2];
    int flag;
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 2);
    for (int i = 0; i < 2; i++)
        MPI_Win_notify_ithreshold(a->win, i, 1, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, a->win);
    notify(a, right, 0);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 100; i++) {
        MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
        CHECK(!flag, "counter 1 is at %lld, and its threshold has come", (long long)value_of(a, 1));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    notify(a, right, 1);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    unlock_together(a);
}

/* The counters that have come are told by their places, and no others. */
static void check_set(struct area *a)
{
    const int indices[] = {4, 0, 2};
    const MPI_Count expected[] = {2, 1, 1};
    int n = -1, which[3] = {-1, -1, -1};
    MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 5);
    PROA_Win_waitsome_notify(a->win, 0, NULL, NULL, &n, NULL);
    CHECK(n == 0, "%d of none", n);
    MPI_Win_lock_all(0, a->win);
    notify(a, right, 4); /* once, of two */
    notify(a, right, 0);
    MPI_Win_flush_all(a->win);
    notify(a, right, 2);
    PROA_Win_wait_notify(a->win, 2, 1);
    PROA_Win_waitsome_notify(a->win, 3, indices, expected, &n, which);
    CHECK(n == 2 && which[0] == 1 && which[1] == 2, "%d: %d, %d", n, which[0], which[1]);
    unlock_together(a);
}

int main(int argc, char *argv[])
{
    start(&argc, &argv);
    right = (rank + 1) % nranks;
    left = (rank + nranks - 1) % nranks;
    struct area a = open_area(kind_allocate, 8, 8, MPI_COMM_WORLD);
    struct area b = open_area(kind_create, 8, 8, MPI_COMM_WORLD);
    is_native = PROA_Notify_is_native(a.win);
    CHECK(!getenv("PROA_EXPECT") || is_native, "not by Proa");
    check_each(&a);
    check_many(&a);
    check_change(&a, &b);
    check_any(&a);
    check_some(&a);
    check_family(&a);
    check_raced(&a);
    check_apart(&a);
    check_set(&a);
    check_refused(&a);
    close_area(&b);
    close_area(&a);
    return finish("notify_counts");
}
