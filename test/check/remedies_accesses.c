/* SPDX-License-Identifier: BSD-3-Clause */
/* Remedies of conflicts: between operations of one process, of several, with messages, and with
 * loads and stores; and those of buffers that are used too early. */
#include "remedies.h"

static long *const result = buffer + WORDS, *const spare = buffer + 2 * WORDS;
static volatile long seen;

/* ---- epochs ---- */

/* One post by the target, and what it does before MPI_Win_wait. */
static INLINE void expose(int count, const int *origins, void (*within)(void))
{
    MPI_Group group = ranks_of(count, origins);

    MPI_Win_post(group, 0, win);
    if (within)
        within();
    MPI_Win_wait(win);
    MPI_Group_free(&group);
}

static INLINE void start(void)
{
    const int target = TARGET;
    MPI_Group group = ranks_of(1, &target);

    MPI_Win_start(group, 0, win);
    MPI_Group_free(&group);
}

/* ---- operations of one process ---- */

static void lock_own(int applied)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        if (applied)
            MPI_Win_flush(TARGET, win);
        put(TARGET, 0);
    }
    MPI_Win_unlock_all(win);
}

static void lock_own_add(int applied)
{
    if (rank != FIRST)
        return;
    MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
    add(TARGET, 0);
    if (applied)
        MPI_Win_flush(TARGET, win);
    get(TARGET, 0);
    MPI_Win_unlock(TARGET, win);
}

static void start_own(int applied)
{
    const int origin = FIRST;

    for (int i = 0; rank == TARGET && i <= applied; i++)
        expose(1, &origin, NULL);
    if (rank != FIRST)
        return;
    start();
    put(TARGET, 0);
    if (applied) {
        MPI_Win_complete(win);
        start();
    }
    get(TARGET, 0);
    MPI_Win_complete(win);
}

static void fence_own(int applied)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (applied)
        MPI_Win_fence(0, win);
    if (rank == FIRST)
        add(TARGET, 0);
    MPI_Win_fence(0, win);
}

/* ---- of two processes ---- */

enum { EXCLUSIVELY = 1, FLUSH_AND_MESSAGE, UNLOCK_AND_BARRIER };

static INLINE void tell(int from, int to)
{
    if (rank == from)
        MPI_Send(spare, 1, MPI_LONG, to, 1, MPI_COMM_WORLD);
    if (rank == to)
        MPI_Recv(spare, 1, MPI_LONG, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static INLINE void put_exclusively(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
    put(TARGET, 0);
    MPI_Win_unlock(TARGET, win);
}

static INLINE void put_both(int applied)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (rank == FIRST && applied == FLUSH_AND_MESSAGE)
        MPI_Win_flush(TARGET, win);
    if (applied == FLUSH_AND_MESSAGE)
        tell(FIRST, SECOND);
    if (applied == UNLOCK_AND_BARRIER) {
        MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, win);
    }
    if (rank == SECOND)
        put(TARGET, 0);
    MPI_Win_unlock_all(win);
}

static void lock_both(int applied)
{
    if (applied == EXCLUSIVELY && rank != TARGET)
        put_exclusively();
    else if (applied != EXCLUSIVELY)
        put_both(applied);
}

/* The target's message is before the put. */
static INLINE void send_before(int applied)
{
    enum { MESSAGE = 2, BARRIER };

    MPI_Win_lock_all(0, win);
    if (rank == TARGET)
        MPI_Send(memory, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD);
    order_unseen(TARGET, FIRST);
    if (applied == MESSAGE)
        tell(TARGET, FIRST);
    if (applied == BARRIER)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == FIRST)
        put(TARGET, 0);
    MPI_Win_unlock_all(win);
}

static void lock_sent(int applied)
{
    if (applied != EXCLUSIVELY) {
        send_before(applied);
    } else if (rank == TARGET) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
        MPI_Send(memory, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD);
        MPI_Win_unlock(TARGET, win);
    } else if (rank == FIRST) {
        put_exclusively();
    }
    if (rank == SECOND)
        MPI_Recv(spare, 1, MPI_LONG, TARGET, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void start_both(int applied)
{
    const int origins[] = {FIRST, SECOND};

    if (rank == TARGET && applied) {
        expose(1, &origins[0], NULL);
        expose(1, &origins[1], NULL);
    } else if (rank == TARGET) {
        expose(2, origins, NULL);
    } else {
        start();
        put(TARGET, 0);
        MPI_Win_complete(win);
    }
}

static void fence_both(int applied)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (applied)
        MPI_Win_fence(0, win);
    if (rank == SECOND)
        get(TARGET, 0);
    MPI_Win_fence(0, win);
}

/* On a window whose info says that there is one operation. */
static void lock_asserted(int applied)
{
    enum { WITHOUT = 1, ALIKE };
    MPI_Info info;
    MPI_Win other;
    long *base;

    MPI_Info_create(&info);
    if (applied != WITHOUT)
        MPI_Info_set(info, "accumulate_ops", "same_op_no_op");
    MPI_Win_allocate(sizeof *base, sizeof *base, info, MPI_COMM_WORLD, &base, &other);
    name_as_this(other);
    MPI_Info_free(&info);
    MPI_Barrier(MPI_COMM_WORLD); /* the target tells of accesses by its name of the window */
    MPI_Win_lock_all(0, other);
    if (rank != TARGET)
        MPI_Accumulate(buffer, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG,
                       rank == FIRST || applied == ALIKE ? MPI_SUM : MPI_REPLACE, other);
    MPI_Win_unlock_all(other);
    MPI_Win_free(&other);
}

/* ---- buffers ---- */

static INLINE void send_result(void)
{
    MPI_Send(result, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD);
}

static INLINE void receive_result(void)
{
    if (rank == SECOND)
        MPI_Recv(spare, 1, MPI_LONG, FIRST, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static INLINE void send_origin(void)
{
    if (rank == SECOND)
        MPI_Send(spare, 1, MPI_LONG, FIRST, 0, MPI_COMM_WORLD);
}

static INLINE void receive_origin(void)
{
    MPI_Recv(buffer, 1, MPI_LONG, SECOND, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void lock_result(int applied)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        get(TARGET, 0);
        if (applied)
            MPI_Win_flush(TARGET, win);
        send_result();
    }
    MPI_Win_unlock_all(win);
    receive_result();
}

static void lock_origin(int applied)
{
    send_origin();
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        if (applied)
            MPI_Win_flush_local(TARGET, win);
        receive_origin();
    }
    MPI_Win_unlock_all(win);
}

/* By a request. */
static void lock_requested(int applied)
{
    MPI_Request request;

    send_origin();
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        MPI_Rput(buffer, 1, MPI_LONG, TARGET, 0, 1, MPI_LONG, win, &request);
        if (applied)
            MPI_Win_flush_local(TARGET, win);
        receive_origin();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
}

static void start_origin(int applied)
{
    const int origin = FIRST;

    send_origin();
    if (rank == TARGET)
        expose(1, &origin, NULL);
    if (rank != FIRST)
        return;
    start();
    put(TARGET, 0);
    if (applied)
        MPI_Win_complete(win);
    receive_origin();
    if (!applied)
        MPI_Win_complete(win);
}

static void fence_result(int applied)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        get(TARGET, 0);
    if (applied)
        MPI_Win_fence(0, win);
    if (rank == FIRST)
        send_result();
    MPI_Win_fence(0, win);
    receive_result();
}

/* ---- loads and stores ---- */

static INLINE void load(void)
{
    seen = *(volatile long *)memory;
}

/* The put is complete before the load, and nothing tells that. */
static INLINE void load_behind(int applied)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        MPI_Win_flush(TARGET, win);
    }
    order_unseen(FIRST, TARGET);
    if (applied == FLUSH_AND_MESSAGE)
        tell(FIRST, TARGET);
    if (applied == UNLOCK_AND_BARRIER)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == TARGET)
        load();
    MPI_Win_unlock_all(win);
}

static void lock_load(int applied)
{
    if (applied != EXCLUSIVELY) {
        load_behind(applied);
    } else if (rank == TARGET) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
        load();
        MPI_Win_unlock(TARGET, win);
    } else if (rank == FIRST) {
        put_exclusively();
    }
}

static void start_load(int applied)
{
    const int origin = FIRST;

    if (rank == TARGET) {
        expose(1, &origin, applied ? NULL : load);
        if (applied)
            load();
    } else if (rank == FIRST) {
        start();
        put(TARGET, 0);
        MPI_Win_complete(win);
    }
}

static void fence_load(int applied)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (applied)
        MPI_Win_fence(0, win);
    if (rank == TARGET)
        load();
    MPI_Win_fence(0, win);
}

static void lock_result_load(int applied)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        get(TARGET, 0);
        if (applied)
            MPI_Win_flush(TARGET, win);
        seen = *(volatile long *)result;
    }
    MPI_Win_unlock_all(win);
}

static void lock_origin_store(int applied)
{
    MPI_Win_lock_all(0, win);
    if (rank == FIRST) {
        put(TARGET, 0);
        if (applied)
            MPI_Win_flush_local(TARGET, win);
        *(volatile long *)buffer = 1;
    }
    MPI_Win_unlock_all(win);
}

static void start_result_load(int applied)
{
    const int origin = FIRST;

    if (rank == TARGET)
        expose(1, &origin, NULL);
    if (rank != FIRST)
        return;
    start();
    get(TARGET, 0);
    if (applied)
        MPI_Win_complete(win);
    seen = *(volatile long *)result;
    if (!applied)
        MPI_Win_complete(win);
}

static void fence_origin_store(int applied)
{
    MPI_Win_fence(0, win);
    if (rank == FIRST)
        put(TARGET, 0);
    if (applied)
        MPI_Win_fence(0, win);
    if (rank == FIRST)
        *(volatile long *)buffer = 1;
    MPI_Win_fence(0, win);
}

/* ---- the sentences ---- */

#define FENCE "MPI_Win_fence on all ranks between them"
#define FLUSH "MPI_Win_flush(1, win) between them"
#define FLUSH_LOCAL "MPI_Win_flush_local(1, win) between them"
#define COMPLETE "MPI_Win_complete between them"
#define EPOCHS_OF_ONE                                                                  \
    "MPI_Win_complete and a further MPI_Win_start between them, and MPI_Win_wait and " \
    "MPI_Win_post at rank 1"
#define EPOCHS_OF_TWO                                                                          \
    "MPI_Win_complete by one of them, and MPI_Win_wait and a further MPI_Win_post by rank 1, " \
    "between them"
#define LOCKS_OR_FLUSH                                                                        \
    "exclusive locks; or MPI_Win_flush or unlock by the first rank, and then a message or a " \
    "barrier to the second"
#define LOCKS_OR_MESSAGE \
    "exclusive locks; or a message or a barrier from the first rank to the second between them"

const struct ill ill_accesses[] = {
    {"lock_own", lock_own, 1, 0, FLUSH},
    {"lock_own_add", lock_own_add, 1, 0, FLUSH},
    {"start_own", start_own, 1, 0, EPOCHS_OF_ONE},
    {"fence_own", fence_own, 1, 0, FENCE},
    {"lock_both", lock_both, UNLOCK_AND_BARRIER, 0, LOCKS_OR_FLUSH},
    {"lock_sent", lock_sent, 3, 0, LOCKS_OR_MESSAGE},
    {"lock_asserted", lock_asserted, 2, 0,
     "the window without accumulate_ops in its info, or one operation alone"},
    {"start_both", start_both, 1, 0, EPOCHS_OF_TWO},
    {"fence_both", fence_both, 1, 0, FENCE},
    {"lock_result", lock_result, 1, 0, FLUSH},
    {"lock_origin", lock_origin, 1, 0, FLUSH_LOCAL},
    {"lock_requested", lock_requested, 1, 0, FLUSH_LOCAL},
    {"start_origin", start_origin, 1, 0, COMPLETE},
    {"fence_result", fence_result, 1, 0, FENCE},
    {0},
};

const struct ill ill_loads[] = {
    {"lock_load", lock_load, UNLOCK_AND_BARRIER, 1, LOCKS_OR_FLUSH},
    {"start_load", start_load, 1, 1, EPOCHS_OF_TWO},
    {"fence_load", fence_load, 1, 1, FENCE},
    {"lock_result_load", lock_result_load, 1, 1, FLUSH},
    {"lock_origin_store", lock_origin_store, 1, 1, FLUSH_LOCAL},
    {"start_result_load", start_result_load, 1, 1, COMPLETE},
    {"fence_origin_store", fence_origin_store, 1, 1, FENCE},
    {0},
};
