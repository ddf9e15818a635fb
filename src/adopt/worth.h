/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is it worth moving the memory that a window is made of to where neighbours map it
 * (adopt/adopt.h)?
 *
 * Moving it there and back takes some 60 us, and half a second for each GiB both ways; an operation
 * through the kernel takes half a microsecond more than a store. A window that lives for longer
 * than the moving has taken is worth it. Where one after the other is made on the very same memory
 * and freed sooner, until moving has wasted more than PROA_WORTH_WASTE_NS, the next stays where it
 * is, as do those that follow: until one of them is worked on so much that moving would have been
 * cheaper. Then they move again, and the waste that is put up with is twice what it was.
 *
 * So what comes and goes costs at most about twice what the better of the two ways would, but for
 * the one window that is worked on while it stays: a window has one way for all of its life, as
 * nobody may mix two guards (rma/guard.h).
 *
 * What is said of windows holds for regions that are attached and detached as well.
 *
 * Each process decides for its own memory, by what its own windows have done.
 */
#ifndef PROA_ADOPT_WORTH_H
#define PROA_ADOPT_WORTH_H

#include "adopt/adopt.h"

#include <stdint.h>

enum { PROA_WORTH_WASTE_NS = 500000, PROA_WORTH_CALL_NS = 500 };

/* What is remembered of a window, or a region, while it lives; all zero: nothing. */
struct proa_worth {
    uint64_t first, bytes;
    int moved;
    int known;     /* something may be learned from it */
    long held_ns;  /* moved: when it had its memory */
    long price_ns; /* of moving that there and back */
};

/* Before a window on [base, base + bytes) holds its memory: is that to be moved? 1 or 0. Any
 * thread, as all of these. */
int proa_worth_moving(struct proa_worth *worth, const void *base, uint64_t bytes);

/* It has it. adopted: bytes of it that are. */
void proa_worth_held(struct proa_worth *worth, uint64_t adopted);

/* All of that in one: the memory is held, and moved where that is asked for or worth it. As
 * proa_adopt_hold. */
int proa_worth_hold(struct proa_worth *worth, struct proa_hold *hold, const void *base,
                    uint64_t bytes, enum proa_adopt adopt);

/* It is to be freed. calls: operations that went there through the kernel, long ones as
 * several. */
void proa_worth_freed(const struct proa_worth *worth, uint64_t calls);

/* From now on all moves: some neighbour is refused by the kernel. */
void proa_worth_always(void);

#endif
