/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notified operations on a target that is stopped (SIGSTOP), by the rank that stops it. On one node
 * they are done all the same, as plain ones are; on another node, and by plain MPI, they are when
 * it goes on. Not one notification is lost.
 */
#include "window.h"

#include <proa_notify.h>
#include <pthread.h>
#include <signal.h>

enum { rounds = 20, size = 3000 }; /* between nodes: batches, and the network's own puts */

static struct area area;
static int64_t out[rounds * size];
static int is_served; /* while it is stopped */

/* Each goes to a place of its own: between nodes they may come in any order. */
static void put(int n, int to)
{
    const int count = n % 2 ? 1 : size;
    out[n * size] = n + 1;
    PROA_Put_notify(out + n * size, count, MPI_INT64_T, to, disp_at(&area, to, n * size), count,
                    MPI_INT64_T, 0, area.win);
}

/* The target is stopped when kill() has been seen to work: /proc says 'T'. */
static void await_stop(pid_t pid)
{
    char path[40], state = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    while (state != 'T') {
        FILE *file = need(fopen(path, "r"));
        CHECK(fscanf(file, "%*d (%*[^)]) %c", &state) == 1, "%s cannot be read", path);
        fclose(file);
        usleep(1000);
    }
}

static void let_go(pid_t pid)
{
    CHECK(kill(pid, SIGCONT) == 0, "it cannot go on");
}

static void *let_go_soon(void *pid)
{
    usleep(200000);
    let_go(*(const pid_t *)pid);
    return NULL;
}

static void stop_target(pid_t pid)
{
    pthread_t thread;
    CHECK(kill(pid, SIGSTOP) == 0, "it cannot be stopped");
    await_stop(pid);
    if (!is_served)
        pthread_create(&thread, NULL, let_go_soon, &pid);
    for (int n = 0; n < rounds; n++)
        put(n, 1);
    MPI_Win_flush(1, area.win); /* on one node it would hang if the target had to help */
    if (is_served)
        let_go(pid);
    else
        pthread_join(thread, NULL);
}

int main(int argc, char *argv[])
{
    MPI_Count value = -1;
    int pid = getpid();
    start(&argc, &argv);
    MPI_Bcast(&pid, 1, MPI_INT, 1, MPI_COMM_WORLD);
    area = open_area(kind_allocate, sizeof out, 8, MPI_COMM_WORLD);
    PROA_Win_set_num_notify(area.win, MPI_INFO_NULL, 1);
    is_served = shares_memory() && PROA_Notify_is_native(area.win);
    MPI_Win_lock_all(0, area.win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        stop_target(pid);
    if (rank == 1)
        PROA_Win_wait_notify(area.win, 0, rounds);
    MPI_Win_unlock_all(area.win);
    MPI_Barrier(MPI_COMM_WORLD);
    PROA_Win_get_notify_value(area.win, 0, &value);
    CHECK(value == (rank == 1 ? rounds : 0), "%lld notifications", (long long)value);
    for (int n = 0; rank == 1 && n < rounds; n++)
        CHECK(((int64_t *)area.base)[n * size] == n + 1, "put %d brings %lld", n,
              (long long)((int64_t *)area.base)[n * size]);
    close_area(&area);
    return finish("notify_stopped");
}
