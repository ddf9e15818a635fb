/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions attached to a dynamic window, which are its spans, and the search for the region of
 * an address.
 *
 * Each process has a sorted table of its regions in its arena, readable by all. Only attach and
 * detach change it, under a sequence count. An origin uses binary search and caches the last span
 * found.
 */
#ifndef PROA_RMA_REGIONS_H
#define PROA_RMA_REGIONS_H

#include "shm/peer.h"

#include <stddef.h>
#include <stdint.h>

struct proa_win;
struct proa_target;
struct proa_span;

/* A row of the shared table: a region, or a piece of one. */
struct proa_region {
    uint64_t start, end; /* addresses in the owner, end exclusive */
    int64_t segment;     /* of the arena that holds it; or enum proa_region_kind */
    uint64_t offset;     /* in that segment */
    /* owner of that arena, if not the process that attached the region (rma/memory_owner.h); else
     * id 0 */
    struct proa_hello owner;
};

enum proa_region_kind { PROA_REGION_PRIVATE = -1, PROA_REGION_ADOPTED = -2 /* adopt/adopt.h */ };

/* MPI_Win_attach and MPI_Win_detach. Return PROA_OK, PROA_ERR_RMA_ATTACH if the region overlaps an
 * attached one, PROA_ERR_BASE if no region starts at base, or PROA_ERR_NO_MEM. Local; may be called
 * while other processes access other regions. */
int proa_regions_attach(struct proa_win *win, void *base, uint64_t bytes);

int proa_regions_detach(struct proa_win *win, const void *base);

/* Removes all regions of a window that is being freed. */
void proa_regions_free(struct proa_win *win);

/* Finds the span of target that holds the byte at address. Consecutive regions of the same piece of
 * memory are merged as far as needed for [address, address + bytes). cache: 1 to keep the span in
 * target->only; 0 if several threads may call this at once. Returns PROA_OK, PROA_ERR_RMA_RANGE, or
 * the error of mapping the memory. */
int proa_regions_find(struct proa_win *win, struct proa_target *target, uint64_t address,
                      uint64_t bytes, int cache, struct proa_span *span);

#endif
