/* SPDX-License-Identifier: BSD-3-Clause */
/* See exchange.h. Window creation is collective over comm, so these calls cannot meet others of the
 * user's on it. */
#include "job/exchange.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/wait.h"
#include "job/presence.h"
#include "host/pmpi.h"
#include "window/gather.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>

/* ---- a line about a long wait ---- */

enum { PATIENCE_S = 10 };

/* A thread that logs a line if this process waits very long for others: the wait itself may be
 * inside the host. */
struct watchdog {
    pthread_t thread;
    sem_t over;
    int is_there;
};

static void *watch(void *over)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PATIENCE_S;
    if (sem_clockwait(over, CLOCK_MONOTONIC, &until) != 0 && errno == ETIMEDOUT)
        proa_log(PROA_LOG_WARN,
                 "creating a window has waited %d s for the other ranks: does one of them run "
                 "without Proa?",
                 PATIENCE_S);
    return NULL;
}

/* Without a thread to be had there is no line. The program's signals are for its own threads. */
static void watchdog_begin(struct watchdog *dog)
{
    sigset_t all, before;

    sem_init(&dog->over, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    dog->is_there = pthread_create(&dog->thread, NULL, watch, &dog->over) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void watchdog_end(struct watchdog *dog)
{
    sem_post(&dog->over);
    if (dog->is_there)
        pthread_join(dog->thread, NULL);
    sem_destroy(&dog->over);
}

/* ---- the host's collectives ---- */

/* A host that waits by itself may keep the processor from the very rank that it waits for: in an
 * oversubscribed job MPICH's wait does so for slices of milliseconds. With two ranks the host's own
 * way is quicker. All ranks must take the same way, so it depends only on values that all know. */
enum { HOST_WAITS_UP_TO = 2 };

static int host_waits(MPI_Comm comm)
{
    int size;

    return proa_pmpi()->Comm_size(comm, &size) != MPI_SUCCESS || size <= HOST_WAITS_UP_TO;
}

/* A collective call in progress. */
struct under_way {
    MPI_Request request;
    int error;
};

static int has_ended(void *arg)
{
    struct under_way *call = arg;
    int done = 0;

    call->error = proa_pmpi()->Test(&call->request, &done, MPI_STATUS_IGNORE);
    return done || call->error != MPI_SUCCESS;
}

static int end_of(struct under_way *call)
{
    if (call->error == MPI_SUCCESS)
        proa_wait(has_ended, call, NULL);
    return call->error;
}

static int host_allgather(const void *mine, void *all, int bytes, MPI_Comm comm)
{
    struct under_way call;

    if (host_waits(comm))
        return proa_pmpi()->Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm);
    call.error =
        proa_pmpi()->Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm, &call.request);
    return end_of(&call);
}

static int host_max(const int *mine, int *value, MPI_Comm comm)
{
    struct under_way call;

    if (host_waits(comm))
        return proa_pmpi()->Allreduce(mine, value, 1, MPI_INT, MPI_MAX, comm);
    call.error = proa_pmpi()->Iallreduce(mine, value, 1, MPI_INT, MPI_MAX, comm, &call.request);
    return end_of(&call);
}

static int host_intersect(const void *mine, void *bits, int bytes, MPI_Comm comm)
{
    struct under_way call;

    call.error =
        proa_pmpi()->Iallreduce(mine, bits, bytes, MPI_BYTE, MPI_BAND, comm, &call.request);
    return end_of(&call);
}

/* ---- for creation ---- */

/* The first call in which the processes meet is one of the next two. A process without Proa that
 * was not known as such never joins it. Returns whether the watchdog is there. */
static int meeting_begin(MPI_Comm comm, struct watchdog *dog)
{
    int watches = !proa_presence_is_sure(comm);

    if (watches)
        watchdog_begin(dog);
    return watches;
}

static void meeting_end(MPI_Comm comm, struct watchdog *dog, int error)
{
    watchdog_end(dog);
    if (error == MPI_SUCCESS)
        proa_presence_answered(comm);
}

static int allgather(void *context, const void *mine, void *all, size_t bytes)
{
    const MPI_Comm *comm = context;
    struct watchdog dog;
    int watches = meeting_begin(*comm, &dog), error;

    error = host_allgather(mine, all, (int)bytes, *comm);
    if (watches)
        meeting_end(*comm, &dog, error);
    return error == MPI_SUCCESS ? PROA_OK
                                : proa_fail(PROA_ERR_OTHER, "the host's MPI_Allgather failed");
}

static int intersect(void *context, void *bits, size_t bytes)
{
    const MPI_Comm *comm = context;
    char mine[PROA_GATHER_BITS_MOST];
    struct watchdog dog;
    int watches = meeting_begin(*comm, &dog), error;

    memcpy(mine, bits, bytes);
    error = host_intersect(mine, bits, (int)bytes, *comm);
    if (watches)
        meeting_end(*comm, &dog, error);
    return error == MPI_SUCCESS ? PROA_OK
                                : proa_fail(PROA_ERR_OTHER, "the host's MPI_Allreduce failed");
}

static int max(void *context, int *value)
{
    const MPI_Comm *comm = context;
    int mine = *value;

    if (host_max(&mine, value, *comm) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_OTHER, "the host's MPI_Allreduce failed");
    return PROA_OK;
}

static int tell(void *context, int rank, char *text, size_t bytes)
{
    const MPI_Comm *comm = context;

    if (proa_pmpi()->Bcast(text, (int)bytes, MPI_CHAR, rank, *comm) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_OTHER, "the host's MPI_Bcast failed");
    return PROA_OK;
}

void proa_exchange_over(MPI_Comm *comm, struct proa_group *group)
{
    proa_pmpi()->Comm_size(*comm, &group->size);
    proa_pmpi()->Comm_rank(*comm, &group->rank);
    group->context = comm;
    group->allgather = allgather;
    group->intersect = intersect;
    group->max = max;
    group->tell = tell;
}
