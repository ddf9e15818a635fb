/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of addresses, each with a count of its users. Memory that several windows have in common
 * is counted byte by byte, in as few ranges as that takes. Not thread-safe. */
#ifndef PROA_ADOPT_RANGES_H
#define PROA_ADOPT_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct proa_range {
    uint64_t first, end; /* end not included */
    uint64_t users;      /* not 0 */
};

/* In order, apart or of different counts. All zero: empty. */
struct proa_ranges {
    struct proa_range *range;
    size_t count, room;
    size_t adds; /* proa_ranges_add less proa_ranges_remove */
};

/* One user more for all of [first, end). PROA_OK or PROA_ERR_NO_MEM, and nothing has changed. */
int proa_ranges_add(struct proa_ranges *ranges, uint64_t first, uint64_t end);

/* One user less, of what was added with the same borders. Needs no memory. */
void proa_ranges_remove(struct proa_ranges *ranges, uint64_t first, uint64_t end);

/* The first range that has bytes at or above address; NULL: none. Valid until the next change. */
const struct proa_range *proa_ranges_next(const struct proa_ranges *ranges, uint64_t address);

/* Forgets all. */
void proa_ranges_clear(struct proa_ranges *ranges);

#endif
