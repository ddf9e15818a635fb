/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that was built for a host of MPI-5.1: it calls notified communication by the names of
 * the draft, without a header of Proa's. Proa exports these names. With the argument "host" the
 * host has them too (notify_future_host.c), and with "left" it also has the windows, as Proa is
 * disabled.
 */
#include "window.h"

int MPI_Win_set_num_notify(MPI_Win win, MPI_Info info, int num);
int MPI_Win_get_notify_value(MPI_Win win, int notification_idx, MPI_Count *value);
int MPI_Win_reset_notify_value(MPI_Win win, int notification_idx, MPI_Count *value);
int MPI_Win_notify_ithreshold(MPI_Win win, int notification_idx, MPI_Count expected,
                              MPI_Request *request);
int MPI_Put_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                   int target_rank, MPI_Aint target_disp, int target_count,
                   MPI_Datatype target_datatype, int notification_idx, MPI_Win win);
int MPI_Rput_notify_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, int notification_idx, MPI_Win win,
                      MPI_Request *request);

/* The function that the loader would bind a program of such a host to: today's host has none to
 * link to. */
#define BOUND(name) ((__typeof__(&(name)))need(dlsym(RTLD_DEFAULT, #name)))

/* How many calls the host was given, by its own function; 0: it has none. */
static int host_calls(void)
{
    int (*calls)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "notify_future_calls");
    return calls ? calls() : 0;
}

static void put_both(const struct area *a, int to)
{
    const int64_t out[2] = {rank + 10, rank + 20};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win_lock_all(0, a->win);
    BOUND(MPI_Put_notify)(out, 1, MPI_INT64_T, to, 0, 1, MPI_INT64_T, 1, a->win);
    BOUND(MPI_Rput_notify_c)(out + 1, 1, MPI_INT64_T, to, 1, 1, MPI_INT64_T, 1, a->win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(a->win);
}

static void check_notified(const struct area *a, int from)
{
    const volatile int64_t *in = a->base;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Count value = -1;
    BOUND(MPI_Win_notify_ithreshold)(a->win, 1, 2, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in[0] == from + 10 && in[1] == from + 20, "%lld, %lld", (long long)in[0],
          (long long)in[1]);
    BOUND(MPI_Win_reset_notify_value)(a->win, 1, &value);
    CHECK(value == 2, "a reset of %lld", (long long)value);
    BOUND(MPI_Win_get_notify_value)(a->win, 1, &value);
    CHECK(value == 0, "%lld after a reset", (long long)value);
}

int main(int argc, char *argv[])
{
    const char *how = argc > 1 ? argv[1] : "";
    const int is_left = strcmp(how, "left") == 0;
    start(&argc, &argv);
    struct area a = open_area(kind_allocate, 16, 8, MPI_COMM_WORLD);
    BOUND(MPI_Win_set_num_notify)(a.win, MPI_INFO_NULL, 2);
    put_both(&a, (rank + 1) % nranks);
    if (!is_left)
        check_notified(&a, (rank + nranks - 1) % nranks);
    MPI_Win_unlock_all(a.win);
    CHECK((dlsym(RTLD_DEFAULT, "notify_future_calls") != NULL) == (*how != 0), "the host, %s", how);
    CHECK(host_calls() == (is_left ? 3 : 0), "%d calls of the host's", host_calls());
    close_area(&a);
    return finish("notify_future");
}
