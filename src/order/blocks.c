/* SPDX-License-Identifier: BSD-3-Clause */
/* See blocks.h. */
#include "order/blocks.h"
#include "base/hash.h"

#include <stdlib.h>

int proa_blocks_begin(struct proa_blocks *blocks, uint32_t room)
{
    uint32_t *buckets;
    int bits = 0;

    while ((1U << bits) < room)
        bits++;
    buckets = calloc((size_t)1 << bits, sizeof *buckets);
    if (!buckets)
        return -1;
    free(blocks->buckets);
    *blocks = (struct proa_blocks){buckets, bits, 0};
    return 0;
}

static uint32_t *bucket_of(const struct proa_blocks *blocks, int target, uint64_t block)
{
    return &blocks->buckets[proa_hash_number(block + ((uint64_t)target << 48), blocks->bits)];
}

static uint32_t *bucket_of_node(const struct proa_blocks *blocks,
                                const struct proa_access_node *node)
{
    return bucket_of(blocks, node->target, node->access.low >> PROA_BLOCK_SHIFT);
}

void proa_blocks_enter(struct proa_blocks *blocks, struct proa_access_node *nodes, uint32_t node)
{
    uint32_t *at = bucket_of_node(blocks, &nodes[node]);

    while (*at)
        at = &nodes[*at].left;
    *at = node;
    nodes[node].left = 0;
    blocks->count++;
}

void proa_blocks_take_out(struct proa_blocks *blocks, struct proa_access_node *nodes, uint32_t node)
{
    uint32_t *at = bucket_of_node(blocks, &nodes[node]);

    while (*at != node)
        at = &nodes[*at].left;
    *at = nodes[node].left;
    blocks->count--;
}

uint32_t proa_blocks_find(const struct proa_blocks *blocks, const struct proa_access_node *nodes,
                          int target, uint64_t low, uint64_t high, const struct proa_access *access,
                          proa_access_relation *has)
{
    const struct proa_access_node *this;

    for (uint64_t block = low >> PROA_BLOCK_SHIFT; block <= high >> PROA_BLOCK_SHIFT; block++)
        for (uint32_t node = *bucket_of(blocks, target, block); node; node = this->left) {
            this = &nodes[node];
            if (this->access.low <= access->high && access->low <= this->access.high &&
                this->target == target && has(&this->access, access))
                return node;
        }
    return 0;
}
