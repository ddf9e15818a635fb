/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two forms of the calls that programs make often: operations and synchronization.
 *
 * The plain form is what the library exports. The counted form (PROA_COUNTED: the same sources,
 * compiled once more) counts what is done, for PROA_STATS. A window that is counted is unknown to
 * the plain form, which hands over to the counted one what it does not know; that knows it, or
 * asks the host. So counting costs a window that is not counted nothing at all.
 */
#ifndef PROA_BIND_FORM_H
#define PROA_BIND_FORM_H

#include "bind/bind.h"
#include "bind/record.h"
#include "host/types.h"

/* A function of that call, its other names, the window that a handle is of (NULL: none of Proa's),
 * and what the call gives then. rank: the target's, or -1. */
#ifdef PROA_COUNTED
#define PROA_ENTRY_OF(name) int proa_counted_##name
#define PROA_ENTRY_ALIAS_OF(name) extern __typeof__(PMPI_##name) proa_counted_##name
#define PROA_WINDOW_OF(name, handle, rank) proa_counted_window(handle, PROA_CALL_##name, rank)
#define PROA_OTHERWISE_OF(name, handle, ...) PROA_HOST_ANSWERS(name, handle, __VA_ARGS__)
#else
#define PROA_ENTRY_OF(name) PROA_EXPORT int PMPI_##name
#define PROA_ENTRY_ALIAS_OF(name) PROA_ALIAS(name)
#define PROA_WINDOW_OF(name, handle, rank) proa_win_find_plain(handle)
#define PROA_OTHERWISE_OF(name, handle, ...) proa_counted_##name(__VA_ARGS__)
#endif
/* The name may be a macro of its own (bind/width.h). */
#define PROA_ENTRY(name) PROA_ENTRY_OF(name)
#define PROA_ENTRY_ALIAS(name) PROA_ENTRY_ALIAS_OF(name)
#define PROA_WINDOW(name, handle, rank) PROA_WINDOW_OF(name, handle, rank)
#define PROA_OTHERWISE(name, handle, ...) PROA_OTHERWISE_OF(name, handle, __VA_ARGS__)

#define PROA_DECLARE_COUNTED(name) extern __typeof__(PMPI_##name) proa_counted_##name;
PROA_PMPI_CHAPTER(PROA_DECLARE_COUNTED)
#undef PROA_DECLARE_COUNTED

/* An operation was done in the plain way, by load and store. The size is looked up in here: a
 * look-up that nobody needs would be made all the same, as it loads atomically. */
static inline void proa_count_plain(const struct proa_win *win, int64_t count,
                                    MPI_Datatype datatype)
{
#ifdef PROA_COUNTED
    proa_record_plain(win, (uint64_t)count * proa_type_find(datatype)->size);
#else
    (void)win;
    (void)count;
    (void)datatype;
#endif
}

/* Gives back the outcome of an operation in the general way, which is counted if it is a success.
 */
static inline int proa_count_generally(const struct proa_win *win, int rank, int64_t count,
                                       MPI_Datatype datatype, int outcome)
{
#ifdef PROA_COUNTED
    if (outcome == MPI_SUCCESS)
        proa_record_generally(win, rank, count, datatype);
#else
    (void)win;
    (void)rank;
    (void)count;
    (void)datatype;
#endif
    return outcome;
}

#endif
