/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process's part of a window with adopted memory (adopt/adopt.h) and other memory. The process
 * holds and publishes the memory; other processes access it.
 *
 * A table in the owner's arena lists the pieces. Neighbours map a peer's adopted memory in blocks
 * of PROA_PAGES_BLOCK. These stay mapped as long as the peer is known, so that a window on the same
 * memory needs no new mapping. A piece across the border of two blocks has a separate mapping for
 * the life of its window.
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

/* The place of the table of pieces, for other processes; count is 0 if no page is adopted and there
 * is no table. */
struct proa_pages_place {
    uint64_t offset;
    int32_t segment;
    uint32_t count;
};

/* Holds the window's memory, and adopts it if requested and possible. Returns PROA_OK or
 * PROA_ERR_NO_MEM. proa_pages_release undoes it. */
int proa_pages_hold(struct proa_win *win, const void *base, uint64_t bytes, enum proa_adopt adopt);

/* Records whether moving was worthwhile for a window that is about to be freed (adopt/policy.h). */
void proa_pages_learn(const struct proa_win *win);

/* Returns the place to publish to the other processes. *whole: set to whether all of the memory is
 * adopted. A window that holds no memory has no table. */
struct proa_pages_place proa_pages_show(const struct proa_win *win, int *whole);

/* Drops the hold of the window's memory, and removes the mappings made for it alone. */
void proa_pages_release(struct proa_win *win);

/* ---- the other processes' side ---- */

/* Sets the road of a span of private memory, and dependent fields. Adopted memory that cannot be
 * mapped here (span->here is NULL) is accessed through the kernel, like other private memory. Other
 * processes may still load and store there, so all guard it by stripes. */
void proa_pages_choose_road(struct proa_span *span, int adopted);

/* Sets the spans of target. address: start of the memory in its process. Returns PROA_OK,
 * PROA_ELSEWHERE with win->unreached set if the memory cannot be reached, or PROA_ERR_NO_MEM. */
int proa_pages_reach(struct proa_win *win, struct proa_target *target, uint64_t address,
                     const struct proa_pages_place *place);

#endif
