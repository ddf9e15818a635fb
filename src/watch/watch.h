/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watched windows. A watched window is in no table of the fast form (bind/form.h), so its calls
 * take the slow form. When a call is over, that form tells all observers of it, in the order of one
 * table.
 */
#ifndef PROA_WATCH_WATCH_H
#define PROA_WATCH_WATCH_H

#include "watch/observer.h"
#include "watch/record.h"

#include <mpi.h>
#include <stdint.h>

/* The observers: each a proa_observer, called in this order. They are inlined: a call through a
 * pointer costs more than counting. */
#define PROA_OBSERVERS(X) X(proa_record_observe)

/* Tells all observers; arguments as of proa_observer. */
static inline __attribute__((always_inline)) void
proa_watched(const struct proa_win *win, enum proa_call call, int rank, int way, uint64_t bytes)
{
#define PROA_TELL(observe) observe(win, call, rank, way, bytes);
    PROA_OBSERVERS(PROA_TELL)
#undef PROA_TELL
}

/* Tells all observers of an operation that has gone the general way, and was done if its outcome is
 * MPI_SUCCESS. count, datatype: of the data at the target or the origin, for its bytes. */
void proa_watched_slow(const struct proa_win *win, enum proa_call call, int rank, int64_t count,
                       MPI_Datatype datatype, int outcome);

#endif
