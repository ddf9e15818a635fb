/* SPDX-License-Identifier: BSD-3-Clause */
/* See exchange.h. Window creation is collective over comm, so these calls cannot be mixed up with
 * other collective calls of the user on it. */
#include "job/exchange.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"
#include "base/system.h"
#include "base/wait.h"
#include "job/presence.h"
#include "host/pmpi.h"
#include "window/gather.h"

#include <string.h>

/* ---- lines about a long wait ---- */

enum { LOOK_S = 1, PATIENCE_S = 10, FIRST_LOOKS = 100 };
#define SECOND 1000000000L

/* A collective call of the host's in progress. */
struct meeting {
    MPI_Comm comm;
    MPI_Request request;
    int error;
    long due_ns; /* time of the next check of the others; 0 if there was none yet */
    int looks;
};

/* Warns of a dead process, which no longer takes part. The host waits for it, perhaps forever. A
 * process that has just ended may have taken part before, so that the call ends without it. */
static int names_dead(const struct meeting *meeting)
{
    static int told; /* 1 + rank of the last warning: a later call would repeat it */
    int before = proa_atomic_load(&told, PROA_RELAXED), rank;
    struct proa_presence_dead dead;

    if (meeting->looks < 2)
        return 0;
    rank = proa_presence_find_dead(meeting->comm, before, &dead);
    if (rank >= 0 && proa_atomic_exchange(&told, 1 + rank, PROA_RELAXED) == before)
        proa_log(PROA_LOG_WARN,
                 "the process of rank %d is gone (process %d on %s), and the others wait for it in "
                 "a call that creates a window: the host MPI may wait for ever",
                 rank, dead.pid, dead.host);
    return rank >= 0 || before;
}

/* Checks the other processes during a long wait. Never ends the wait: the host cannot abort a
 * collective call. */
static int looks_around(void *arg)
{
    struct meeting *meeting = arg;
    long now_ns = proa_system->now_ns();

    if (!meeting->due_ns)
        meeting->due_ns = now_ns + LOOK_S * SECOND;
    if (now_ns < meeting->due_ns)
        return 0;
    meeting->due_ns = now_ns + LOOK_S * SECOND;
    meeting->looks++;
    if (!names_dead(meeting) && meeting->looks == PATIENCE_S / LOOK_S &&
        !proa_presence_is_sure(meeting->comm))
        proa_log(PROA_LOG_WARN,
                 "creating a window has waited %d s for the other ranks: does one of them run "
                 "without Proa?",
                 PATIENCE_S);
    return 0;
}

/* ---- the host's collectives ---- */

static int has_ended(void *arg)
{
    struct meeting *meeting = arg;
    int done = 0;

    meeting->error = proa_pmpi()->Test(&meeting->request, &done, MPI_STATUS_IGNORE);
    return done || meeting->error != MPI_SUCCESS;
}

/* Ranks that arrive at about the same time have met within a few checks. */
static int has_soon_ended(struct meeting *meeting)
{
    for (int looks = 0; looks < FIRST_LOOKS; looks++)
        if (has_ended(meeting))
            return 1;
    return 0;
}

/* A host that waits by itself may keep the processor from the very rank that it waits for. In an
 * oversubscribed job, MPICH's wait does so for slices of milliseconds. error: result of the call
 * that began the meeting. */
static int end_of(struct meeting *meeting, int error)
{
    meeting->error = error;
    if (error == MPI_SUCCESS && !has_soon_ended(meeting))
        proa_wait_unless(has_ended, meeting, NULL, looks_around, meeting);
    if (meeting->error == MPI_SUCCESS && !proa_presence_is_sure(meeting->comm))
        proa_presence_answered(meeting->comm);
    return meeting->error;
}

/* ---- for creation ---- */

static int allgather(void *context, const void *mine, void *all, size_t bytes)
{
    struct meeting meeting = {.comm = *(const MPI_Comm *)context};
    const int n = (int)bytes;

    if (end_of(&meeting, proa_pmpi()->Iallgather(mine, n, MPI_BYTE, all, n, MPI_BYTE, meeting.comm,
                                                 &meeting.request)) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_OTHER, "the host's MPI_Iallgather failed");
    return PROA_OK;
}

static int reduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    struct meeting meeting = {.comm = comm};

    if (end_of(&meeting, proa_pmpi()->Iallreduce(mine, all, count, type, op, comm,
                                                 &meeting.request)) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_OTHER, "the host's MPI_Iallreduce failed");
    return PROA_OK;
}

static int intersect(void *context, void *bits, size_t bytes)
{
    char mine[PROA_GATHER_BITS_MOST];

    memcpy(mine, bits, bytes);
    return reduce(mine, bits, (int)bytes, MPI_BYTE, MPI_BAND, *(const MPI_Comm *)context);
}

static int max(void *context, int *value)
{
    const int mine = *value;

    return reduce(&mine, value, 1, MPI_INT, MPI_MAX, *(const MPI_Comm *)context);
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
