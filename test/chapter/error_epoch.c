/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls in the wrong order: synchronization and operations for which no epoch is open, or a wrong
 * one; and the arguments of the synchronization calls: groups, lock types, assertions. All pairs
 * and longer sequences of calls are the business of states.c; here every wrong order of the table
 * of errors is made once, with its class, its text, and its lack of effect.
 */
#include "epochs.h"

static int value = 4711, got = -77;

/* What `what` says of a target: "target rank 1 is not ...". */
static const char *of_target(int target, const char *what)
{
    static char text[100];
    snprintf(text, sizeof text, "target rank %d is not %s", target, what);
    return text;
}

/* Of the operations that are wrong: nothing is moved by none of them, but without an epoch they are
 * no less wrong. */
static int elements = 1;
static MPI_Datatype type = MPI_INT;

static void of_all_sizes(void (*wrong)(const struct area *a, int target, const char *about),
                         const struct area *a, int target, const char *about)
{
    MPI_Datatype vector;
    MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    wrong(a, target, about);
    elements = 0;
    wrong(a, target, about);
    type = vector;
    wrong(a, target, about);
    elements = 1;
    type = MPI_INT;
    MPI_Type_free(&vector);
}

static void wrong_put(const struct area *a, int target, const char *about)
{
    WRONG(a, sync_error, about, MPI_Put,
          (&value, elements, type, target, disp_at(a, target, 0), elements, type, a->win));
}

static void wrong_get(const struct area *a, int target, const char *about)
{
    WRONG(a, sync_error, about, MPI_Get,
          (&got, elements, type, target, disp_at(a, target, 0), elements, type, a->win));
    CHECK(got == -77, "a wrong get brought %d", got);
}

static void wrong_accumulates(const struct area *a, int target, const char *about)
{
    MPI_Aint at = disp_at(a, target, 0);
    WRONG(a, sync_error, about, MPI_Accumulate,
          (&value, elements, type, target, at, elements, type, MPI_SUM, a->win));
    WRONG(a, sync_error, about, MPI_Get_accumulate,
          (&value, elements, type, &got, elements, type, target, at, elements, type, MPI_SUM,
           a->win));
    WRONG(a, sync_error, about, MPI_Fetch_and_op,
          (&value, &got, MPI_INT, target, at, MPI_SUM, a->win));
    WRONG(a, sync_error, about, MPI_Fetch_and_op,
          (&value, &got, MPI_INT, target, at, MPI_NO_OP, a->win));
    WRONG(a, sync_error, about, MPI_Compare_and_swap,
          (&value, &value, &got, MPI_INT, target, at, a->win));
    CHECK(got == -77, "a wrong accumulate brought %d", got);
}

static void wrong_plain(const struct area *a, int target, const char *about)
{
    wrong_put(a, target, about);
    wrong_get(a, target, about);
    wrong_accumulates(a, target, about);
#if MPI_VERSION >= 4
    MPI_Aint at = disp_at(a, target, 0);
    WRONG(a, sync_error, about, MPI_Put_c,
          (&value, elements, type, target, at, elements, type, a->win));
    WRONG(a, sync_error, about, MPI_Get_c,
          (&got, elements, type, target, at, elements, type, a->win));
    WRONG(a, sync_error, about, MPI_Accumulate_c,
          (&value, elements, type, target, at, elements, type, MPI_SUM, a->win));
    WRONG(a, sync_error, about, MPI_Get_accumulate_c,
          (&value, elements, type, &got, elements, type, target, at, elements, type, MPI_SUM,
           a->win));
#endif
}

static void wrong_operations(const struct area *a, int target, const char *about)
{
    of_all_sizes(wrong_plain, a, target, about);
}

static void wrong_requested(const struct area *a, int target, const char *about)
{
    MPI_Aint at = disp_at(a, target, 0);
    MPI_Request request = MPI_REQUEST_NULL;
    WRONG(a, sync_error, about, MPI_Rput,
          (&value, elements, type, target, at, elements, type, a->win, &request));
    WRONG(a, sync_error, about, MPI_Rget,
          (&got, elements, type, target, at, elements, type, a->win, &request));
    WRONG(a, sync_error, about, MPI_Raccumulate,
          (&value, elements, type, target, at, elements, type, MPI_SUM, a->win, &request));
    WRONG(a, sync_error, about, MPI_Rget_accumulate,
          (&value, elements, type, &got, elements, type, target, at, elements, type, MPI_SUM,
           a->win, &request));
#if MPI_VERSION >= 4
    WRONG(a, sync_error, about, MPI_Rput_c,
          (&value, elements, type, target, at, elements, type, a->win, &request));
    WRONG(a, sync_error, about, MPI_Rget_c,
          (&got, elements, type, target, at, elements, type, a->win, &request));
    WRONG(a, sync_error, about, MPI_Raccumulate_c,
          (&value, elements, type, target, at, elements, type, MPI_SUM, a->win, &request));
    WRONG(a, sync_error, about, MPI_Rget_accumulate_c,
          (&value, elements, type, &got, elements, type, target, at, elements, type, MPI_SUM,
           a->win, &request));
#endif
    CHECK(got == -77, "a wrong operation brought %d", got);
    CHECK(request == MPI_REQUEST_NULL, "a wrong operation gave a request");
}

static void wrong_requests(const struct area *a, int target, const char *about)
{
    of_all_sizes(wrong_requested, a, target, about);
}

/* Every request form to a target where an epoch is open that is none for them: gives a request, and
 * is done once that is complete. `words` from 8 on are each rank's own for it, and end as they
 * began. */
struct requested {
    int line;
    MPI_Request request;
};

static void wait_for(const struct requested *r, int code)
{
    MPI_Request request = r->request;
    check_right(r->line, "a request form", code);
    CHECK(request != MPI_REQUEST_NULL, "line %d: a request form gives no request", r->line);
    if (request != MPI_REQUEST_NULL)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

#define SERVED(function, ...)                                             \
    do {                                                                  \
        struct requested served = {__LINE__, MPI_REQUEST_NULL};           \
        int served_code = function(__VA_ARGS__, a->win, &served.request); \
        wait_for(&served, served_code);                                   \
    } while (0)

static void served_requests(const struct area *a, int target)
{
    MPI_Aint at = disp_at(a, target, 8), next = disp_at(a, target, 9);
    int before = pattern(target, 8), mine = 31, seen = 0, plus = 5, minus = -5, there = 0;
    SERVED(MPI_Rput, &mine, 1, MPI_INT, target, at, 1, MPI_INT);
    SERVED(MPI_Rget, &seen, 1, MPI_INT, target, at, 1, MPI_INT);
    CHECK(seen == 31, "rput and rget bring %d", seen);
    SERVED(MPI_Raccumulate, &plus, 1, MPI_INT, target, next, 1, MPI_INT, MPI_SUM);
    SERVED(MPI_Rget_accumulate, &minus, 1, MPI_INT, &there, 1, MPI_INT, target, next, 1, MPI_INT,
           MPI_SUM);
    CHECK(there == pattern(target, 9) + 5, "raccumulate and rget_accumulate bring %d", there);
    SERVED(MPI_Rput, &before, 1, MPI_INT, target, at, 1, MPI_INT);
#if MPI_VERSION >= 4
    SERVED(MPI_Rput_c, &mine, 1, MPI_INT, target, at, 1, MPI_INT);
    SERVED(MPI_Rget_c, &seen, 1, MPI_INT, target, at, 1, MPI_INT);
    SERVED(MPI_Raccumulate_c, &plus, 1, MPI_INT, target, next, 1, MPI_INT, MPI_SUM);
    SERVED(MPI_Rget_accumulate_c, &minus, 1, MPI_INT, &there, 1, MPI_INT, target, next, 1, MPI_INT,
           MPI_SUM);
    SERVED(MPI_Rput_c, &before, 1, MPI_INT, target, at, 1, MPI_INT);
#endif
}

/* A request form alone in its epoch: the target has its data when the epoch has ended. */
static void rput_word(const struct area *a, int value)
{
    SERVED(MPI_Rput, &value, 1, MPI_INT, right_of(), disp_at(a, right_of(), 7), 1, MPI_INT);
}

static void check_rput(const struct area *a, int value, const char *epoch)
{
    CHECK(((int *)a->base)[7] == value, "%s: rput in an epoch of %s brings %d, not %d",
          kind_names[a->kind], epoch, ((int *)a->base)[7], value);
}

/* ---- free ---- */

static void wrong_free(struct area *a, const char *about)
{
    MPI_Win handle = a->win;
    WRONG(a, sync_error, about, MPI_Win_free, (&handle));
    CHECK(handle == a->win, "a wrong MPI_Win_free changed the handle");
}

static void run_free(struct area *a)
{
    int before = pattern(right_of(), 0);
    start_to_right(a);
    wrong_free(a, "MPI_Win_complete first");
    expose_to_left(a);
    wrong_free(a, "MPI_Win_complete first");
    RIGHT(MPI_Win_complete(a->win));
    wrong_free(a, "MPI_Win_wait first");
    end_exposure(a);
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    wrong_free(a, "MPI_Win_unlock first");
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    RIGHT(MPI_Win_lock_all(0, a->win));
    wrong_free(a, "MPI_Win_unlock_all first");
    unlock_all_of(a);
    RIGHT(MPI_Win_fence(0, a->win));
    RIGHT(put_word(a, right_of(), 0, &before)); /* already there */
    wrong_free(a, "since the last fence");
    RIGHT(MPI_Win_fence(0, a->win));
}

/* ---- operations ---- */

static void strict_requests(struct area *a)
{
    const char *about = "passive target epochs";
    RIGHT(MPI_Win_fence(0, a->win));
    wrong_requests(a, right_of(), about);
    RIGHT(MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win));
    expose_to_left(a);
    start_to_right(a);
    wrong_requests(a, right_of(), about);
    RIGHT(MPI_Win_complete(a->win));
    end_exposure(a);
}

/* The first operation of an epoch that a fence has begun without waiting for anybody: it must wait
 * for its target, whose word is still 0 before. */
static void requests_after_an_open_fence(struct area *a)
{
    RIGHT(MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win));
    ((int *)a->base)[7] = 0;
    if (rank == 0)
        usleep(20000);
    ((int *)a->base)[6] = 611;
    RIGHT(MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win));
    int seen = 0;
    SERVED(MPI_Rget, &seen, 1, MPI_INT, right_of(), disp_at(a, right_of(), 6), 1, MPI_INT);
    CHECK(seen == 611, "%s: rget behind a fence with NOPRECEDE brings %d", kind_names[a->kind],
          seen);
    rput_word(a, 701);
    RIGHT(MPI_Win_fence(0, a->win));
    check_rput(a, 701, "fences, the first with NOPRECEDE");
}

/* The same for a start whose post comes late. */
static void requests_before_the_post(struct area *a)
{
    RIGHT(MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win));
    if (rank == 0)
        usleep(20000);
    ((int *)a->base)[6] = 612;
    RIGHT(MPI_Win_post(left_group, 0, a->win));
    start_to_right(a);
    int seen = 0;
    SERVED(MPI_Rget, &seen, 1, MPI_INT, right_of(), disp_at(a, right_of(), 6), 1, MPI_INT);
    CHECK(seen == 612, "%s: rget before the target's post brings %d", kind_names[a->kind], seen);
    rput_word(a, 702);
    RIGHT(MPI_Win_complete(a->win));
    end_exposure(a);
    check_rput(a, 702, "start");
}

/* They are operations like others: a fence must complete them before another epoch may begin. */
static void requests_open_the_epoch(struct area *a)
{
    RIGHT(MPI_Win_fence(0, a->win));
    rput_word(a, 703);
    WRONG(a, sync_error, "since the last fence", MPI_Win_lock,
          (MPI_LOCK_SHARED, right_of(), 0, a->win));
    RIGHT(MPI_Win_fence(0, a->win));
    check_rput(a, 703, "fences");
    served_requests(a, right_of());
    RIGHT(MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win));
}

static void lax_requests(struct area *a)
{
    const char *about = "no epoch is open";
    wrong_requests(a, right_of(), about);
    requests_open_the_epoch(a);
    wrong_requests(a, right_of(), about);
    requests_after_an_open_fence(a);
    requests_before_the_post(a);
    expose_to_left(a);
    start_to_right(a);
    served_requests(a, right_of());
    if (nranks > 1)
        wrong_requests(a, rank, "is not in the group given to MPI_Win_start");
    RIGHT(MPI_Win_complete(a->win));
    end_exposure(a);
    for (int i = 6; i <= 7; i++)
        ((int *)a->base)[i] = pattern(rank, i);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run_request(struct area *a)
{
    wrong_requests(a, right_of(), "no epoch is open");
    if (is_strict())
        strict_requests(a);
    else
        lax_requests(a);
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    if (nranks > 1)
        wrong_requests(a, rank, of_target(rank, "locked"));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
}

static void outside(struct area *a)
{
    const char *about = "no epoch is open";
    wrong_operations(a, right_of(), about);
    wrong_operations(a, rank, about);
    RIGHT(MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win)); /* is not the start of an epoch */
    wrong_operations(a, right_of(), about);
    expose_to_left(a); /* nor is that, of an access epoch */
    wrong_operations(a, right_of(), about);
    start_to_right(a);
    RIGHT(MPI_Win_complete(a->win));
    wrong_operations(a, right_of(), about);
    end_exposure(a);
    /* a fence epoch without operations is none: the lock ends it */
    RIGHT(MPI_Win_fence(0, a->win));
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    wrong_operations(a, right_of(), about);
}

static void not_started(struct area *a)
{
    char about[100];
    snprintf(about, sizeof about,
             "target rank %d is not in the group given to MPI_Win_start (started for ranks %d)",
             rank, right_of());
    expose_to_left(a);
    start_to_right(a);
    if (nranks > 1)
        wrong_operations(a, rank, about);
    RIGHT(MPI_Win_complete(a->win));
    end_exposure(a);
    RIGHT(MPI_Win_start(MPI_GROUP_EMPTY, 0, a->win));
    wrong_operations(
        a, rank,
        "is not in the group given to MPI_Win_start (started for ranks of an empty group)");
    RIGHT(MPI_Win_complete(a->win));
}

static void not_locked(struct area *a)
{
    MPI_Barrier(MPI_COMM_WORLD); /* no window is exposed any more */
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    if (nranks > 1)
        wrong_operations(a, rank, of_target(rank, "locked"));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
}

static void run_epoch(struct area *a)
{
    outside(a);
    not_started(a);
    not_locked(a);
}

/* ---- start, complete, post, wait, test ---- */

static void run_pscw(struct area *a)
{
    int flag = -77;
    WRONG(a, sync_error, "no MPI_Win_start", MPI_Win_complete, (a->win));
    WRONG(a, sync_error, "no MPI_Win_post", MPI_Win_wait, (a->win));
    WRONG(a, sync_error, "no MPI_Win_post", MPI_Win_test, (a->win, &flag));
    CHECK(flag == -77, "a wrong MPI_Win_test gives flag %d", flag);
    start_to_right(a);
    WRONG(a, sync_error, "MPI_Win_complete first", MPI_Win_start, (right_group, 0, a->win));
    WRONG(a, sync_error, "MPI_Win_complete first", MPI_Win_start, (MPI_GROUP_EMPTY, 0, a->win));
    expose_to_left(a);
    WRONG(a, sync_error, "MPI_Win_wait first", MPI_Win_post, (left_group, 0, a->win));
    WRONG(a, sync_error, "MPI_Win_wait first", MPI_Win_post, (MPI_GROUP_EMPTY, 0, a->win));
    RIGHT(MPI_Win_complete(a->win));
    WRONG(a, sync_error, "no MPI_Win_start", MPI_Win_complete, (a->win));
    end_exposure(a);
    WRONG(a, sync_error, "no MPI_Win_post", MPI_Win_wait, (a->win));
    MPI_Barrier(MPI_COMM_WORLD);
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    WRONG(a, sync_error, "lock", MPI_Win_start, (right_group, 0, a->win));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    RIGHT(MPI_Win_lock_all(0, a->win));
    WRONG(a, sync_error, "lock", MPI_Win_start, (right_group, 0, a->win));
    unlock_all_of(a);
}

/* ---- locks ---- */

static void lock_after_lock(struct area *a)
{
    const char *about = "is locked by this process already";
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    WRONG(a, sync_error, about, MPI_Win_lock, (MPI_LOCK_SHARED, right_of(), 0, a->win));
    WRONG(a, sync_error, about, MPI_Win_lock,
          (MPI_LOCK_EXCLUSIVE, right_of(), MPI_MODE_NOCHECK, a->win));
    WRONG(a, sync_error, "locked by this process already", MPI_Win_lock_all, (0, a->win));
    WRONG(a, sync_error, "lock_all epoch", MPI_Win_unlock_all, (a->win));
    if (nranks > 1)
        WRONG(a, sync_error, of_target(rank, "locked"), MPI_Win_unlock, (rank, a->win));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    WRONG(a, sync_error, of_target(right_of(), "locked"), MPI_Win_unlock, (right_of(), a->win));
}

static void lock_after_lock_all(struct area *a)
{
    RIGHT(MPI_Win_lock_all(0, a->win));
    WRONG(a, sync_error, "lock_all epoch", MPI_Win_lock, (MPI_LOCK_SHARED, right_of(), 0, a->win));
    WRONG(a, sync_error, "lock_all epoch", MPI_Win_lock_all, (0, a->win));
    WRONG(a, sync_error, of_target(right_of(), "locked"), MPI_Win_unlock, (right_of(), a->win));
    unlock_all_of(a);
    WRONG(a, sync_error, "lock_all epoch", MPI_Win_unlock_all, (a->win));
}

static void run_lock(struct area *a)
{
    int before = pattern(right_of(), 0);
    WRONG(a, sync_error, of_target(right_of(), "locked"), MPI_Win_unlock, (right_of(), a->win));
    WRONG(a, sync_error, "lock_all epoch", MPI_Win_unlock_all, (a->win));
    lock_after_lock(a);
    lock_after_lock_all(a);
    expose_to_left(a);
    start_to_right(a);
    WRONG(a, sync_error, "MPI_Win_complete first", MPI_Win_lock,
          (MPI_LOCK_SHARED, right_of(), 0, a->win));
    WRONG(a, sync_error, "MPI_Win_complete first", MPI_Win_lock_all, (0, a->win));
    RIGHT(MPI_Win_complete(a->win));
    end_exposure(a);
    RIGHT(MPI_Win_fence(0, a->win));
    RIGHT(put_word(a, right_of(), 0, &before));
    WRONG(a, sync_error, "since the last fence", MPI_Win_lock,
          (MPI_LOCK_SHARED, right_of(), 0, a->win));
    WRONG(a, sync_error, "since the last fence", MPI_Win_lock_all, (0, a->win));
    WRONG(a, sync_error, "since the last fence", MPI_Win_start, (right_group, 0, a->win));
    RIGHT(MPI_Win_fence(0, a->win));
}

/* ---- fence, flush ---- */

static void run_fence(struct area *a)
{
    const int asserts[] = {0, MPI_MODE_NOPRECEDE, MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED};
    for (int i = 0; i < 3; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
        WRONG(a, sync_error, "MPI_Win_unlock first", MPI_Win_fence, (asserts[i], a->win));
        RIGHT(MPI_Win_unlock(right_of(), a->win));
        RIGHT(MPI_Win_lock_all(0, a->win));
        WRONG(a, sync_error, "MPI_Win_unlock_all first", MPI_Win_fence, (asserts[i], a->win));
        unlock_all_of(a);
        MPI_Barrier(MPI_COMM_WORLD);
        expose_to_left(a);
        start_to_right(a);
        WRONG(a, sync_error, "MPI_Win_complete first", MPI_Win_fence, (asserts[i], a->win));
        RIGHT(MPI_Win_complete(a->win));
        WRONG(a, sync_error, "MPI_Win_wait first", MPI_Win_fence, (asserts[i], a->win));
        end_exposure(a);
    }
}

static void wrong_flushes(struct area *a, int target, const char *about)
{
    WRONG(a, sync_error, about, MPI_Win_flush, (target, a->win));
    WRONG(a, sync_error, about, MPI_Win_flush_local, (target, a->win));
}

static void wrong_flushes_of_all(struct area *a)
{
    WRONG(a, sync_error, "no target is locked", MPI_Win_flush_all, (a->win));
    WRONG(a, sync_error, "no target is locked", MPI_Win_flush_local_all, (a->win));
}

static void run_flush(struct area *a)
{
    const char *about = "is not locked by this process";
    wrong_flushes(a, right_of(), about);
    wrong_flushes_of_all(a);
    RIGHT(MPI_Win_fence(0, a->win));
    wrong_flushes(a, right_of(), about);
    wrong_flushes_of_all(a);
    RIGHT(MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win));
    expose_to_left(a);
    start_to_right(a);
    wrong_flushes(a, right_of(), about);
    wrong_flushes_of_all(a);
    RIGHT(MPI_Win_complete(a->win));
    end_exposure(a);
    RIGHT(MPI_Win_lock(MPI_LOCK_SHARED, right_of(), 0, a->win));
    if (nranks > 1)
        wrong_flushes(a, rank, about);
    RIGHT(MPI_Win_flush(right_of(), a->win));
    RIGHT(MPI_Win_unlock(right_of(), a->win));
    wrong_flushes(a, right_of(), about);
}

/* ---- arguments ---- */

static void run_lock_type(struct area *a)
{
    const int types[] = {-1, 0, 1, MPI_LOCK_SHARED + MPI_LOCK_EXCLUSIVE, 1 << 20};
    for (int i = 0; i < 5; i++)
        if (types[i] != MPI_LOCK_SHARED && types[i] != MPI_LOCK_EXCLUSIVE)
            WRONG(a, MPI_ERR_LOCKTYPE, "lock type", MPI_Win_lock,
                  (types[i], right_of(), 0, a->win));
    wrong_put(a, right_of(), "no epoch is open");
}

/* Bits that no assertion has, and bits of assertions that the call does not take. */
static void run_assert(struct area *a)
{
    const int all = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE |
                    MPI_MODE_NOSUCCEED;
    const int no_bits[] = {~all, 1 << 30, MPI_MODE_NOCHECK | 1 << 30};
    for (int i = 0; i < 3; i++) {
        WRONG(a, MPI_ERR_ASSERT, "assert", MPI_Win_fence, (no_bits[i], a->win));
        WRONG(a, MPI_ERR_ASSERT, "assert", MPI_Win_start, (right_group, no_bits[i], a->win));
        WRONG(a, MPI_ERR_ASSERT, "assert", MPI_Win_post, (left_group, no_bits[i], a->win));
        WRONG(a, MPI_ERR_ASSERT, "assert", MPI_Win_lock,
              (MPI_LOCK_SHARED, right_of(), no_bits[i], a->win));
        WRONG(a, MPI_ERR_ASSERT, "assert", MPI_Win_lock_all, (no_bits[i], a->win));
    }
    WRONG(a, MPI_ERR_ASSERT, "assert", MPI_Win_fence, (MPI_MODE_NOCHECK, a->win));
    WRONG(a, MPI_ERR_ASSERT, "assert", MPI_Win_start, (right_group, MPI_MODE_NOPUT, a->win));
    WRONG(a, MPI_ERR_ASSERT, "assert", MPI_Win_post, (left_group, MPI_MODE_NOSUCCEED, a->win));
    WRONG(a, MPI_ERR_ASSERT, "assert", MPI_Win_lock,
          (MPI_LOCK_SHARED, right_of(), MPI_MODE_NOSTORE, a->win));
    WRONG(a, MPI_ERR_ASSERT, "assert", MPI_Win_lock_all, (MPI_MODE_NOPRECEDE, a->win));
}

/* A window of all ranks but the last, and a group with that one in it. */
static void group_with_an_outsider(const struct area *a)
{
    struct area smaller = *a;
    MPI_Group outsider = group_of_one(nranks - 1), first = group_of_one(0);
    int *memory;
    MPI_Comm_split(MPI_COMM_WORLD, rank < nranks - 1 ? 0 : MPI_UNDEFINED, rank, &smaller.comm);
    if (smaller.comm != MPI_COMM_NULL) {
        MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, smaller.comm, &memory,
                         &smaller.win);
        MPI_Win_set_name(smaller.win, "halo");
        WRONG(&smaller, MPI_ERR_GROUP, "group", MPI_Win_start, (outsider, 0, smaller.win));
        WRONG(&smaller, MPI_ERR_GROUP, "group", MPI_Win_post, (outsider, 0, smaller.win));
        WRONG(&smaller, MPI_ERR_GROUP, "group", MPI_Win_start, (all_group, 0, smaller.win));
        WRONG(&smaller, MPI_ERR_GROUP, "group", MPI_Win_post, (all_group, 0, smaller.win));
        WRONG(&smaller, sync_error, "no MPI_Win_start", MPI_Win_complete, (smaller.win));
        if (rank == 0) {
            RIGHT(MPI_Win_post(first, 0, smaller.win));
            RIGHT(MPI_Win_start(first, 0, smaller.win));
            RIGHT(MPI_Win_complete(smaller.win));
            RIGHT(MPI_Win_wait(smaller.win));
        }
        MPI_Win_free(&smaller.win);
        MPI_Comm_free(&smaller.comm);
    }
    MPI_Group_free(&outsider);
    MPI_Group_free(&first);
}

static void run_group(struct area *a)
{
    WRONG(a, MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Win_start, (MPI_GROUP_NULL, 0, a->win));
    WRONG(a, MPI_ERR_GROUP, "MPI_GROUP_NULL", MPI_Win_post, (MPI_GROUP_NULL, 0, a->win));
    WRONG(a, sync_error, "no MPI_Win_start", MPI_Win_complete, (a->win));
    WRONG(a, sync_error, "no MPI_Win_post", MPI_Win_wait, (a->win));
    if (nranks > 1)
        group_with_an_outsider(a);
}

static const struct row rows[] = {
    {"free", run_free, nkinds},     {"request", run_request, nkinds},
    {"epoch", run_epoch, nkinds},   {"pscw", run_pscw, nkinds},
    {"lock", run_lock, nkinds},     {"fence", run_fence, nkinds},
    {"flush", run_flush, nkinds},   {"lock_type", run_lock_type, nkinds},
    {"assert", run_assert, nkinds}, {"group", run_group, nkinds}};

int main(int argc, char **argv)
{
    start_listening(&argc, &argv);
    make_groups();
    run_row(argc, argv, rows, sizeof rows / sizeof rows[0]);
    free_groups();
    return finish_listening("error_epoch");
}
