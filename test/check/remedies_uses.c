/* SPDX-License-Identifier: BSD-3-Clause */
/* Remedies of usage rules (src/usage/misuse.h). */
#include "remedies.h"

static long *const result = buffer + WORDS;

static INLINE int right_of(void)
{
    return (rank + 1) % RANKS;
}

static INLINE int left_of(void)
{
    return (rank + RANKS - 1) % RANKS;
}

/* ---- datatypes and buffers ---- */

static void signature(int applied)
{
    static double numbers[WORDS];

    MPI_Win_lock_all(0, win);
    if (applied)
        MPI_Put(numbers, 1, MPI_DOUBLE, right_of(), 0, 1, MPI_DOUBLE, win);
    else
        MPI_Put(numbers, 1, MPI_DOUBLE, right_of(), 0, 1, MPI_LONG, win);
    MPI_Win_unlock_all(win);
}

static void overlap(int applied)
{
    MPI_Datatype type;

    MPI_Type_create_hvector(2, 1, applied ? 8 : 4, MPI_LONG, &type);
    MPI_Type_commit(&type);
    MPI_Win_lock_all(0, win);
    MPI_Put(buffer, 2, MPI_LONG, right_of(), 0, 1, type, win);
    MPI_Win_unlock_all(win);
    MPI_Type_free(&type);
}

static void own_result(int applied)
{
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(buffer, applied ? result : buffer, MPI_LONG, right_of(), 0, MPI_SUM, win);
    MPI_Win_unlock_all(win);
}

/* ---- assertions ---- */

static void noprecede(int applied)
{
    MPI_Win_fence(0, win);
    put(right_of(), 0);
    MPI_Win_fence(applied ? 0 : MPI_MODE_NOPRECEDE, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void fence_asserts(int applied)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Win_fence(applied || rank ? MPI_MODE_NOSUCCEED : 0, win);
}

static void noput(int applied)
{
    MPI_Win_fence(0, win);
    MPI_Win_fence(applied ? 0 : MPI_MODE_NOPUT, win);
    put(right_of(), 0);
    MPI_Win_fence(0, win);
}

static void nostore(int applied)
{
    MPI_Win_fence(0, win);
    *(volatile long *)memory = 1;
    MPI_Win_fence(applied ? 0 : MPI_MODE_NOSTORE, win);
}

/* An epoch of each rank's right neighbour, with these assertions. */
static INLINE void put_started(int posted, int started)
{
    const int left = left_of(), right = right_of();
    MPI_Group from = ranks_of(1, &left), to = ranks_of(1, &right);

    MPI_Win_post(from, posted, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(to, started, win);
    put(right, 0);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
}

static void nocheck_sides(int applied)
{
    put_started(applied == 1 ? MPI_MODE_NOCHECK : 0, applied == 2 ? 0 : MPI_MODE_NOCHECK);
}

static void noput_post(int applied)
{
    put_started(applied ? 0 : MPI_MODE_NOPUT, 0);
}

/* As it is, the post comes after the start. */
static void nocheck_start(int applied)
{
    const int assert = applied == 1 ? 0 : MPI_MODE_NOCHECK, origin = FIRST, target = TARGET;
    MPI_Group from = ranks_of(1, &origin), to = ranks_of(1, &target);

    if (applied == 2 && rank == TARGET)
        MPI_Win_post(from, assert, win);
    if (applied == 2)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == FIRST)
        MPI_Win_start(to, assert, win);
    if (!applied)
        MPI_Barrier(MPI_COMM_WORLD);
    if (applied != 2 && rank == TARGET)
        MPI_Win_post(from, assert, win);
    if (rank == FIRST)
        MPI_Win_complete(win);
    if (rank == TARGET)
        MPI_Win_wait(win);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
}

/* The first rank holds the lock that the second one asks for. */
static void nocheck_lock(int applied)
{
    if (rank == FIRST)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == SECOND) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, applied ? 0 : MPI_MODE_NOCHECK, win);
        MPI_Win_unlock(TARGET, win);
    }
    if (!applied)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == FIRST)
        MPI_Win_unlock(TARGET, win);
}

static void locked_exposed(int applied)
{
    const int origin = SECOND, target = TARGET;
    MPI_Group from = ranks_of(1, &origin), to = ranks_of(1, &target);

    if (rank == FIRST)
        MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
    if (rank == FIRST && applied)
        MPI_Win_unlock(TARGET, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == TARGET)
        MPI_Win_post(from, 0, win);
    if (!applied)
        MPI_Barrier(MPI_COMM_WORLD);
    if (rank == FIRST && !applied)
        MPI_Win_unlock(TARGET, win);
    if (rank == SECOND) {
        MPI_Win_start(to, 0, win);
        MPI_Win_complete(win);
    }
    if (rank == TARGET)
        MPI_Win_wait(win);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
}

/* ---- groups and info ---- */

static void groups(int applied)
{
    const int origin = FIRST, target = TARGET;
    MPI_Group from = ranks_of(1, &origin), to = ranks_of(1, &target);

    if (rank == FIRST) {
        MPI_Win_start(to, 0, win);
        MPI_Win_complete(win);
    }
    if (rank == TARGET && applied) {
        MPI_Win_post(from, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&from);
    MPI_Group_free(&to);
}

static void creation(int applied)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", applied || rank ? "true" : "false");
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
}

/* ---- requests ---- */

static void requests(int applied)
{
    MPI_Request request;
    int is_over = 0;

    MPI_Win_lock_all(0, win);
    MPI_Rput(buffer, 1, MPI_LONG, right_of(), 0, 1, MPI_LONG, win, &request);
    if (!applied)
        MPI_Request_free(&request);
    else if (applied == 1)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    while (applied == 2 && !is_over)
        MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
}

static void request_left(int applied)
{
    MPI_Request request;
    int is_over = 0;

    MPI_Win_lock_all(0, win);
    MPI_Rput(buffer, 1, MPI_LONG, right_of(), 0, 1, MPI_LONG, win, &request);
    if (applied == 1)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    while (applied == 2 && !is_over)
        MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
}

/* ---- ends ---- */

static void freed(int applied)
{
    MPI_Win other;
    long *base;

    MPI_Alloc_mem(WORDS * sizeof(long), MPI_INFO_NULL, &base);
    MPI_Win_create(base, WORDS * sizeof(long), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    name_as_this(other);
    if (applied)
        MPI_Win_free(&other);
    MPI_Free_mem(base);
    if (!applied)
        MPI_Win_free(&other);
}

static void freed_attached(int applied)
{
    MPI_Win other;
    long *base;

    MPI_Alloc_mem(WORDS * sizeof(long), MPI_INFO_NULL, &base);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_attach(other, base, WORDS * sizeof(long));
    name_as_this(other);
    if (applied)
        MPI_Win_detach(other, base);
    MPI_Free_mem(base);
    MPI_Win_free(&other);
}

static void leak(int applied)
{
    MPI_Win other;

    MPI_Win_create(buffer, sizeof buffer, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    name_as_this(other);
    if (applied)
        MPI_Win_free(&other);
}

const struct ill ill_uses[] = {
    {"signature", signature, 1, 0, "the same basic datatype on both sides"},
    {"overlap", overlap, 1, 0, "a datatype whose entries lie apart"},
    {"result", own_result, 1, 0, "a result buffer of its own"},
    {"noprecede", noprecede, 1, 0, "the fence without MPI_MODE_NOPRECEDE"},
    {"fence_asserts", fence_asserts, 1, 0, "the same assertion on all ranks"},
    {"noput", noput, 1, 0, "the call without MPI_MODE_NOPUT"},
    {"noput_post", noput_post, 1, 0, "the call without MPI_MODE_NOPUT"},
    {"nostore", nostore, 1, 1, "the call without MPI_MODE_NOSTORE"},
    {"nocheck_sides", nocheck_sides, 2, 0, "the same assertion on both sides"},
    {"nocheck_start", nocheck_start, 2, 0,
     "MPI_Win_start without MPI_MODE_NOCHECK, or a message from the target after its post"},
    {"nocheck_lock", nocheck_lock, 1, 0, "the lock without MPI_MODE_NOCHECK"},
    {"locked_exposed", locked_exposed, 1, 0,
     "MPI_Win_unlock at the origin, and a message to this process, before MPI_Win_post"},
    {"groups", groups, 1, 0, "groups that name each other"},
    {"creation", creation, 1, 0, "the same info on all ranks"},
    {"request", requests, 2, 0, "MPI_Wait or MPI_Test, which complete it"},
    {"request_left", request_left, 2, 0, "MPI_Wait or MPI_Test for it"},
    {"freed", freed, 1, 0, "MPI_Win_free, or MPI_Win_detach, first"},
    {"freed_attached", freed_attached, 1, 0, "MPI_Win_free, or MPI_Win_detach, first"},
    {"leak", leak, 1, 0, "MPI_Win_free on all ranks before MPI_Finalize"},
    {0},
};
