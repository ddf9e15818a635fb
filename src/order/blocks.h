/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table of nodes with few bytes, by the block of memory in which they start: accesses of
 * words, which irregular programs make many of. A bucket is a list of nodes, oldest first.
 */
#ifndef PROA_ORDER_BLOCKS_H
#define PROA_ORDER_BLOCKS_H

#include "base/hash.h"
#include "order/node.h"

enum { PROA_BLOCK_SHIFT = 6 };

/* All fields that a search reads, in a quarter of a cache line. */
struct proa_block_entry {
    uint64_t low;
    uint32_t next; /* next node in the bucket */
    uint32_t bytes : 8, target : 24;
};

static inline uint32_t *proa_bucket_of(const struct proa_blocks *blocks, int target, uint64_t block)
{
    return &blocks->buckets[proa_hash_number(block + ((uint64_t)target << 48), blocks->bits)];
}

/* Returns true if the access has at most as many bytes as a block. It then ends in the next block
 * at the latest. */
static inline int proa_is_of_block(const struct proa_access *access)
{
    return access->high - access->low <= (uint64_t)1 << PROA_BLOCK_SHIFT;
}

/* Replaces the table by an empty one. room: number of nodes. Returns 0, or -1 without memory: the
 * old table is unchanged. */
int proa_blocks_begin(struct proa_blocks *blocks, uint32_t room);
void proa_blocks_end(struct proa_blocks *blocks);

/* Adds a node, or removes it. */
void proa_blocks_enter(struct proa_blocks *blocks, const struct proa_access_node *nodes,
                       uint32_t node);
void proa_blocks_take_out(struct proa_blocks *blocks, const struct proa_access_node *nodes,
                          uint32_t node);

/* Returns the first node of the target with any of the bytes [low, high] that has this relation to
 * the access; 0 if there is none. Examines each block: proa_blocks_are_few returns true if this is
 * less work than examining all nodes. */
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
