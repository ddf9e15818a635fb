/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watched windows. A watched window is in no table of the fast form (bind/form.h), so its calls
 * take the slow form. When a call is over, that form tells all observers of it.
 */
#ifndef PROA_WATCH_WATCH_H
#define PROA_WATCH_WATCH_H

#include "check/check.h"
#include "watch/record.h"
#include "watch/traced.h"

#include <mpi.h>
#include <stdint.h>

/* Begins to watch, if settings say so. Before the first window. */
void proa_watch_start(void);

/* A call on a watched window is over: tells all observers. rank: the target's, or -1; its epoch is
 * the window's. way: enum proa_stats_way, or PROA_WATCHED_* (watch/record.h); bytes: of the
 * operation. Observers are inlined: a call through a pointer costs more than counting. */
static inline __attribute__((always_inline)) void
proa_watched(const struct proa_win *win, enum proa_call call, int rank, int way, uint64_t bytes)
{
    proa_traced_observe(win, call, rank, way, bytes); /* first: it looks at waits */
    proa_record_observe(win, call, rank, way, bytes);
    proa_check_observe(win, call, rank);
}

/* Tells all observers of an operation that has gone the general way, and was done if its outcome is
 * MPI_SUCCESS. count, datatype: of the data at the target or the origin, for its bytes. */
void proa_watched_slow(const struct proa_win *win, enum proa_call call, int rank, int64_t count,
                       MPI_Datatype datatype, int outcome);

#endif
