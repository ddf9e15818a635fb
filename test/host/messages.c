/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads of rank 0 wait in calls of Proa's, which move the host's messages meanwhile: one
 * thread at a time (below.c). */
#include "check.h"

#include "below.h"
#include <pthread.h>
#include <time.h>

enum { threads = 2 };

static MPI_Win win[threads];
static MPI_Group other;

static void *await(void *number)
{
    MPI_Win_post(other, 0, win[*(int *)number]);
    MPI_Win_wait(win[*(int *)number]);
    return NULL;
}

static void await_both(void)
{
    static int number[threads] = {0, 1};
    pthread_t id[threads];
    for (int i = 0; i < threads; i++)
        pthread_create(&id[i], NULL, await, &number[i]);
    for (int i = 0; i < threads; i++)
        pthread_join(id[i], NULL);
    CHECK(below_find()->tests > 0, "no message of the host's was moved");
    CHECK(below_find()->tests_at_once == 0, "%d times two threads tested one request",
          below_find()->tests_at_once);
}

static void complete_late(void)
{
    for (int i = 0; i < threads; i++)
        MPI_Win_start(other, 0, win[i]);
    nanosleep(&(struct timespec){0, 100000000}, NULL);
    for (int i = 0; i < threads; i++)
        MPI_Win_complete(win[i]);
}

int main(int argc, char **argv)
{
    if (!start_threads(&argc, &argv))
        return skip("the host has no MPI_THREAD_MULTIPLE");
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, (int[]){1 - rank}, &other);
    for (int i = 0; i < threads; i++) {
        int *memory;
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win[i]);
    }
    if (rank == 0)
        await_both();
    else
        complete_late();
    for (int i = 0; i < threads; i++)
        MPI_Win_free(&win[i]);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    return finish("messages");
}
