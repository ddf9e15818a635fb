/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watched windows. A watched window is in no table of the fast form (bind/form.h), so its calls use
 * the slow form. When a call returns, the slow form reports it to all observers.
 */
#ifndef PROA_WATCH_WATCH_H
#define PROA_WATCH_WATCH_H

#include "check/check.h"
#include "watch/record.h"
#include "watch/traced.h"

#include <mpi.h>
#include <stdint.h>

/* Starts watching, if settings ask for it. Called before the first window. */
void proa_watch_start(void);

/* A call on a watched window returned: reports it to all observers. rank: target, or -1; its epoch
 * is the window's. way: enum proa_stats_way, or PROA_WATCHED_* (watch/record.h). bytes: size of the
 * operation, bytes. Observers are inlined: a call through a pointer costs more than counting. */
static inline __attribute__((always_inline)) void
proa_watched(const struct proa_win *win, enum proa_call call, int rank, int way, uint64_t bytes)
{
    proa_traced_observe(win, call, rank, way, bytes); /* first, as it reads the waits */
    proa_record_observe(win, call, rank, way, bytes);
    proa_check_observe(win, call, rank);
}

/* Reports an operation on the slow path to all observers. count, datatype: data at the target or
 * the origin, for its size in bytes. outcome: result of the call; MPI_SUCCESS if the operation was
 * done. */
void proa_watched_slow(const struct proa_win *win, enum proa_call call, int rank, int64_t count,
                       MPI_Datatype datatype, int outcome);

#endif
