/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process's part of a window that consists of adopted memory (adopt/adopt.h) and other. Its
 * process holds it and publishes it; the other processes reach it.
 *
 * A table in the owner's arena lists the pieces. Neighbours map a peer's adopted memory in blocks
 * of PROA_PAGES_BLOCK that stay mapped as long as the peer is known, so that a window made again
 * costs nothing; a piece over the border of two blocks gets a mapping of its own, for as long as
 * its window lives.
 */
#ifndef PROA_RMA_PAGES_H
#define PROA_RMA_PAGES_H

#include "adopt/adopt.h"
#include "shm/peer.h"

#include <stdint.h>

struct proa_win;
struct proa_target;
struct proa_span;

/* ---- the owner's side ---- */

/* Where the table of pieces is, for others; count 0: there is none, nothing is adopted. */
struct proa_pages_place {
    uint64_t offset;
    int32_t segment;
    uint32_t count;
};

/* Holds the window's memory, adopted as far as it can be if that is wanted. PROA_OK, or
 * PROA_ERR_NO_MEM. Undone by proa_pages_release. */
int proa_pages_hold(struct proa_win *win, const void *base, uint64_t bytes, enum proa_adopt adopt);

/* Records whether moving was worth it for a window that is about to be freed (adopt/policy.h). */
void proa_pages_learn(const struct proa_win *win);

/* The place that the other processes are told. *whole: all of the memory is adopted. A window that
 * holds nothing has no table. */
struct proa_pages_place proa_pages_show(const struct proa_win *win, int *whole);

/* Lets go of the window's memory, and unmaps what was mapped for it alone. */
void proa_pages_release(struct proa_win *win);

/* ---- the others' side ---- */

/* Sets the road of a span of private memory, and what depends on it. Adopted memory that cannot be
 * mapped here (span->here is NULL) is reached through the kernel, as other private memory is. Other
 * processes still use it by load and store, so that all guard it by stripes. */
void proa_pages_choose_road(struct proa_span *span, int adopted);

/* Sets the spans of target, whose memory is at address in its process. PROA_OK; PROA_ELSEWHERE,
 * with win->unreached set, if it cannot be reached; or PROA_ERR_NO_MEM. */
int proa_pages_reach(struct proa_win *win, struct proa_target *target, uint64_t address,
                     const struct proa_pages_place *place);

#endif
