/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table of nodes whose bytes lie within one block of memory: accesses of single words, which
 * irregular programs make many of. A bucket is a list of nodes, the oldest first.
 */
#ifndef PROA_ORDER_BLOCKS_H
#define PROA_ORDER_BLOCKS_H

#include "order/node.h"

enum { PROA_BLOCK_SHIFT = 6 };

/* Do the bytes lie within one block? */
static inline int proa_is_of_block(const struct proa_access *access)
{
    return access->low >> PROA_BLOCK_SHIFT == (access->high - 1) >> PROA_BLOCK_SHIFT;
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

/* The first node of that target in the blocks of bytes [low, high] which has this relation to the
 * access; 0: there is none. Looks into each block: proa_blocks_are_few tells whether that is less
 * than looking at all nodes. */
uint32_t proa_blocks_find(const struct proa_blocks *blocks, const struct proa_access_node *nodes,
                          int target, uint64_t low, uint64_t high, const struct proa_access *access,
                          proa_access_relation *has);

static inline int proa_blocks_are_few(const struct proa_blocks *blocks, uint64_t low, uint64_t high)
{
    return (high >> PROA_BLOCK_SHIFT) - (low >> PROA_BLOCK_SHIFT) <= blocks->count;
}

#endif
