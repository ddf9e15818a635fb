/* SPDX-License-Identifier: BSD-3-Clause */
/* See blocks.h. */
#include "order/blocks.h"

#include <stdlib.h>

int proa_blocks_begin(struct proa_blocks *blocks, uint32_t room)
{
    struct proa_blocks made = {0};

    while ((1U << made.bits) < 2 * room) /* few other blocks share a bucket */
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

static uint32_t does_cross(const struct proa_access *access)
{
    return access->low >> PROA_BLOCK_SHIFT != (access->high - 1) >> PROA_BLOCK_SHIFT;
}

void proa_blocks_enter(struct proa_blocks *blocks, const struct proa_access_node *nodes,
                       uint32_t node)
{
    const struct proa_access *access = &nodes[node].access;
    uint32_t *at = proa_bucket_of(blocks, nodes[node].target, access->low >> PROA_BLOCK_SHIFT);

    while (*at)
        at = &blocks->entries[*at].next;
    *at = node;
    blocks->entries[node] =
        (struct proa_block_entry){.low = access->low,
                                  .bytes = (uint8_t)(access->high - access->low),
                                  .target = (uint32_t)nodes[node].target & 0xffffff};
    blocks->count++;
    blocks->crossing += does_cross(access);
}

void proa_blocks_take_out(struct proa_blocks *blocks, const struct proa_access_node *nodes,
                          uint32_t node)
{
    uint32_t *at =
        proa_bucket_of(blocks, nodes[node].target, nodes[node].access.low >> PROA_BLOCK_SHIFT);

    while (*at != node)
        at = &blocks->entries[*at].next;
    *at = blocks->entries[node].next;
    blocks->count--;
    blocks->crossing -= does_cross(&nodes[node].access);
}
