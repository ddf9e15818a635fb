/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The three forms of the calls that programs make often: operations and synchronization.
 *
 * The plain form is what the library exports. The counted form (PROA_COUNTED: the same sources,
 * compiled once more) counts what is done, for PROA_STATS. A window that is counted is unknown to
 * the plain form, which hands over to the counted one what it does not know; that knows it, or
 * hands over to the last form (PROA_UNKNOWN), which asks the host. So counting costs nothing on a
 * window that is not counted. Asking the host costs the other forms no registers, in which its
 * arguments would have to be kept.
 *
 * The library that `proa run --stats` loads has no plain form (PROA_ONLY_COUNTED): it exports the
 * counted one, which knows windows that are not counted as well.
 */
#ifndef PROA_BIND_FORM_H
#define PROA_BIND_FORM_H

#include "bind/bind.h"
#include "bind/record.h"
#include "host/types.h"

/* A function of that call, and its other names. They may be macros of their own (bind/width.h). */
#if defined PROA_UNKNOWN
#define PROA_ENTRY_OF(name) int proa_unknown_##name
#define PROA_ENTRY_ALIAS_OF(name) extern __typeof__(PMPI_##name) proa_unknown_##name
#elif defined PROA_COUNTED && !defined PROA_ONLY_COUNTED
#define PROA_ENTRY_OF(name) int proa_counted_##name
#define PROA_ENTRY_ALIAS_OF(name) extern __typeof__(PMPI_##name) proa_counted_##name
#else
#define PROA_ENTRY_OF(name) PROA_EXPORT PROA_HOT int PMPI_##name
#define PROA_ENTRY_ALIAS_OF(name) PROA_HOT PROA_ALIAS(name)
#endif
#define PROA_ENTRY(name) PROA_ENTRY_OF(name)
#define PROA_ENTRY_ALIAS(name) PROA_ENTRY_ALIAS_OF(name)

/* win = the window that a handle is of. If this form knows none, the function calls the next form,
 * or the host, and returns its result. */
#if defined PROA_UNKNOWN
#define PROA_FIND_OF(win, name, handle, ...)                 \
    do {                                                     \
        win = NULL;                                          \
        return PROA_HOST_ANSWERS(name, handle, __VA_ARGS__); \
    } while (0)
#elif defined PROA_COUNTED
#define PROA_FIND_OF(win, name, handle, ...)         \
    do {                                             \
        win = proa_win_find(handle);                 \
        if (PROA_RARELY(!win))                       \
            return proa_unknown_##name(__VA_ARGS__); \
    } while (0)
#else
#define PROA_FIND_OF(win, name, handle, ...)         \
    do {                                             \
        win = proa_win_find_plain(handle);           \
        if (PROA_RARELY(!win))                       \
            return proa_counted_##name(__VA_ARGS__); \
    } while (0)
#endif
#define PROA_FIND(win, name, handle, ...) PROA_FIND_OF(win, name, handle, __VA_ARGS__)

#define PROA_DECLARE_FORMS(name)                        \
    extern __typeof__(PMPI_##name) proa_counted_##name; \
    extern __typeof__(PMPI_##name) proa_unknown_##name;
PROA_PMPI_CHAPTER(PROA_DECLARE_FORMS)
#undef PROA_DECLARE_FORMS

/* Always inline: counts in the counted form, and costs the others nothing. */
#define PROA_COUNTING static inline __attribute__((always_inline))

/* Counts a call of synchronization, and gives its return value; rank: the target's, or -1. */
PROA_COUNTING int proa_finish(const struct proa_win *win, enum proa_call call, int rank, int code)
{
#ifdef PROA_COUNTED
    proa_record_call(win, call, rank);
#else
    (void)rank;
#endif
    return proa_return(win, call, code);
}

/* The same for a flush of one target, which on one node waits for no process. */
PROA_COUNTING int proa_finish_flush(const struct proa_win *win, enum proa_call call, int rank,
                                    int code)
{
#ifdef PROA_COUNTED
    if (!PROA_RARELY(code)) {
        proa_record_flush(win);
        return MPI_SUCCESS;
    }
#endif
    return proa_finish(win, call, rank, code);
}

/* An operation of this call was done in the plain way, by load and store. */
PROA_COUNTING void proa_count_plain(const struct proa_win *win, enum proa_call call, int rank,
                                    uint64_t bytes)
{
#ifdef PROA_COUNTED
    proa_record_way(win, call, rank, PROA_STATS_PLAIN, bytes);
#else
    (void)win;
    (void)call;
    (void)rank;
    (void)bytes;
#endif
}

/* The same for the operations that are always on one element of a basic type. */
PROA_COUNTING void proa_count_one(const struct proa_win *win, enum proa_call call, int rank,
                                  const struct proa_type *type)
{
#ifdef PROA_COUNTED
    proa_record_one(win, call, rank, type->basic);
#else
    (void)win;
    (void)call;
    (void)rank;
    (void)type;
#endif
}

/* Counts an operation in the general way if it is a success; returns its outcome.
 */
PROA_COUNTING int proa_count_generally(const struct proa_win *win, enum proa_call call, int rank,
                                       int64_t count, MPI_Datatype datatype, int outcome)
{
#ifdef PROA_COUNTED
    proa_record_generally(win, call, rank, count, datatype, outcome);
#else
    (void)win;
    (void)call;
    (void)rank;
    (void)count;
    (void)datatype;
#endif
    return outcome;
}

/* Counts the wait after a counted operation: it was completed, or has a request that the user will
 * wait for. */
PROA_COUNTING void proa_count_request(const struct proa_win *win, enum proa_call call, int rank,
                                      int given)
{
#ifdef PROA_COUNTED
    if (given)
        proa_record_request(win, call, rank);
    proa_record_waited(win, call, rank);
#else
    (void)win;
    (void)call;
    (void)rank;
    (void)given;
#endif
}

#endif
