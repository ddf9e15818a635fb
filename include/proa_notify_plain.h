/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of proa_notify.h in the program itself: each goes to Proa where Proa is loaded and
 * serves the window, and does the work by plain MPI where not.
 *
 * The plain way: an attribute of the window holds a second window, of the counters of each process,
 * which is locked for all from the number's setting on. A notified operation is the operation, a
 * flush, an atomic addition to the counter, and a flush of that. A threshold request is the receipt
 * of a message, which the process that counts the counter up so far sends.
 */
#ifndef PROA_NOTIFY_PLAIN_H
#define PROA_NOTIFY_PLAIN_H

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One copy in the program, however many of its files include this. */
#define PROA_NOTIFY_ONCE __attribute__((weak))

/* ---- Proa ---- */

/* Proa's function of that name; NULL: Proa is not loaded. The program's own comes first in the
 * search, hence the next one. */
PROA_NOTIFY_ONCE void *proa_notify_native(const char *name)
{
    return dlsym((void *)-1L /* RTLD_NEXT */, name);
}

typedef int (*proa_notify_serves)(MPI_Win win);
typedef int (*proa_notify_class)(void);
typedef int (*proa_notify_keyval)(int which);

/* Proa's address for that name, found once; NULL: Proa is not loaded. An extension of ISO C, which
 * has no conversion to pointers to functions. */
#define PROA_NOTIFY_KNOWN(type, name)                                                        \
    __extension__({                                                                          \
        static type proa_found;                                                              \
        static int proa_is_known;                                                            \
        if (!__atomic_load_n(&proa_is_known, __ATOMIC_ACQUIRE)) {                            \
            __atomic_store_n(&proa_found, (type)proa_notify_native(name), __ATOMIC_RELAXED); \
            __atomic_store_n(&proa_is_known, 1, __ATOMIC_RELEASE);                           \
        }                                                                                    \
        __atomic_load_n(&proa_found, __ATOMIC_RELAXED);                                      \
    })

PROA_NOTIFY_ONCE int PROA_Notify_is_native(MPI_Win win)
{
    int (*serves)(MPI_Win) = PROA_NOTIFY_KNOWN(proa_notify_serves, "PROA_Notify_is_native");

    return serves && serves(win);
}

/* Proa's word for whether there are windows that it leaves to the host. NULL: unknown yet, or
 * without Proa. */
static const int *proa_notify_others;

/* The head of a function: Proa's of that name does the work where Proa serves the window, and the
 * body where not. Behind the first call Proa's is called straight away, unless there are windows of
 * the host's: it answers for handles that are none of its own. */
#define PROA_NOTIFY_FUNCTION_OF(name, function, parameters, arguments)                          \
    static __typeof__(&name) proa_native_##name;                                                \
    static int proa_plain_##name parameters;                                                    \
    static __attribute__((noinline)) int proa_find_##name parameters                            \
    {                                                                                           \
        __typeof__(&name) found = PROA_NOTIFY_KNOWN(__typeof__(&name), #name);                  \
        const int *others = PROA_NOTIFY_KNOWN(const int *, "PROA_Notify_others");               \
        int is_alone = found && others && !__atomic_load_n(others, __ATOMIC_RELAXED);           \
                                                                                                \
        if (is_alone) {                                                                         \
            __atomic_store_n(&proa_notify_others, others, __ATOMIC_RELAXED);                    \
            __atomic_store_n(&proa_native_##name, found, __ATOMIC_RELEASE);                     \
        }                                                                                       \
        return found && (is_alone || PROA_Notify_is_native(win)) ? found arguments              \
                                                                 : proa_plain_##name arguments; \
    }                                                                                           \
    PROA_NOTIFY_ONCE int function parameters                                                    \
    {                                                                                           \
        __typeof__(&name) native = __atomic_load_n(&proa_native_##name, __ATOMIC_ACQUIRE);      \
                                                                                                \
        return native && !__atomic_load_n(proa_notify_others, __ATOMIC_RELAXED)                 \
                   ? native arguments                                                           \
                   : proa_find_##name arguments;                                                \
    }                                                                                           \
    static int proa_plain_##name parameters

#define PROA_NOTIFY_FUNCTION(name, parameters, arguments) \
    PROA_NOTIFY_FUNCTION_OF(name, name, parameters, arguments)

/* ---- the short way of a put or a get ---- */

/* Proa's for the plain case, in which counts and types are alike: 1, it is done; or 0, and nothing
 * is done. The arguments are fewer than the call's, and not needed afterwards: to pass them on and
 * to keep them takes as long as Proa's look at them. */
typedef int proa_notify_short(const void *origin_addr, MPI_Count count, MPI_Datatype datatype,
                              int target_rank, MPI_Aint target_disp, int notification_idx,
                              MPI_Win win);

static inline int proa_notify_no_short(const void *origin_addr, MPI_Count count,
                                       MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
                                       int notification_idx, MPI_Win win)
{
    (void)origin_addr, (void)count, (void)datatype, (void)target_rank;
    (void)target_disp, (void)notification_idx, (void)win;
    return 0;
}

/* The variable `way`: Proa's function of that name once it has been found, by the first call. */
#define PROA_NOTIFY_SHORT(way, name)                                                           \
    static proa_notify_short way##_first;                                                      \
    static proa_notify_short *way = way##_first;                                               \
    static int way##_first(const void *origin_addr, MPI_Count count, MPI_Datatype datatype,    \
                           int target_rank, MPI_Aint target_disp, int notification_idx,        \
                           MPI_Win win)                                                        \
    {                                                                                          \
        proa_notify_short *found = PROA_NOTIFY_KNOWN(proa_notify_short *, #name);              \
                                                                                               \
        found = found ? found : proa_notify_no_short;                                          \
        __atomic_store_n(&way, found, __ATOMIC_RELEASE);                                       \
        return found(origin_addr, count, datatype, target_rank, target_disp, notification_idx, \
                     win);                                                                     \
    }
PROA_NOTIFY_SHORT(proa_notify_put, PROA_Notify_put)
PROA_NOTIFY_SHORT(proa_notify_get, PROA_Notify_get)

/* The head of a put or a get: as PROA_NOTIFY_FUNCTION, and first that short way, inline. */
#define PROA_NOTIFY_MOVE(name, way, parameters, arguments)                                      \
    PROA_NOTIFY_ONCE int proa_notify_##name parameters;                                         \
    static inline int name parameters                                                           \
    {                                                                                           \
        if (origin_count == target_count && origin_datatype == target_datatype &&               \
            __atomic_load_n(&way, __ATOMIC_ACQUIRE)(origin_addr, origin_count, origin_datatype, \
                                                    target_rank, target_disp, notification_idx, \
                                                    win))                                       \
            return MPI_SUCCESS;                                                                 \
        return proa_notify_##name arguments;                                                    \
    }                                                                                           \
    PROA_NOTIFY_FUNCTION_OF(name, proa_notify_##name, parameters, arguments)

/* ---- plain MPI ---- */

/* Numbers of MPI_Count in the window of counters: how many thresholds are open, on a line of its
 * own, then the counters. The most thresholds that a process may have open for a window. */
enum { PROA_NOTIFY_OPEN = 0, PROA_NOTIFY_FIRST = 8, PROA_NOTIFY_THRESHOLDS = 256 };

struct proa_notify_threshold {
    MPI_Count idx, least; /* least 0: none is open here */
};

/* What a window's attribute holds. */
struct proa_notify_plain {
    MPI_Comm comm;
    MPI_Win counters; /* MPI_WIN_NULL: none yet */
    MPI_Count *own;
    MPI_Win thresholds; /* of each process, read and written under an exclusive lock */
    struct proa_notify_threshold *open;
    int size, *num; /* by rank */
};

PROA_NOTIFY_ONCE int proa_notify_plain_error(MPI_Win win, int code)
{
    if (code != MPI_SUCCESS)
        MPI_Win_call_errhandler(win, code);
    return code;
}

PROA_NOTIFY_ONCE int PROA_Notify_error_class(void)
{
    static int error_class;
    int (*native)(void) = PROA_NOTIFY_KNOWN(proa_notify_class, "PROA_Notify_error_class");

    if (native)
        return native();
    if (!error_class) {
        MPI_Add_error_class(&error_class);
        MPI_Add_error_string(error_class, "wrong notification index");
    }
    return error_class;
}

PROA_NOTIFY_ONCE int PROA_Notify_keyval(int which)
{
    static int keyvals[3] = {MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID};
    int (*native)(int) = PROA_NOTIFY_KNOWN(proa_notify_keyval, "PROA_Notify_keyval");

    if (native)
        return native(which);
    if (which < 0 || which > 2)
        return MPI_KEYVAL_INVALID;
    if (keyvals[which] == MPI_KEYVAL_INVALID)
        MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyvals[which], NULL);
    return keyvals[which];
}

PROA_NOTIFY_ONCE void proa_notify_plain_drop(struct proa_notify_plain *plain)
{
    if (plain->counters == MPI_WIN_NULL)
        return;
    MPI_Win_unlock_all(plain->counters);
    MPI_Win_free(&plain->counters);
}

/* The window is freed, which all processes do together. */
PROA_NOTIFY_ONCE int proa_notify_plain_free(MPI_Win win, int keyval, void *value, void *extra)
{
    struct proa_notify_plain *plain = (struct proa_notify_plain *)value;

    (void)win, (void)keyval, (void)extra;
    proa_notify_plain_drop(plain);
    MPI_Win_free(&plain->thresholds);
    MPI_Comm_free(&plain->comm);
    free(plain->num);
    free(plain);
    return MPI_SUCCESS;
}

PROA_NOTIFY_ONCE int proa_notify_plain_keyval(void)
{
    static int keyval = MPI_KEYVAL_INVALID;

    if (keyval == MPI_KEYVAL_INVALID)
        MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, proa_notify_plain_free, &keyval, NULL);
    return keyval;
}

PROA_NOTIFY_ONCE struct proa_notify_plain *proa_notify_plain_of(MPI_Win win)
{
    struct proa_notify_plain *plain = NULL;
    int flag = 0;

    MPI_Win_get_attr(win, proa_notify_plain_keyval(), &plain, &flag);
    return flag ? plain : NULL;
}

/* The communicator of a window's processes, of which MPI_COMM_WORLD has to have all. The group is
 * built anew of its ranks there, as MPICH 4.0 ends in MPI_Comm_create_group with a window's. */
PROA_NOTIFY_ONCE MPI_Comm proa_notify_plain_comm(MPI_Win win, int *size)
{
    MPI_Group group, world, same;
    MPI_Comm comm = MPI_COMM_NULL;
    int *ranks;

    MPI_Win_get_group(win, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(group, size);
    ranks = (int *)malloc(2 * (size_t)*size * sizeof *ranks);
    for (int i = 0; ranks && i < *size; i++)
        ranks[i] = i;
    if (ranks) {
        MPI_Group_translate_ranks(group, *size, ranks, world, ranks + *size);
        MPI_Group_incl(world, *size, ranks + *size, &same);
        MPI_Comm_create_group(MPI_COMM_WORLD, same, 12345, &comm);
        MPI_Group_free(&same);
    }
    free(ranks);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    return comm;
}

PROA_NOTIFY_ONCE struct proa_notify_plain *proa_notify_plain_make(MPI_Win win)
{
    static int num_most = INT_MAX;
    static MPI_Count value_most = INT64_MAX;
    struct proa_notify_plain *plain = (struct proa_notify_plain *)calloc(1, sizeof *plain);

    if (!plain)
        return NULL;
    plain->counters = MPI_WIN_NULL;
    plain->comm = proa_notify_plain_comm(win, &plain->size);
    plain->num = (int *)calloc((size_t)plain->size, sizeof *plain->num);
    MPI_Win_allocate(PROA_NOTIFY_THRESHOLDS * sizeof *plain->open, 1, MPI_INFO_NULL, plain->comm,
                     &plain->open, &plain->thresholds);
    for (int i = 0; i < PROA_NOTIFY_THRESHOLDS; i++)
        plain->open[i].least = 0;
    MPI_Win_set_attr(win, proa_notify_plain_keyval(), plain);
    MPI_Win_set_attr(win, PROA_WIN_NOTIFICATION_NUM_SB, &num_most);
    MPI_Win_set_attr(win, PROA_WIN_NOTIFICATION_NUM_UB, &num_most);
    MPI_Win_set_attr(win, PROA_WIN_NOTIFICATION_VALUE_UB, &value_most);
    return plain;
}

PROA_NOTIFY_ONCE int proa_notify_plain_set(MPI_Win win, int num)
{
    struct proa_notify_plain *plain = proa_notify_plain_of(win);
    MPI_Count open = 0;
    int wrong = num < 0, any = 0;

    if (!plain)
        plain = proa_notify_plain_make(win);
    if (!plain)
        return MPI_ERR_NO_MEM;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, plain->comm);
    if (any)
        return MPI_ERR_ARG;
    if (plain->counters != MPI_WIN_NULL) /* thresholds stay open, for the new counters */
        open = plain->own[PROA_NOTIFY_OPEN];
    proa_notify_plain_drop(plain);
    MPI_Allgather(&num, 1, MPI_INT, plain->num, 1, MPI_INT, plain->comm);
    /* whole lines: MPICH 4.0 mistakes the place of a part behind one of no multiple of 16 bytes */
    MPI_Win_allocate((PROA_NOTIFY_FIRST + ((MPI_Aint)num + 7) / 8 * 8) *
                         (MPI_Aint)sizeof(MPI_Count),
                     sizeof(MPI_Count), MPI_INFO_NULL, plain->comm, &plain->own, &plain->counters);
    plain->own[PROA_NOTIFY_OPEN] = open;
    for (int i = 0; i < num; i++)
        plain->own[PROA_NOTIFY_FIRST + i] = 0;
    MPI_Win_lock_all(0, plain->counters);
    MPI_Win_sync(plain->counters);
    return MPI_Barrier(plain->comm);
}

/* Has that rank a counter of that index? */
PROA_NOTIFY_ONCE int proa_notify_plain_check(MPI_Win win, int rank, int idx)
{
    struct proa_notify_plain *plain = proa_notify_plain_of(win);
    int num = plain && rank >= 0 && rank < plain->size ? plain->num[rank] : 0;

    return idx < 0 || (rank != MPI_PROC_NULL && idx >= num) ? PROA_Notify_error_class()
                                                            : MPI_SUCCESS;
}

/* *before: the number at that place of that process, to which `change` is added. */
PROA_NOTIFY_ONCE int proa_notify_plain_add(const struct proa_notify_plain *plain, int rank,
                                           MPI_Aint at, MPI_Count change, MPI_Count *before)
{
    MPI_Fetch_and_op(&change, before, MPI_COUNT, rank, at, change ? MPI_SUM : MPI_NO_OP,
                     plain->counters);
    return MPI_Win_flush(rank, plain->counters);
}

/* Ends the thresholds of that counter of that process which its value has come to. tags: room for
 * PROA_NOTIFY_THRESHOLDS; gets their places. Returns their number. Two processes never end the same
 * one, as the place is free when the lock is. */
PROA_NOTIFY_ONCE int proa_notify_plain_end(const struct proa_notify_plain *plain, int rank, int idx,
                                           MPI_Count value, int *tags)
{
    struct proa_notify_threshold open[PROA_NOTIFY_THRESHOLDS];
    MPI_Count before;
    int n = 0;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, plain->thresholds);
    MPI_Get(open, sizeof open, MPI_BYTE, rank, 0, sizeof open, MPI_BYTE, plain->thresholds);
    MPI_Win_flush(rank, plain->thresholds);
    for (int i = 0; i < PROA_NOTIFY_THRESHOLDS; i++)
        if (open[i].least > 0 && open[i].idx == idx && open[i].least <= value) {
            open[i].least = 0;
            MPI_Put(&open[i], sizeof open[i], MPI_BYTE, rank, i * (MPI_Aint)sizeof open[i],
                    sizeof open[i], MPI_BYTE, plain->thresholds);
            tags[n++] = i;
        }
    if (n)
        proa_notify_plain_add(plain, rank, PROA_NOTIFY_OPEN, -n, &before);
    MPI_Win_unlock(rank, plain->thresholds);
    return n;
}

/* The operation is issued: completes it, counts, and completes the requests of the thresholds that
 * the counter has come to. A process that opens one looks at the counter after it has counted the
 * threshold, so one of the two sees the other. */
PROA_NOTIFY_ONCE int proa_notify_plain_count(MPI_Win win, int rank, int idx)
{
    struct proa_notify_plain *plain = proa_notify_plain_of(win);
    int error = rank == MPI_PROC_NULL ? MPI_SUCCESS : MPI_Win_flush(rank, win), n = 0;
    int tags[PROA_NOTIFY_THRESHOLDS];
    MPI_Count before = 0, open = 0;

    if (error != MPI_SUCCESS || rank == MPI_PROC_NULL)
        return error;
    error = proa_notify_plain_add(plain, rank, PROA_NOTIFY_FIRST + idx, 1, &before);
    if (error == MPI_SUCCESS)
        error = proa_notify_plain_add(plain, rank, PROA_NOTIFY_OPEN, 0, &open);
    if (error == MPI_SUCCESS && open)
        n = proa_notify_plain_end(plain, rank, idx, before + 1, tags);
    for (int i = 0; i < n; i++)
        MPI_Send(NULL, 0, MPI_BYTE, rank, tags[i], plain->comm);
    return error;
}

PROA_NOTIFY_ONCE int proa_notify_plain_fetch(MPI_Win win, int idx, MPI_Op op, MPI_Count *value)
{
    static const MPI_Count zero = 0;
    struct proa_notify_plain *plain = proa_notify_plain_of(win);
    int rank, error, is_there;

    if (!plain)
        return PROA_Notify_error_class();
    MPI_Comm_rank(plain->comm, &rank);
    error = proa_notify_plain_check(win, rank, idx);
    if (error != MPI_SUCCESS)
        return error;
    /* Open MPI 6 moves nothing in the two calls below, and an origin may need this rank's help */
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, plain->comm, &is_there, MPI_STATUS_IGNORE);
    MPI_Fetch_and_op(&zero, value, MPI_COUNT, rank, PROA_NOTIFY_FIRST + idx, op, plain->counters);
    error = MPI_Win_flush(rank, plain->counters);
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* the program's loads come after */
    return error;
}

/* ---- counters ---- */

PROA_NOTIFY_FUNCTION(PROA_Win_set_num_notify, (MPI_Win win, MPI_Info info, int num),
                     (win, info, num))
{
    (void)info;
    return proa_notify_plain_error(win, proa_notify_plain_set(win, num));
}

PROA_NOTIFY_FUNCTION(PROA_Win_get_num_notify, (MPI_Win win, int rank, int *num), (win, rank, num))
{
    struct proa_notify_plain *plain = proa_notify_plain_of(win);

    *num = plain && rank >= 0 && rank < plain->size ? plain->num[rank] : 0;
    return MPI_SUCCESS;
}

PROA_NOTIFY_FUNCTION(PROA_Win_get_notify_value,
                     (MPI_Win win, int notification_idx, MPI_Count *value),
                     (win, notification_idx, value))
{
    return proa_notify_plain_error(
        win, proa_notify_plain_fetch(win, notification_idx, MPI_NO_OP, value));
}

PROA_NOTIFY_FUNCTION(PROA_Win_reset_notify_value,
                     (MPI_Win win, int notification_idx, MPI_Count *value),
                     (win, notification_idx, value))
{
    return proa_notify_plain_error(
        win, proa_notify_plain_fetch(win, notification_idx, MPI_REPLACE, value));
}

/* The place of a threshold that was free, and is open now; -1: none is free. Under the lock. */
PROA_NOTIFY_ONCE int proa_notify_plain_open(const struct proa_notify_plain *plain, int rank,
                                            struct proa_notify_threshold threshold)
{
    struct proa_notify_threshold open[PROA_NOTIFY_THRESHOLDS];
    MPI_Count before;
    int place = 0;

    MPI_Get(open, sizeof open, MPI_BYTE, rank, 0, sizeof open, MPI_BYTE, plain->thresholds);
    MPI_Win_flush(rank, plain->thresholds);
    while (place < PROA_NOTIFY_THRESHOLDS && open[place].least)
        place++;
    if (place == PROA_NOTIFY_THRESHOLDS)
        return -1;
    MPI_Put(&threshold, sizeof threshold, MPI_BYTE, rank, place * (MPI_Aint)sizeof threshold,
            sizeof threshold, MPI_BYTE, plain->thresholds);
    MPI_Win_flush(rank, plain->thresholds);
    proa_notify_plain_add(plain, rank, PROA_NOTIFY_OPEN, 1, &before);
    return place;
}

/* A message has the number of the place as its tag. Messages of a place that was used again may
 * complete each other's requests: both thresholds have been come to by then. */
PROA_NOTIFY_ONCE int proa_notify_plain_threshold(MPI_Win win, int idx, MPI_Count expected,
                                                 MPI_Request *request)
{
    struct proa_notify_plain *plain = proa_notify_plain_of(win);
    struct proa_notify_threshold threshold = {idx, expected > 0 ? expected : 0};
    MPI_Count value = 0, before;
    int rank, place, error = proa_notify_plain_fetch(win, idx, MPI_NO_OP, &value);

    *request = MPI_REQUEST_NULL;
    if (error != MPI_SUCCESS)
        return error;
    MPI_Comm_rank(plain->comm, &rank);
    if (value >= threshold.least)
        return MPI_Irecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, plain->comm, request);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, plain->thresholds);
    place = proa_notify_plain_open(plain, rank, threshold);
    if (place >= 0)
        error = proa_notify_plain_fetch(win, idx, MPI_NO_OP, &value);
    if (place >= 0 && value >= threshold.least) { /* its last message may be past */
        threshold.least = 0;
        MPI_Put(&threshold, sizeof threshold, MPI_BYTE, rank, place * (MPI_Aint)sizeof threshold,
                sizeof threshold, MPI_BYTE, plain->thresholds);
        proa_notify_plain_add(plain, rank, PROA_NOTIFY_OPEN, -1, &before);
    }
    if (place >= 0)
        MPI_Irecv(NULL, 0, MPI_BYTE, threshold.least ? MPI_ANY_SOURCE : MPI_PROC_NULL, place,
                  plain->comm, request);
    MPI_Win_unlock(rank, plain->thresholds);
    return place < 0 ? MPI_ERR_NO_MEM : error;
}

PROA_NOTIFY_FUNCTION(PROA_Win_notify_ithreshold,
                     (MPI_Win win, int notification_idx, MPI_Count expected, MPI_Request *request),
                     (win, notification_idx, expected, request))
{
    return proa_notify_plain_error(
        win, proa_notify_plain_threshold(win, notification_idx, expected, request));
}

PROA_NOTIFY_FUNCTION(PROA_Win_wait_notify, (MPI_Win win, int notification_idx, MPI_Count expected),
                     (win, notification_idx, expected))
{
    MPI_Count value = 0;
    int error = MPI_SUCCESS;

    do
        error = PROA_Win_get_notify_value(win, notification_idx, &value);
    while (error == MPI_SUCCESS && value < expected);
    return error;
}

PROA_NOTIFY_FUNCTION(PROA_Win_waitsome_notify,
                     (MPI_Win win, int count, const int indices[], const MPI_Count expected[],
                      int *outcount, int which[]),
                     (win, count, indices, expected, outcount, which))
{
    MPI_Count value = 0;
    int error = MPI_SUCCESS;

    *outcount = 0;
    while (count > 0 && *outcount == 0 && error == MPI_SUCCESS)
        for (int i = 0; i < count && error == MPI_SUCCESS; i++) {
            error = PROA_Win_get_notify_value(win, indices[i], &value);
            if (error == MPI_SUCCESS && value >= expected[i])
                which[(*outcount)++] = i;
        }
    return error;
}

/* Loads see the counter where private and public copies of a window are one (MPI-4.1, 13.4). */
PROA_NOTIFY_ONCE int proa_notify_plain_address(MPI_Win win, int idx, void *address)
{
    struct proa_notify_plain *plain = proa_notify_plain_of(win);
    int rank, flag, error, *model = NULL;

    if (!plain)
        return PROA_Notify_error_class();
    MPI_Comm_rank(plain->comm, &rank);
    error = proa_notify_plain_check(win, rank, idx);
    if (error != MPI_SUCCESS)
        return error;
    MPI_Win_get_attr(plain->counters, MPI_WIN_MODEL, &model, &flag);
    if (!flag || *model != MPI_WIN_UNIFIED)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    *(MPI_Count **)address = plain->own + PROA_NOTIFY_FIRST + idx;
    return MPI_SUCCESS;
}

PROA_NOTIFY_FUNCTION(PROA_Win_get_notify_address,
                     (MPI_Win win, int notification_idx, void *address),
                     (win, notification_idx, address))
{
    return proa_notify_plain_error(win, proa_notify_plain_address(win, notification_idx, address));
}

/* ---- operations ---- */

/* The body of each: a check, the operation, and the count. */
#define PROA_NOTIFY_COUNTED(operation)                                       \
    int error = proa_notify_plain_check(win, target_rank, notification_idx); \
                                                                             \
    if (error != MPI_SUCCESS)                                                \
        return proa_notify_plain_error(win, error);                          \
    error = operation;                                                       \
    return error != MPI_SUCCESS ? error                                      \
                                : proa_notify_plain_count(win, target_rank, notification_idx)

PROA_NOTIFY_MOVE(PROA_Put_notify, proa_notify_put,
                 (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                  int target_rank, MPI_Aint target_disp, int target_count,
                  MPI_Datatype target_datatype, int notification_idx, MPI_Win win),
                 (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                  target_count, target_datatype, notification_idx, win))
{
    PROA_NOTIFY_COUNTED(MPI_Put(origin_addr, origin_count, origin_datatype, target_rank,
                                target_disp, target_count, target_datatype, win));
}

PROA_NOTIFY_MOVE(PROA_Get_notify, proa_notify_get,
                 (void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                  int target_rank, MPI_Aint target_disp, int target_count,
                  MPI_Datatype target_datatype, int notification_idx, MPI_Win win),
                 (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                  target_count, target_datatype, notification_idx, win))
{
    PROA_NOTIFY_COUNTED(MPI_Get(origin_addr, origin_count, origin_datatype, target_rank,
                                target_disp, target_count, target_datatype, win));
}

PROA_NOTIFY_FUNCTION(PROA_Accumulate_notify,
                     (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, int target_count,
                      MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win),
                     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                      target_count, target_datatype, op, notification_idx, win))
{
    PROA_NOTIFY_COUNTED(MPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank,
                                       target_disp, target_count, target_datatype, op, win));
}

PROA_NOTIFY_FUNCTION(PROA_Get_accumulate_notify,
                     (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                      void *result_addr, int result_count, MPI_Datatype result_datatype,
                      int target_rank, MPI_Aint target_disp, int target_count,
                      MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win),
                     (origin_addr, origin_count, origin_datatype, result_addr, result_count,
                      result_datatype, target_rank, target_disp, target_count, target_datatype, op,
                      notification_idx, win))
{
    PROA_NOTIFY_COUNTED(MPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr,
                                           result_count, result_datatype, target_rank, target_disp,
                                           target_count, target_datatype, op, win));
}

PROA_NOTIFY_FUNCTION(PROA_Rput_notify,
                     (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, int target_count,
                      MPI_Datatype target_datatype, int notification_idx, MPI_Win win,
                      MPI_Request *request),
                     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                      target_count, target_datatype, notification_idx, win, request))
{
    PROA_NOTIFY_COUNTED(MPI_Rput(origin_addr, origin_count, origin_datatype, target_rank,
                                 target_disp, target_count, target_datatype, win, request));
}

PROA_NOTIFY_FUNCTION(PROA_Rget_notify,
                     (void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, int target_count,
                      MPI_Datatype target_datatype, int notification_idx, MPI_Win win,
                      MPI_Request *request),
                     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                      target_count, target_datatype, notification_idx, win, request))
{
    PROA_NOTIFY_COUNTED(MPI_Rget(origin_addr, origin_count, origin_datatype, target_rank,
                                 target_disp, target_count, target_datatype, win, request));
}

PROA_NOTIFY_FUNCTION(PROA_Raccumulate_notify,
                     (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, int target_count,
                      MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win,
                      MPI_Request *request),
                     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                      target_count, target_datatype, op, notification_idx, win, request))
{
    PROA_NOTIFY_COUNTED(MPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank,
                                        target_disp, target_count, target_datatype, op, win,
                                        request));
}

PROA_NOTIFY_FUNCTION(PROA_Rget_accumulate_notify,
                     (const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                      void *result_addr, int result_count, MPI_Datatype result_datatype,
                      int target_rank, MPI_Aint target_disp, int target_count,
                      MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win,
                      MPI_Request *request),
                     (origin_addr, origin_count, origin_datatype, result_addr, result_count,
                      result_datatype, target_rank, target_disp, target_count, target_datatype, op,
                      notification_idx, win, request))
{
    PROA_NOTIFY_COUNTED(MPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr,
                                            result_count, result_datatype, target_rank, target_disp,
                                            target_count, target_datatype, op, win, request));
}

/* MPI_Put_c and its kin. A host of MPI-3 has the calls with counts of int alone: it is told counts
 * that fit, and others are MPI_ERR_COUNT. */
#if MPI_VERSION >= 4
#define PROA_NOTIFY_COUNT(count) (count)
#define PROA_NOTIFY_LARGE(name, most, ...) name##_c(__VA_ARGS__)
#else
#define PROA_NOTIFY_COUNT(count) ((int)(count))
#define PROA_NOTIFY_LARGE(name, most, ...) \
    ((most) <= INT_MAX ? name(__VA_ARGS__) : proa_notify_plain_error(win, MPI_ERR_COUNT))
#endif

PROA_NOTIFY_ONCE MPI_Count proa_notify_most(MPI_Count a, MPI_Count b)
{
    return a > b ? a : b;
}

PROA_NOTIFY_MOVE(PROA_Put_notify_c, proa_notify_put,
                 (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                  int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                  MPI_Datatype target_datatype, int notification_idx, MPI_Win win),
                 (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                  target_count, target_datatype, notification_idx, win))
{
    PROA_NOTIFY_COUNTED(PROA_NOTIFY_LARGE(MPI_Put, proa_notify_most(origin_count, target_count),
                                          origin_addr, PROA_NOTIFY_COUNT(origin_count),
                                          origin_datatype, target_rank, target_disp,
                                          PROA_NOTIFY_COUNT(target_count), target_datatype, win));
}

PROA_NOTIFY_MOVE(PROA_Get_notify_c, proa_notify_get,
                 (void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                  int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                  MPI_Datatype target_datatype, int notification_idx, MPI_Win win),
                 (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                  target_count, target_datatype, notification_idx, win))
{
    PROA_NOTIFY_COUNTED(PROA_NOTIFY_LARGE(MPI_Get, proa_notify_most(origin_count, target_count),
                                          origin_addr, PROA_NOTIFY_COUNT(origin_count),
                                          origin_datatype, target_rank, target_disp,
                                          PROA_NOTIFY_COUNT(target_count), target_datatype, win));
}

PROA_NOTIFY_FUNCTION(PROA_Accumulate_notify_c,
                     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win),
                     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                      target_count, target_datatype, op, notification_idx, win))
{
    PROA_NOTIFY_COUNTED(
        PROA_NOTIFY_LARGE(MPI_Accumulate, proa_notify_most(origin_count, target_count), origin_addr,
                          PROA_NOTIFY_COUNT(origin_count), origin_datatype, target_rank,
                          target_disp, PROA_NOTIFY_COUNT(target_count), target_datatype, op, win));
}

PROA_NOTIFY_FUNCTION(PROA_Get_accumulate_notify_c,
                     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win),
                     (origin_addr, origin_count, origin_datatype, result_addr, result_count,
                      result_datatype, target_rank, target_disp, target_count, target_datatype, op,
                      notification_idx, win))
{
    PROA_NOTIFY_COUNTED(PROA_NOTIFY_LARGE(
        MPI_Get_accumulate,
        proa_notify_most(origin_count, proa_notify_most(result_count, target_count)), origin_addr,
        PROA_NOTIFY_COUNT(origin_count), origin_datatype, result_addr,
        PROA_NOTIFY_COUNT(result_count), result_datatype, target_rank, target_disp,
        PROA_NOTIFY_COUNT(target_count), target_datatype, op, win));
}

PROA_NOTIFY_FUNCTION(PROA_Rput_notify_c,
                     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, int notification_idx, MPI_Win win,
                      MPI_Request *request),
                     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                      target_count, target_datatype, notification_idx, win, request))
{
    PROA_NOTIFY_COUNTED(PROA_NOTIFY_LARGE(
        MPI_Rput, proa_notify_most(origin_count, target_count), origin_addr,
        PROA_NOTIFY_COUNT(origin_count), origin_datatype, target_rank, target_disp,
        PROA_NOTIFY_COUNT(target_count), target_datatype, win, request));
}

PROA_NOTIFY_FUNCTION(PROA_Rget_notify_c,
                     (void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, int notification_idx, MPI_Win win,
                      MPI_Request *request),
                     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                      target_count, target_datatype, notification_idx, win, request))
{
    PROA_NOTIFY_COUNTED(PROA_NOTIFY_LARGE(
        MPI_Rget, proa_notify_most(origin_count, target_count), origin_addr,
        PROA_NOTIFY_COUNT(origin_count), origin_datatype, target_rank, target_disp,
        PROA_NOTIFY_COUNT(target_count), target_datatype, win, request));
}

PROA_NOTIFY_FUNCTION(PROA_Raccumulate_notify_c,
                     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win,
                      MPI_Request *request),
                     (origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                      target_count, target_datatype, op, notification_idx, win, request))
{
    PROA_NOTIFY_COUNTED(PROA_NOTIFY_LARGE(
        MPI_Raccumulate, proa_notify_most(origin_count, target_count), origin_addr,
        PROA_NOTIFY_COUNT(origin_count), origin_datatype, target_rank, target_disp,
        PROA_NOTIFY_COUNT(target_count), target_datatype, op, win, request));
}

PROA_NOTIFY_FUNCTION(PROA_Rget_accumulate_notify_c,
                     (const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win,
                      MPI_Request *request),
                     (origin_addr, origin_count, origin_datatype, result_addr, result_count,
                      result_datatype, target_rank, target_disp, target_count, target_datatype, op,
                      notification_idx, win, request))
{
    PROA_NOTIFY_COUNTED(PROA_NOTIFY_LARGE(
        MPI_Rget_accumulate,
        proa_notify_most(origin_count, proa_notify_most(result_count, target_count)), origin_addr,
        PROA_NOTIFY_COUNT(origin_count), origin_datatype, result_addr,
        PROA_NOTIFY_COUNT(result_count), result_datatype, target_rank, target_disp,
        PROA_NOTIFY_COUNT(target_count), target_datatype, op, win, request));
}

#ifdef __cplusplus
}
#endif

#endif
