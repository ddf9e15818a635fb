/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of address ranges: the memory that windows hold, one range for each hold, and the memory
 * that has moved. Ranges of one set may overlap or be equal; those of moved memory do not.
 *
 * A set is an array ordered by the ranges' first addresses. Each range also keeps the largest end
 * so far, which never falls from one to the next: so a binary search finds the first range that
 * ends above an address. adopt.c is the only caller, under its mutex.
 */
#ifndef PROA_ADOPT_RANGES_H
#define PROA_ADOPT_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct proa_range {
    uint64_t first, end; /* end not included */
    uint64_t aside;      /* of moved memory: where the mapping of the first page is kept */
    uint64_t reach;      /* the largest end of this range and those before it */
};

/* All zero: empty. */
struct proa_ranges {
    struct proa_range *range;
    size_t count, room;
};

/* Adds [first, end), not empty. PROA_OK or PROA_ERR_NO_MEM, and nothing has changed. */
int proa_ranges_add(struct proa_ranges *ranges, uint64_t first, uint64_t end, uint64_t aside);

/* Removes one range that was added with these borders. Needs no memory. */
void proa_ranges_remove(struct proa_ranges *ranges, uint64_t first, uint64_t end);

/* Removes the bytes of [first, end) from ranges that do not overlap. Where they are the middle of
 * a range, and no memory is left for one more, that range stays as it is. */
void proa_ranges_cut(struct proa_ranges *ranges, uint64_t first, uint64_t end);

/* The first part of [first, end) that lies in one range: that range's bytes there, and their place
 * aside. An empty range at `end`: there is none. All bytes of the set are found by going on from
 * the end of each part. */
struct proa_range proa_ranges_within(const struct proa_ranges *ranges, uint64_t first,
                                     uint64_t end);

/* How many places of memory the ranges cover; ranges that touch or overlap are one place. */
size_t proa_ranges_places(const struct proa_ranges *ranges);

/* Forgets all. */
void proa_ranges_clear(struct proa_ranges *ranges);

#endif
