/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions attached to a dynamic window, which are its spans, and how an origin finds the one
 * that an address lies in.
 *
 * Each process keeps a sorted table of its regions in its arena, readable by all; it changes only
 * in attach and detach, which build the new table aside and publish it under a sequence count. An
 * origin searches by halves and keeps the span that it found last.
 */
#ifndef PROA_RMA_REGIONS_H
#define PROA_RMA_REGIONS_H

#include "shm/peer.h"

#include <stddef.h>
#include <stdint.h>

struct proa_win;
struct proa_target;
struct proa_span;

/* A region, or a piece of one, as it stands in the shared table. */
struct proa_region {
    uint64_t start, end; /* addresses in the owner, end not included */
    int64_t segment;     /* of the arena that holds it; or enum proa_region_kind */
    uint64_t offset;     /* in that segment */
    /* of that arena, where it is not the process that attached the region (rma/memory_owner.h); id
     * 0: it is */
    struct proa_hello owner;
};

enum proa_region_kind { PROA_REGION_PRIVATE = -1, PROA_REGION_ADOPTED = -2 /* adopt/adopt.h */ };

/* MPI_Win_attach and MPI_Win_detach. PROA_ERR_RMA_ATTACH: overlaps an attached region;
 * PROA_ERR_BASE: no region starts at base; PROA_ERR_NO_MEM. Local, may be called while others
 * access other regions. */
int proa_regions_attach(struct proa_win *win, void *base, uint64_t bytes);

int proa_regions_detach(struct proa_win *win, const void *base);

/* Forgets all regions of a window that is being freed. */
void proa_regions_free(struct proa_win *win);

/* The span of target that holds the byte at address; regions of the same piece of memory that
 * follow one another are one, as far as [address, address + bytes) asks. cache: keep it in
 * target->only (not where several threads look at once). PROA_OK, PROA_ERR_RMA_RANGE, or what
 * mapping the memory returned. */
int proa_regions_find(struct proa_win *win, struct proa_target *target, uint64_t address,
                      uint64_t bytes, int cache, struct proa_span *span);

#endif
