/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of address ranges: the memory that windows hold, one range for each hold, and the memory
 * that has moved. Ranges of one set may overlap or be equal; those of moved memory do not.
 *
 * A set is an array ordered by the ranges' first addresses. Each range also keeps the largest end
 * so far, which never decreases from one to the next. So a binary search finds the first range that
 * ends above an address. adopt.c is the only caller, under its mutex.
 */
#ifndef PROA_ADOPT_RANGES_H
#define PROA_ADOPT_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct proa_range {
    uint64_t first, end; /* end exclusive */
    uint64_t aside;      /* of moved memory: address of the first page's mapping aside */
    uint64_t reach;      /* the largest end of this range and those before it */
};

/* A set of ranges; all zero if empty. */
struct proa_ranges {
    struct proa_range *range;
    size_t count, room;
};

/* Adds [first, end), not empty. Returns PROA_OK, or PROA_ERR_NO_MEM with the set unchanged. */
int proa_ranges_add(struct proa_ranges *ranges, uint64_t first, uint64_t end, uint64_t aside);

/* Removes one range that was added with these bounds. Needs no memory. */
void proa_ranges_remove(struct proa_ranges *ranges, uint64_t first, uint64_t end);

/* Removes the bytes of [first, end) from ranges that do not overlap. If they are the middle of a
 * range and there is no memory for another, that range does not change. */
void proa_ranges_cut(struct proa_ranges *ranges, uint64_t first, uint64_t end);

/* Returns the first part of [first, end) that lies in one range, with its place aside; an empty
 * range at `end` if there is none. Calls that continue from the end of each part find all bytes of
 * the set. */
struct proa_range proa_ranges_within(const struct proa_ranges *ranges, uint64_t first,
                                     uint64_t end);

/* Returns the number of places that the ranges cover; adjacent or overlapping ranges are one
 * place. */
size_t proa_ranges_places(const struct proa_ranges *ranges);

/* Removes all ranges. */
void proa_ranges_clear(struct proa_ranges *ranges);

#endif
