/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notifications by several threads of every rank to one counter, while its owner resets it: not one
 * is lost or doubled. Each thread has words of its own at the target, whose last values have to be
 * there when all are counted.
 */
#include "window.h"
#include <proa_notify.h>
#include <pthread.h>

enum { threads = 4, most = 1000000 };

static struct area area;
static int right, each; /* notifications of a thread */

static void *notify(void *number)
{
    const int slot = *(const int *)number;
    for (int64_t i = 1; i <= each; i++)
        PROA_Put_notify(&i, 1, MPI_INT64_T, right, disp_at(&area, right, slot), 1, MPI_INT64_T, 0,
                        area.win);
    MPI_Win_flush(right, area.win);
    return NULL;
}

/* Sums up what resets return, until all that the neighbour sends have come. */
static MPI_Count sum_up(MPI_Count all)
{
    MPI_Count sum = 0, value;
    while (sum < all) {
        MPI_Win_sync(area.win);
        if (PROA_Win_reset_notify_value(area.win, 0, &value) != MPI_SUCCESS)
            break;
        sum += value;
    }
    return sum;
}

int main(int argc, char *argv[])
{
    int numbers[threads];
    pthread_t id[threads];
    MPI_Count left_over = 1;
    if (!start_threads(&argc, &argv))
        return skip("the host has no MPI_THREAD_MULTIPLE");
    right = (rank + 1) % nranks;
    area = open_area(kind_allocate, threads * 8, 8, MPI_COMM_WORLD);
    each = most / threads / nranks;
    if (!PROA_Notify_is_native(area.win))
        each /= 1000; /* plain MPI is slow */
    else if (!shares_memory())
        each /= 10;
    PROA_Win_set_num_notify(area.win, MPI_INFO_NULL, 1);
    MPI_Win_lock_all(0, area.win);
    for (int i = 0; i < threads; i++) {
        numbers[i] = i;
        pthread_create(&id[i], NULL, notify, &numbers[i]);
    }
    const MPI_Count sum = sum_up((MPI_Count)threads * each);
    CHECK(sum == (MPI_Count)threads * each, "%lld of %lld notifications", (long long)sum,
          (long long)threads * each);
    for (int i = 0; i < threads; i++) {
        const int64_t last = ((volatile int64_t *)area.base)[i];
        CHECK(last == each, "thread %d: its last word is %lld", i, (long long)last);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    MPI_Win_unlock_all(area.win);
    MPI_Barrier(MPI_COMM_WORLD);
    PROA_Win_get_notify_value(area.win, 0, &left_over);
    CHECK(left_over == 0, "%lld notifications too many", (long long)left_over);
    close_area(&area);
    return finish("notify_threads");
}
