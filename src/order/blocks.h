/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table of nodes with few bytes, by the block of memory in which they begin: accesses of
 * words, which irregular programs make many of. A bucket is a list of nodes, the oldest first.
 */
#ifndef PROA_ORDER_BLOCKS_H
#define PROA_ORDER_BLOCKS_H

#include "base/hash.h"
#include "order/node.h"

enum { PROA_BLOCK_SHIFT = 6 };

/* All that a search looks at, in a quarter of a cache line. */
struct proa_block_entry {
    uint64_t low;
    uint32_t next; /* node in the bucket */
    uint32_t bytes : 8, target : 24;
};

static inline uint32_t *proa_bucket_of(const struct proa_blocks *blocks, int target, uint64_t block)
{
    return &blocks->buckets[proa_hash_number(block + ((uint64_t)target << 48), blocks->bits)];
}

/* Are there no more bytes than a block has? So they end in the next block at the latest. */
static inline int proa_is_of_block(const struct proa_access *access)
{
    return access->high - access->low <= (uint64_t)1 << PROA_BLOCK_SHIFT;
}

/* Empty, for nodes with numbers below `room`; the old one ends. 0, or -1 without memory: then
 * nothing has changed. */
int proa_blocks_begin(struct proa_blocks *blocks, uint32_t room);
void proa_blocks_end(struct proa_blocks *blocks);

/* Enters a node, or takes it out. */
void proa_blocks_enter(struct proa_blocks *blocks, const struct proa_access_node *nodes,
                       uint32_t node);
void proa_blocks_take_out(struct proa_blocks *blocks, const struct proa_access_node *nodes,
                          uint32_t node);

/* The first node of that target with any of the bytes [low, high] which has this relation to the
 * access; 0: there is none. Looks into each block: proa_blocks_are_few tells whether that is less
 * than looking at all nodes. */
static inline uint32_t proa_blocks_find(const struct proa_blocks *blocks,
                                        const struct proa_access_node *nodes, int target,
                                        uint64_t low, uint64_t high,
                                        const struct proa_access *access, proa_access_relation *has)
{
    const struct proa_block_entry *this;
    uint64_t block = low >> PROA_BLOCK_SHIFT;

    for (block -= blocks->crossing && block; block <= high >> PROA_BLOCK_SHIFT; block++)
        for (uint32_t node = *proa_bucket_of(blocks, target, block); node; node = this->next) {
            this = &blocks->entries[node];
            if (high - this->low < this->bytes + (high - low) && this->target == (uint32_t)target &&
                has(&nodes[node].access, access))
                return node;
        }
    return 0;
}

static inline int proa_blocks_are_few(const struct proa_blocks *blocks, uint64_t low, uint64_t high)
{
    return (high >> PROA_BLOCK_SHIFT) - (low >> PROA_BLOCK_SHIFT) <= blocks->count;
}

#endif
