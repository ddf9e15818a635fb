/* SPDX-License-Identifier: BSD-3-Clause */
/* See blocks.h. */
#include "shm/blocks.h"
#include "base/fail.h"
#include "shm/segment.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A block of a peer's adopted memory. */
struct proa_block {
    uint64_t number; /* address / proa_pages_block */
    char *base;
    UT_hash_handle hh;
};

static pthread_mutex_t blocks_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct proa_block *block_map(struct proa_peer *peer, uint64_t number)
{
    struct proa_segment_name name = proa_segment_name(peer->ctl, &peer->ctl->adopted);
    struct proa_block *block = calloc(1, sizeof *block);

    if (!block) {
        proa_fail(PROA_ERR_NO_MEM, "out of memory for the mappings of process %d", peer->pid);
        return NULL;
    }
    block->number = number;
    block->base = proa_segment_map(&name, number * proa_pages_block, proa_pages_block);
    if (!block->base) {
        free(block);
        return NULL;
    }
    HASH_ADD(hh, peer->blocks, number, sizeof number, block);
    return block;
}

char *proa_pages_map(struct proa_peer *peer, uint64_t first, uint64_t end)
{
    uint64_t number = first / proa_pages_block;
    struct proa_block *block;

    if ((end - 1) / proa_pages_block != number) {
        proa_fail(PROA_ERR_OTHER, "memory over the border of two blocks");
        return NULL;
    }
    pthread_mutex_lock(&blocks_mutex);
    HASH_FIND(hh, peer->blocks, &number, sizeof number, block);
    if (!block)
        block = block_map(peer, number);
    pthread_mutex_unlock(&blocks_mutex);
    return block ? block->base + (first - number * proa_pages_block) : NULL;
}

void proa_pages_forget(struct proa_peer *peer)
{
    struct proa_block *block, *next;

    HASH_ITER(hh, peer->blocks, block, next) {
        HASH_DEL(peer->blocks, block); /* NOLINT(clang-analyzer-unix.Malloc): as in shm/peer.c */
        munmap(block->base, proa_pages_block);
        free(block);
    }
}
