/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is it worth moving the memory that a window is made of to where neighbours map it
 * (adopt/adopt.h)?
 *
 * Moving it there and back takes some 60 us, and half a second for each GiB both ways; an operation
 * through the kernel takes half a microsecond more than a store. A window that lives for longer
 * than the moving has taken is worth it. Windows on the very same memory that are freed sooner, one
 * after the other, waste their moves. Once they have wasted more than PROA_ADOPT_POLICY_WASTE_NS,
 * the memory of the following windows stays where it is. It moves again after one of them was
 * worked on so much that moving would have been cheaper; then the accepted waste doubles.
 *
 * So short-lived windows cost at most about twice as much as by the better of the two ways. The
 * exception is the one window that is worked on while its memory stays: a window has one way for
 * all of its life, as two guards must not be mixed (rma/guard.h).
 *
 * The waste, the price and the accepted waste of each place are kept. One bit would not do: a
 * window that is freed soon would set it, and one that is used reset it. Where every second window
 * is freed soon, all the others would go through the kernel.
 *
 * All of this holds for regions that are attached and detached as well.
 *
 * Each process decides for its own memory, by what its own windows have done. rma/pages.c and
 * rma/regions.c call this, from any thread; the places have a mutex of their own.
 */
#ifndef PROA_ADOPT_POLICY_H
#define PROA_ADOPT_POLICY_H

#include "adopt/adopt.h"

#include <stdint.h>

enum { PROA_ADOPT_POLICY_WASTE_NS = 500000, PROA_ADOPT_POLICY_CALL_NS = 500 };

/* Holds the memory of a window, or of a region, and moves it where that is asked for or worth it.
 * As proa_adopt_hold. */
int proa_adopt_policy_hold(struct proa_hold *hold, const void *base, uint64_t bytes,
                           enum proa_adopt adopt);

/* The window is to be freed. calls: operations that reached its memory through the kernel, long
 * ones counted as several. */
void proa_adopt_policy_freed(const struct proa_hold *hold, uint64_t calls);

/* From now on all memory moves: the kernel refuses cma to some neighbour. */
void proa_adopt_policy_always(void);

#endif
