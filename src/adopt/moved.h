/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that has moved to the file of adopted memory, and the mapping that it left, which lies
 * aside and empty (adopt/relocate.h). Not thread-safe: under adoption's mutex.
 */
#ifndef PROA_ADOPT_MOVED_H
#define PROA_ADOPT_MOVED_H

#include <stddef.h>
#include <stdint.h>

struct proa_moved {
    uint64_t first, end; /* addresses, end not included: whole pages */
    uint64_t aside;      /* where the mapping of the first page is kept */
};

/* In order of addresses, apart. All zero: empty. */
struct proa_moves {
    struct proa_moved *moved;
    size_t count, room;
};

/* Room for `more` entries beside those that are there: adding them does not fail then. PROA_OK or
 * PROA_ERR_NO_MEM. */
int proa_moves_reserve(struct proa_moves *moves, size_t more);

/* Adds [first, end), which has moved, and of which nothing is in moves yet. Takes one entry of
 * room. */
void proa_moves_add(struct proa_moves *moves, uint64_t first, uint64_t end, uint64_t aside);

/* The first entry with bytes at or above address; NULL: none. Valid until the next change. */
const struct proa_moved *proa_moves_next(const struct proa_moves *moves, uint64_t address);

/* [first, end) is no more among the moved ranges. Where that is in the middle of an entry, and no
 * memory is left for one more, the entry stays as it is. */
void proa_moves_remove(struct proa_moves *moves, uint64_t first, uint64_t end);

void proa_moves_clear(struct proa_moves *moves);

#endif
