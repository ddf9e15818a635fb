/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong uses of notified communication (draft of MPI-5.1, 12.6): indices, numbers of counters, and
 * epochs. Each rank has two counters but for the row `number`; no wrong call counts them up.
 */
#include "epochs.h"

#define PROA_MPI_NAMES
#include <proa_notify.h>

enum { counters = 2 };

static int value = 4711, got = -77;
static MPI_Request request = MPI_REQUEST_NULL;

static void set_counters(const struct area *a)
{
    RIGHT(MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, counters));
}

static void check_counters(const struct area *a, int expected)
{
    MPI_Count count = -1;
    int number = -1;
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_get_num_notify(a->win, right_of(), &number));
    CHECK(number == counters, "%s: %d counters", kind_names[a->kind], number);
    for (int i = 0; i < counters; i++) {
        RIGHT(MPI_Win_get_notify_value(a->win, i, &count));
        CHECK(count == expected, "%s: counter %d is %lld, not %d", kind_names[a->kind], i,
              (long long)count, expected);
    }
    CHECK(got == -77, "%s: a wrong operation brought %d", kind_names[a->kind], got);
    CHECK(request == MPI_REQUEST_NULL, "%s: a wrong operation gave a request", kind_names[a->kind]);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- every operation, which is wrong ---- */

#define FAR target, disp_at(a, target, 0), 1, MPI_INT
#define NEAR 1, MPI_INT

static void wrong_operations(const struct area *a, int target, int index, int error,
                             const char *about)
{
    WRONG(a, error, about, MPI_Put_notify, (&value, NEAR, FAR, index, a->win));
    WRONG(a, error, about, MPI_Get_notify, (&got, NEAR, FAR, index, a->win));
    WRONG(a, error, about, MPI_Accumulate_notify, (&value, NEAR, FAR, MPI_SUM, index, a->win));
    WRONG(a, error, about, MPI_Get_accumulate_notify,
          (&value, NEAR, &got, NEAR, FAR, MPI_SUM, index, a->win));
    WRONG(a, error, about, MPI_Put_notify_c, (&value, NEAR, FAR, index, a->win));
    WRONG(a, error, about, MPI_Get_notify_c, (&got, NEAR, FAR, index, a->win));
    WRONG(a, error, about, MPI_Accumulate_notify_c, (&value, NEAR, FAR, MPI_SUM, index, a->win));
    WRONG(a, error, about, MPI_Get_accumulate_notify_c,
          (&value, NEAR, &got, NEAR, FAR, MPI_SUM, index, a->win));
}

static void wrong_requests(const struct area *a, int target, int index, int error,
                           const char *about)
{
    WRONG(a, error, about, MPI_Rput_notify, (&value, NEAR, FAR, index, a->win, &request));
    WRONG(a, error, about, MPI_Rget_notify, (&got, NEAR, FAR, index, a->win, &request));
    WRONG(a, error, about, MPI_Raccumulate_notify,
          (&value, NEAR, FAR, MPI_SUM, index, a->win, &request));
    WRONG(a, error, about, MPI_Rget_accumulate_notify,
          (&value, NEAR, &got, NEAR, FAR, MPI_SUM, index, a->win, &request));
    WRONG(a, error, about, MPI_Rput_notify_c, (&value, NEAR, FAR, index, a->win, &request));
    WRONG(a, error, about, MPI_Rget_notify_c, (&got, NEAR, FAR, index, a->win, &request));
    WRONG(a, error, about, MPI_Raccumulate_notify_c,
          (&value, NEAR, FAR, MPI_SUM, index, a->win, &request));
    WRONG(a, error, about, MPI_Rget_accumulate_notify_c,
          (&value, NEAR, &got, NEAR, FAR, MPI_SUM, index, a->win, &request));
}

static void wrong_all(const struct area *a, int target, int index, int error, const char *about)
{
    wrong_operations(a, target, index, error, about);
    wrong_requests(a, target, index, error, about);
}

/* ---- the rows ---- */

/* Of the own counters. */
static void wrong_queries(const struct area *a, int index, const char *about)
{
    const int error = MPI_ERR_RMA_NOTIFICATION;
    MPI_Count count;
    uint64_t *address;
    int n;
    WRONG(a, error, about, MPI_Win_get_notify_value, (a->win, index, &count));
    WRONG(a, error, about, MPI_Win_reset_notify_value, (a->win, index, &count));
    WRONG(a, error, about, MPI_Win_notify_ithreshold, (a->win, index, 0, &request));
    WRONG(a, error, about, PROA_Win_wait_notify, (a->win, index, 0));
    WRONG(a, error, about, PROA_Win_waitsome_notify,
          (a->win, 1, &index, &(MPI_Count){0}, &n, &(int){0}));
    WRONG(a, error, about, PROA_Win_get_notify_address, (a->win, index, &address));
}

static void run_index(struct area *a)
{
    const int error = MPI_ERR_RMA_NOTIFICATION;
    char about[80];
    set_counters(a);
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_lock_all(0, a->win));
    wrong_all(a, right_of(), -1, error, "the notification index -1 is negative");
    wrong_all(a, MPI_PROC_NULL, -1, error, "the notification index -1 is negative");
    snprintf(about, sizeof about, "rank %d has %d notification counters, and none of index %d",
             right_of(), counters, counters);
    wrong_all(a, right_of(), counters, error, about);
    RIGHT(MPI_Win_unlock_all(a->win));
    wrong_queries(a, -1, "the notification index -1 is negative");
    snprintf(about, sizeof about, "rank %d has %d notification counters, and none of index 9", rank,
             counters);
    wrong_queries(a, 9, about);
    check_counters(a, 0);
}

/* All ranks are told of the one that is wrong. */
static void run_number(struct area *a)
{
    const char *about = rank == 0 ? "the number of notification counters, -3, is negative"
                                  : "another rank was given a number of notification counters";
    int n;
    set_counters(a);
    MPI_Barrier(MPI_COMM_WORLD);
    WRONG(a, MPI_ERR_ARG, about, MPI_Win_set_num_notify,
          (a->win, MPI_INFO_NULL, rank == 0 ? -3 : 7));
    WRONG(a, MPI_ERR_RANK, "rank", MPI_Win_get_num_notify, (a->win, nranks, &n));
    WRONG(a, MPI_ERR_COUNT, "the count of counters, -1, is negative", PROA_Win_waitsome_notify,
          (a->win, -1, NULL, NULL, &n, NULL));
    check_counters(a, 0);
}

static void wrong_set(const struct area *a)
{
    WRONG(a, MPI_ERR_RMA_SYNC, "an access epoch is open", MPI_Win_set_num_notify,
          (a->win, MPI_INFO_NULL, 5));
}

/* The own epoch, or another rank's: that all are told of. */
static void run_set(struct area *a)
{
    set_counters(a);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    listen_on_window(a->win, 0);
    CHECK(error_class(MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, 5)) == MPI_ERR_RMA_SYNC,
          "%s: one rank holds a lock", kind_names[a->kind]);
    if (rank == 0)
        RIGHT(MPI_Win_unlock(right_of(), a->win));
    RIGHT(MPI_Win_lock_all(0, a->win));
    wrong_set(a);
    unlock_all_of(a);
    expose_to_left(a);
    start_to_right(a);
    wrong_set(a);
    RIGHT(MPI_Win_complete(a->win));
    end_exposure(a);
    RIGHT(MPI_Win_fence(0, a->win));
    RIGHT(put_word(a, right_of(), 0, &(int){pattern(right_of(), 0)}));
    wrong_set(a);
    RIGHT(MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win));
    check_counters(a, 0);
}

/* In active target epochs. */
static void notify_right(const struct area *a)
{
    const char *about = "notified operations are for passive target epochs";
    if (is_strict()) {
        wrong_all(a, right_of(), 1, sync_error, about);
        return;
    }
    const int target = right_of();
    for (int i = 0; i < counters; i++)
        RIGHT(MPI_Put_notify(&(int){pattern(target, 0)}, NEAR, FAR, i, a->win));
}

static void run_notified(struct area *a)
{
    set_counters(a);
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_fence(0, a->win));
    notify_right(a);
    RIGHT(MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win));
    check_counters(a, is_strict() ? 0 : 1);
    expose_to_left(a);
    start_to_right(a);
    notify_right(a);
    RIGHT(MPI_Win_complete(a->win));
    end_exposure(a);
    check_counters(a, is_strict() ? 0 : 2);
    wrong_all(a, right_of(), 1, sync_error, "no epoch is open");
    check_counters(a, is_strict() ? 0 : 2);
}

/* ---- requests of a window that has been freed ---- */

/* Completes the second of two requests, the other one null, and returns its error. */
static int completed_by(int way, MPI_Request request)
{
    MPI_Request requests[] = {MPI_REQUEST_NULL, request};
    MPI_Status statuses[2];
    int number = -1, indices[2] = {-1, -1}, flag = 1, error;
    switch (way) {
    case 0:
        error = MPI_Wait(&requests[1], &statuses[1]);
        break;
    case 1:
        error = MPI_Test(&requests[1], &flag, &statuses[1]);
        break;
    case 2:
        error = MPI_Waitany(2, requests, &number, &statuses[1]);
        break;
    case 3:
        error = MPI_Testany(2, requests, &number, &flag, &statuses[1]);
        break;
    case 4:
        error = MPI_Waitall(2, requests, statuses);
        break;
    case 5:
        error = MPI_Testall(2, requests, &flag, statuses);
        break;
    case 6:
        error = MPI_Waitsome(2, requests, &number, indices, statuses);
        break;
    default:
        error = MPI_Testsome(2, requests, &number, indices, statuses);
    }
    CHECK(flag && requests[1] == MPI_REQUEST_NULL, "way %d does not complete it", way);
    if (error == MPI_ERR_IN_STATUS)
        error = statuses[way < 6].MPI_ERROR;
    return error;
}

enum { ways = 8 };

/* One that is in vain for each way and kind of error handler, and behind them one that is done. */
static void open_requests(const struct area *a, MPI_Request requests[2 * ways + 1])
{
    RIGHT(MPI_Win_set_num_notify(a->win, MPI_INFO_NULL, counters));
    for (int i = 0; i <= 2 * ways; i++)
        RIGHT(MPI_Win_notify_ithreshold(a->win, 1, i < 2 * ways ? 2 : 1, &requests[i]));
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, a->win));
    RIGHT(MPI_Put_notify(&value, NEAR, rank, disp_at(a, rank, 0), 1, MPI_INT, 1, a->win));
    RIGHT(MPI_Win_unlock(rank, a->win));
}

static void run_threshold(struct area *a)
{
    const char *call = "MPI_Win_notify_ithreshold", *about = "the window has been freed";
    struct area other = open_area(a->kind, words * sizeof(int), sizeof(int), MPI_COMM_WORLD);
    MPI_Request requests[2 * ways + 1];
    set_counters(a);
    open_requests(&other, requests);
    close_area(&other);
    for (int own = 0; own < 2; own++)
        for (int way = 0; way < ways; way++) {
            listen_on_comm(MPI_COMM_WORLD, own);
            check_comm_error(MPI_COMM_WORLD,
                             (struct expected){__LINE__, MPI_ERR_WIN, call, about, own},
                             completed_by(way, requests[way + own * ways]));
        }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    RIGHT(MPI_Wait(&requests[2 * ways], MPI_STATUS_IGNORE));
    check_counters(a, 0);
}

static const struct row rows[] = {
    {"notify_index", run_index, nkinds},
    {"notify_number", run_number, nkinds},
    {"notify_set", run_set, nkinds},
    {"notified", run_notified, nkinds},
    {"notify_threshold", run_threshold, nkinds},
};

int main(int argc, char **argv)
{
    start_listening(&argc, &argv);
    make_groups();
    run_row(argc, argv, rows, sizeof rows / sizeof rows[0]);
    free_groups();
    return finish_listening("error_notify");
}
