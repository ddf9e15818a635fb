/* SPDX-License-Identifier: BSD-3-Clause */
/* See blocks.h. */
#include "order/blocks.h"
#include "base/hash.h"

#include <stdlib.h>

/* All that a search looks at, in a quarter of a cache line. */
struct proa_block_entry {
    uint64_t low;
    uint32_t next; /* node in the bucket */
    uint32_t bytes : 8, target : 24;
};

int proa_blocks_begin(struct proa_blocks *blocks, uint32_t room)
{
    struct proa_blocks made = {0};

    while ((1U << made.bits) < 2 * room) /* few other blocks in a bucket */
        made.bits++;
    made.buckets = calloc((size_t)1 << made.bits, sizeof *made.buckets);
    made.entries = calloc(room, sizeof *made.entries);
    if (!made.buckets || !made.entries) {
        proa_blocks_end(&made);
        return -1;
    }
    proa_blocks_end(blocks);
    *blocks = made;
    return 0;
}

void proa_blocks_end(struct proa_blocks *blocks)
{
    free(blocks->buckets);
    free(blocks->entries);
}

static uint32_t *bucket_of(const struct proa_blocks *blocks, int target, uint64_t block)
{
    return &blocks->buckets[proa_hash_number(block + ((uint64_t)target << 48), blocks->bits)];
}

void proa_blocks_enter(struct proa_blocks *blocks, const struct proa_access_node *nodes,
                       uint32_t node)
{
    const struct proa_access *access = &nodes[node].access;
    uint32_t *at = bucket_of(blocks, nodes[node].target, access->low >> PROA_BLOCK_SHIFT);

    while (*at)
        at = &blocks->entries[*at].next;
    *at = node;
    blocks->entries[node] =
        (struct proa_block_entry){.low = access->low,
                                  .bytes = (uint8_t)(access->high - access->low),
                                  .target = (uint32_t)nodes[node].target & 0xffffff};
    blocks->count++;
}

void proa_blocks_take_out(struct proa_blocks *blocks, const struct proa_access_node *nodes,
                          uint32_t node)
{
    uint32_t *at =
        bucket_of(blocks, nodes[node].target, nodes[node].access.low >> PROA_BLOCK_SHIFT);

    while (*at != node)
        at = &blocks->entries[*at].next;
    *at = blocks->entries[node].next;
    blocks->count--;
}

uint32_t proa_blocks_find(const struct proa_blocks *blocks, const struct proa_access_node *nodes,
                          int target, uint64_t low, uint64_t high, const struct proa_access *access,
                          proa_access_relation *has)
{
    const struct proa_block_entry *this;

    for (uint64_t block = low >> PROA_BLOCK_SHIFT; block <= high >> PROA_BLOCK_SHIFT; block++)
        for (uint32_t node = *bucket_of(blocks, target, block); node; node = this->next) {
            this = &blocks->entries[node];
            if (this->low <= high && low < this->low + this->bytes &&
                this->target == (uint32_t)target && has(&nodes[node].access, access))
                return node;
        }
    return 0;
}
