/* SPDX-License-Identifier: BSD-3-Clause */
/* See messages.h. */
#include "check/messages.h"
#include "check/local.h"
#include "check/ordering.h"
#include "check/reuse.h"
#include "host/pmpi.h"
#include "order/clock.h"

#include <pthread.h>
#include <stdlib.h>

/* Facts of a communicator. They are stored in an attribute of it, and freed with it. */
struct members {
    int count, rank;
    int is_inter;
    uint64_t waiting, others; /* collective calls so far */
    int meeting;
    int process[];
};

/* ---- communicators ---- */

static int forget_members(MPI_Comm comm, int keyval, void *members, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    free(members);
    return MPI_SUCCESS;
}

static int keyval = MPI_KEYVAL_INVALID;

static void make_keyval(void)
{
    PROA_PMPI_FIND(Comm_create_keyval)(MPI_COMM_NULL_COPY_FN, forget_members, &keyval, NULL);
}

/* Returns a number that is equal for all members, and different for most other sets. Communicators
 * of all processes have a number of their own. A process may be ahead in a call on such a
 * communicator while members of another one are still in an earlier call. With a shared number
 * those members would learn its clock too early. */
static int meeting_of(const struct members *members)
{
    uint32_t hash = 0;

    if (members->count == proa_board_size())
        return 0;
    for (int i = 0; i < members->count; i++)
        hash = (hash ^ (uint32_t)members->process[i] * 2654435769U) * 16777619U;
    return 1 + (int)(hash >> 16) % (PROA_BOARD_SETS - 1);
}

static struct members *read_members(MPI_Comm comm)
{
    const struct proa_pmpi *mpi = proa_pmpi();
    struct members *members;
    MPI_Group group;
    int size = 0;

    mpi->Comm_size(comm, &size);
    members = calloc(1, sizeof *members + (size_t)size * sizeof members->process[0]);
    if (!members)
        return NULL;
    members->count = size;
    mpi->Comm_rank(comm, &members->rank);
    mpi->Comm_test_inter(comm, &members->is_inter);
    mpi->Comm_group(comm, &group);
    if (proa_ordering_processes(group, size, members->process) < size)
        members->is_inter = 1; /* some are unknown, as in an intercommunicator */
    mpi->Group_free(&group);
    members->meeting = meeting_of(members);
    return members;
}

static struct members *members_of(MPI_Comm comm)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct members *members = NULL;
    int flag = 0;

    if (comm == MPI_COMM_NULL)
        return NULL;
    pthread_once(&once, make_keyval);
    PROA_PMPI_FIND(Comm_get_attr)(comm, keyval, (void *)&members, &flag);
    if (flag)
        return members;
    members = read_members(comm);
    if (members && PROA_PMPI_FIND(Comm_set_attr)(comm, keyval, members) != MPI_SUCCESS) {
        free(members);
        members = NULL;
    }
    return members;
}

/* ---- before and after ---- */

static void tell_world(struct proa_message *message)
{
    for (int i = 0; i < proa_board_size(); i++)
        proa_clock_tell(i, PROA_ROW_TOLD);
    message->hears = 1;
}

static void tell_members(const struct members *members)
{
    for (int i = 0; i < members->count; i++)
        proa_clock_tell(members->process[i], PROA_ROW_TOLD);
}

/* A receiver publishes its clock to the sender as well: a synchronous send returns after the
 * receive. */
static void tell_peer(const struct members *members, int peer)
{
    if (peer == MPI_PROC_NULL)
        return;
    if (peer >= 0 && peer < members->count)
        proa_clock_tell(members->process[peer], PROA_ROW_TOLD);
    else
        tell_members(members);
}

/* If the root is unknown, the clock is published to all. */
static void meet(struct proa_message *message, struct members *members, int root)
{
    const int waits = message->kind == PROA_MESSAGE_MEET;
    const int set = members->meeting + (waits ? PROA_SETS_WAITING : PROA_SETS_OTHER);
    const int meeting = 2 * set + (int)((waits ? members->waiting++ : members->others++) & 1);
    const int is_root = root == members->rank;

    if (root < 0 || root >= members->count)
        message->kind = PROA_MESSAGE_SPREAD;
    if (waits || message->kind == PROA_MESSAGE_SPREAD ||
        (message->kind == PROA_MESSAGE_OUT && is_root))
        proa_clock_tell_meeting(members->process, members->count, meeting);
    else if (message->kind == PROA_MESSAGE_IN && !is_root)
        proa_clock_tell_meeting(&members->process[root], 1, meeting);
    message->meeting = meeting;
}

/* A started request brings no order before a call completes it (proa_message_completed). */
static int is_begun_only(enum proa_message_kind kind)
{
    return kind == PROA_MESSAGE_LATER || kind == PROA_MESSAGE_LATER_TO ||
           kind == PROA_MESSAGE_LATER_FROM;
}

static void tell(struct proa_message *message, struct members *members, int peer)
{
    if (!members || members->is_inter || message->kind == PROA_MESSAGE_WORLD ||
        message->kind == PROA_MESSAGE_SWAP) {
        tell_world(message);
        return;
    }
    switch (message->kind) {
    case PROA_MESSAGE_TO:
    case PROA_MESSAGE_FROM:
    case PROA_MESSAGE_LOOK:
    case PROA_MESSAGE_LATER_TO:
    case PROA_MESSAGE_LATER_FROM:
        tell_peer(members, peer);
        message->hears = !is_begun_only(message->kind);
        break;
    case PROA_MESSAGE_LATER:
        tell_members(members);
        break;
    default:
        meet(message, members, peer >= 0 ? peer : 0);
    }
}

void proa_message_before(struct proa_message *message, enum proa_message_kind kind, MPI_Comm comm,
                         int peer)
{
    struct members *members;

    *message = (struct proa_message){kind, -1, 0, NULL};
    if (!proa_ordering_is_on() || kind == PROA_MESSAGE_NONE)
        return;
    proa_local_take(kind == PROA_MESSAGE_LOOK);
    members = kind == PROA_MESSAGE_WORLD ? NULL : members_of(comm);
    proa_inside_enter();
    tell(message, members, peer);
    proa_ordering_settle();
    proa_inside_leave();
}

void proa_message_after(const struct proa_message *message)
{
    if (!proa_ordering_is_on())
        return;
    if (message->hears || message->meeting >= 0)
        proa_local_await_threads(message->caller);
    proa_inside_enter();
    if (message->hears)
        proa_clock_hear(PROA_ROW_TOLD);
    if (message->meeting >= 0)
        proa_clock_hear(PROA_ROW_MEETING + message->meeting);
    proa_ordering_settle();
    proa_inside_leave();
    if (message->kind == PROA_MESSAGE_LOOK)
        proa_local_called(PROA_CALL_Win_sync);
}

void proa_message_completes(const void *caller)
{
    proa_local_take(caller == NULL);
}

void proa_message_completed(const void *caller)
{
    proa_local_take(caller == NULL);
    proa_inside_enter();
    proa_reuse_complete(NULL, -1, 1);
    proa_inside_leave();
    if (!proa_ordering_is_on())
        return;
    proa_inside_enter();
    proa_clock_hear(PROA_ROW_TOLD);
    proa_ordering_requests_completed();
    proa_inside_leave();
    if (!caller)
        proa_local_called(PROA_CALL_Win_sync);
}
