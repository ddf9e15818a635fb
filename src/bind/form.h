/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two forms of the calls that programs make often: operations and synchronization.
 *
 * The plain form is what the library exports. The counted form (PROA_COUNTED: the same sources,
 * compiled once more) counts what is done, for PROA_STATS. A window that is counted is unknown to
 * the plain form, which hands over to the counted one what it does not know; that knows it, or
 * asks the host. So counting costs a window that is not counted nothing at all.
 *
 * The library that `proa run --stats` loads has the counted form alone (PROA_ONLY_COUNTED), which
 * is what it exports then. It knows windows that are not counted as well.
 */
#ifndef PROA_BIND_FORM_H
#define PROA_BIND_FORM_H

#include "bind/bind.h"
#include "bind/record.h"
#include "host/types.h"

/* A function of that call, and its other names. They may be macros of their own (bind/width.h). */
#if defined PROA_COUNTED && !defined PROA_ONLY_COUNTED
#define PROA_ENTRY_OF(name) int proa_counted_##name
#define PROA_ENTRY_ALIAS_OF(name) extern __typeof__(PMPI_##name) proa_counted_##name
#else
#define PROA_ENTRY_OF(name) PROA_EXPORT int PMPI_##name
#define PROA_ENTRY_ALIAS_OF(name) PROA_ALIAS(name)
#endif
#define PROA_ENTRY(name) PROA_ENTRY_OF(name)
#define PROA_ENTRY_ALIAS(name) PROA_ENTRY_ALIAS_OF(name)

/* win = the window that a handle is of. Where this form knows none, the function returns what the
 * other form, or the host, makes of its arguments. rank: the target's, or -1. */
#ifdef PROA_COUNTED
#define PROA_FIND_OF(win, name, handle, rank, ...)                 \
    do {                                                           \
        win = proa_counted_window(handle, PROA_CALL_##name, rank); \
        if (PROA_RARELY(!win))                                     \
            return PROA_HOST_ANSWERS(name, handle, __VA_ARGS__);   \
    } while (0)
#else
#define PROA_FIND_OF(win, name, handle, rank, ...)   \
    do {                                             \
        win = proa_win_find_plain(handle);           \
        if (PROA_RARELY(!win))                       \
            return proa_counted_##name(__VA_ARGS__); \
    } while (0)
#endif
#define PROA_FIND(win, name, handle, rank, ...) PROA_FIND_OF(win, name, handle, rank, __VA_ARGS__)

#define PROA_DECLARE_COUNTED(name) extern __typeof__(PMPI_##name) proa_counted_##name;
PROA_PMPI_CHAPTER(PROA_DECLARE_COUNTED)
#undef PROA_DECLARE_COUNTED

#define PROA_COUNT static inline __attribute__((always_inline))

/* An operation of this call was done in the plain way, by load and store. */
PROA_COUNT void proa_count_plain(const struct proa_win *win, enum proa_call call, uint64_t bytes)
{
#ifdef PROA_COUNTED
    proa_record_way(win, call, PROA_STATS_PLAIN, bytes);
#else
    (void)win;
    (void)call;
    (void)bytes;
#endif
}

/* Gives back the outcome of an operation in the general way, which is counted if it is a success.
 */
PROA_COUNT int proa_count_generally(const struct proa_win *win, enum proa_call call, int rank,
                                    int64_t count, MPI_Datatype datatype, int outcome)
{
#ifdef PROA_COUNTED
    if (outcome == MPI_SUCCESS)
        proa_record_generally(win, call, rank, count, datatype);
#else
    (void)win;
    (void)call;
    (void)rank;
    (void)count;
    (void)datatype;
#endif
    return outcome;
}

#endif
