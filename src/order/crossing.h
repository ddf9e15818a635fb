/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accesses of different processes to the memory of one: conflicts that nothing orders.
 *
 * An origin hands over its accesses to their target when they are complete, with the clock of their
 * issue and a stamp (order/clock.h). The target compares each with those of other origins that it
 * has got so far, and keeps the last one of each place to the same bytes, until no process can
 * still issue an access that is not ordered after it. Accesses that an origin could have learned of
 * are taken before its own. Bytes are addresses of the target, so windows that overlap are compared
 * as well.
 *
 * A value orders, too: an access comes after the update that wrote the value which its process, or
 * one before it, has read there by an accumulate that fetches or by a poll. Which update that was
 * is not known, so each counts that is not ordered after the read.
 *
 * Memory is bounded: by the queues of the board and by PROA_ACCESSES_MOST. Accesses beyond these
 * are left out, and counted. The caller excludes other threads. All of this needs a board.
 */
#ifndef PROA_ORDER_CROSSING_H
#define PROA_ORDER_CROSSING_H

#include "order/accesses.h"

#include <stdint.h>

/* Two accesses by different processes that conflict, to be told by their target. */
typedef void proa_crossing_tell(const struct proa_access *first, const struct proa_access *second);

/* An access was taken, with the moment of its issue. */
typedef void proa_crossing_look(const struct proa_access *access);

/* 0, or a negative code. arrive: of each access with a serial; NULL: none. */
int proa_crossing_begin(proa_crossing_tell *tell, proa_crossing_look *arrive);
void proa_crossing_end(void);

/* Hands an access to the memory of that process over; stamp: when it was complete. */
void proa_crossing_hand_over(int process, const struct proa_access *access, uint64_t stamp);

/* Takes what others have handed over to this process, and compares it. */
void proa_crossing_take(void);

/* How many accesses were left out so far. */
uint64_t proa_crossing_left_out(void);

/* How many accesses would have been told, if they had not come after a value that was read. */
uint64_t proa_crossing_ordered_by_values(void);

#endif
