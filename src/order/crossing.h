/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of different processes to the memory of one: conflicts that nothing orders.
 *
 * An origin hands over its accesses to their target when they are complete, with the clock of their
 * issue and a stamp (order/clock.h). The target compares each access with those received from other
 * origins so far. It keeps the last access of each place to the same bytes, until no process can
 * still issue an access that is not ordered after it. Accesses that an origin could know of are
 * taken before its own. Bytes are addresses of the target, so overlapping windows are compared as
 * well.
 *
 * A value orders as well. A process may read a value by an accumulate that fetches, or by a poll.
 * Its later accesses are after the update that wrote the value, as are accesses of processes after
 * it. The update is not known, so each update that is not ordered after the read counts.
 *
 * Memory is bounded: by the queues of the board and by PROA_ACCESSES_MOST. Accesses beyond these
 * are left out, and counted. The caller excludes other threads. A board is required.
 */
#ifndef PROA_ORDER_CROSSING_H
#define PROA_ORDER_CROSSING_H

#include "order/accesses.h"

#include <stdint.h>

/* Reports two accesses by different processes that conflict. Called at their target. */
typedef void proa_crossing_tell(const struct proa_access *first, const struct proa_access *second);

/* Called for each access that was taken, with the moment of its issue. */
typedef void proa_crossing_look(const struct proa_access *access);

/* Starts. tell: called for each conflict. arrive: called for each access with a serial, or NULL.
 * Returns 0, or a negative code. */
int proa_crossing_begin(proa_crossing_tell *tell, proa_crossing_look *arrive);
void proa_crossing_end(void);

/* Hands over an access to the memory of that process. stamp: stamp of its completion. */
void proa_crossing_hand_over(int process, const struct proa_access *access, uint64_t stamp);

/* Takes accesses that others handed over to this process, and compares them. */
void proa_crossing_take(void);

/* Returns the number of accesses that were left out so far. */
uint64_t proa_crossing_left_out(void);

/* Returns the number of accesses that are not reported because a value orders them. */
uint64_t proa_crossing_ordered_by_values(void);

#endif
