/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The policy of adoption: whether moving a window's memory into a file that neighbours map
 * (adopt/adopt.h) is worthwhile.
 *
 * Moving it in and back takes some 60 us, plus half a second per GiB for both ways. An operation
 * through the kernel takes half a microsecond longer than a store. Moving is worthwhile for a
 * window that lives longer than the move took. Consecutive windows on the same memory that are
 * freed sooner waste their moves. Once they have wasted more than PROA_ADOPT_POLICY_WASTE_NS, the
 * memory of the following windows stays where it is. It moves again after one of them had so many
 * operations that moving would have been cheaper; then the accepted waste doubles.
 *
 * So short-lived windows take at most about twice the time of the better choice. The exception is a
 * window with many operations while its memory stays: a window keeps one choice all its life, as
 * two guards must not be mixed (rma/guard.h).
 *
 * The waste, the price and the accepted waste of each place are kept. One bit would not suffice: a
 * window that is freed soon would set it, and one that is used would reset it. If every second
 * window were freed soon, all the others would use the kernel.
 *
 * The same holds for regions that are attached and detached.
 *
 * Each process decides for its own memory, by the history of its own windows. rma/pages.c and
 * rma/regions.c call this, from any thread; a separate mutex guards the places.
 */
#ifndef PROA_ADOPT_POLICY_H
#define PROA_ADOPT_POLICY_H

#include "adopt/adopt.h"

#include <stdint.h>

enum { PROA_ADOPT_POLICY_WASTE_NS = 500000, PROA_ADOPT_POLICY_CALL_NS = 500 };

/* Holds the memory of a window or region, and moves it if requested or worthwhile. Parameters and
 * result as for proa_adopt_hold. */
int proa_adopt_policy_hold(struct proa_hold *hold, const void *base, uint64_t bytes,
                           enum proa_adopt adopt);

/* Updates the policy before a window is freed. calls: number of operations on its memory through
 * the kernel; a long one counts as several. */
void proa_adopt_policy_freed(const struct proa_hold *hold, uint64_t calls);

/* From now on all memory moves, because the kernel refuses CMA to some neighbour. */
void proa_adopt_policy_always(void);

#endif
