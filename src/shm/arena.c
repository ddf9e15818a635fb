/* SPDX-License-Identifier: BSD-3-Clause */
/* See arena.h. Blocks are linked in address order for merging. Free blocks are also in a list for
 * first fit, used blocks in a table by address. */
#include "shm/arena.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/hash.h"
#include "shm/available.h"
#include "shm/ctl.h"
#include "shm/peer.h"
#include "shm/segment.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <uthash.h>
#include <utlist.h>

enum { CHUNK_BYTES = PROA_CHUNK_BYTES };
static const uint64_t first_segment_bytes = 64ull << 20;
/* The first unasked_bytes are given out without a check of the available memory, as a process's
 * first check takes 0.2 ms. For 64 processes these bytes fit into the margin that checks leave
 * (shm/available.c). */
static const uint64_t unasked_bytes = 1ull << 20;
/* Freed blocks keep their pages for the next request: granted chunks up to keep_bytes in total,
 * then other chunks as long as all pages together stay within that limit. Beyond that, free blocks
 * of at least give_back_bytes return their pages to the system. */
static const uint64_t keep_bytes = 64ull << 20, give_back_bytes = 1ull << 20;

struct block {
    uint64_t offset, bytes;
    struct segment *segment;
    struct block *before, *after; /* neighbours by address */
    struct block *prev, *next;    /* list of free blocks */
    char *address;                /* key of the table of used blocks */
    UT_hash_handle hh;
};

struct segment {
    struct proa_segment memory;
    struct block first; /* by address; split and merged as others, but never freed */
    struct block *free_blocks;
    uint8_t *granted; /* one byte a chunk: 1 if it was given out and not returned */
};

static pthread_mutex_t arena_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct segment segments[PROA_SEGMENTS];
/* Changed under the mutex; proa_arena_find reads it without, as counted segments are constant. */
static int segment_count;
static struct block *used_blocks;
static struct block *spare_blocks; /* free list of unused structures, by next */
static struct proa_proc_ctl *arena_ctl;
static uint64_t granted_bytes; /* of all granted chunks */
static uint64_t used_bytes;    /* of all used blocks */
static uint64_t left_bytes;    /* upper limit of bytes that have pages and are not granted */

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* ---- pages ---- */

static void tell_granted(void)
{
    if (arena_ctl)
        proa_atomic_store(&arena_ctl->granted, granted_bytes + left_bytes, PROA_RELAXED);
}

/* A chunk is granted when a block that overlaps it is given out. Its pages are allocated on first
 * touch, or at once with a strict kernel (proa_memory_is_strict). */
static void chunks_mark(struct segment *segment, uint64_t first, uint64_t count, uint8_t granted)
{
    memset(segment->granted + first, granted, count);
    granted_bytes += (granted ? count : -count) * CHUNK_BYTES;
    tell_granted();
}

/* Returns the number of chunks from i on, before end, that are in the same state. */
static uint64_t run_of(const struct segment *segment, uint64_t i, uint64_t end)
{
    const uint8_t *other = memchr(segment->granted + i, !segment->granted[i], end - i);

    return other ? (uint64_t)(other - segment->granted) - i : end - i;
}

/* Revokes the grant of the chunks that lie wholly inside a free block. granted: state of the chunks
 * concerned, 1 or 0. pages_too: 1 to return their pages as well. */
static void let_go(const struct block *block, uint8_t granted, int pages_too)
{
    struct segment *segment = block->segment;
    uint64_t first = round_up(block->offset, CHUNK_BYTES) / CHUNK_BYTES,
             end = (block->offset + block->bytes) / CHUNK_BYTES, run;

    for (uint64_t i = first; i < end; i += run) {
        run = run_of(segment, i, end);
        if (segment->granted[i] == granted &&
            (!pages_too || madvise(segment->memory.base + i * CHUNK_BYTES, run * CHUNK_BYTES,
                                   MADV_REMOVE) == 0) &&
            granted)
            chunks_mark(segment, i, run, 0);
    }
}

static uint64_t touched_bytes(void)
{
    uint64_t touched = 0;

    for (int i = 0; i < segment_count; i++)
        touched += proa_segment_touched(&segments[i].memory);
    return touched;
}

/* Gives the pages of chunks that are not granted back to the system, as memory is short. */
static void return_left(void)
{
    const struct block *block;

    if (left_bytes == 0)
        return;
    for (int i = 0; i < segment_count; i++)
        DL_FOREACH(segments[i].free_blocks, block)
            let_go(block, 0, 1);
    left_bytes = 0;
    tell_granted();
}

/* ---- admission ---- */

/* Returns the memory that can still be given out, in bytes: the memory available on the node and in
 * control groups, less the memory without pages yet that was promised here and to neighbours.
 * Counting pages takes a system call per segment of each process; reading the available memory
 * takes many. */
static uint64_t left_now(void)
{
    uint64_t available = proa_memory_available(), touched = touched_bytes(),
             promised =
                 (granted_bytes > touched ? granted_bytes - touched : 0) + proa_peers_granted(1);

    if (available == UINT64_MAX) /* unknown */
        return available;
    return available > promised ? available - promised : 0;
}

/* Admits a block. wanted: bytes beyond those already granted. Returns 0, or ENOMEM if they exceed
 * the memory that can still be given out. That memory is determined only if the last known value
 * may not suffice: no more than all granted bytes can have been touched since. */
static int admit(uint64_t wanted)
{
    uint64_t lately;

    if (granted_bytes + wanted <= unasked_bytes)
        return 0;
    lately = proa_memory_available_lately();
    if (wanted <= lately && granted_bytes + proa_peers_granted(0) <= lately - wanted)
        return 0;
    return_left();
    return wanted <= left_now() ? 0 : ENOMEM;
}

/* Returns the bytes of the chunks that a block at this offset needs and that are not granted. */
static uint64_t missing_bytes(const struct segment *segment, uint64_t offset, uint64_t bytes)
{
    uint64_t missing = 0;

    for (uint64_t i = offset / CHUNK_BYTES; i <= (offset + bytes - 1) / CHUNK_BYTES; i++)
        missing += segment->granted[i] ? 0 : CHUNK_BYTES;
    return missing;
}

/* Grants the chunks of a free block that a block at this offset needs. With a strict kernel their
 * pages are reserved now. Neighbours see the chunks as granted. Returns 0 or an errno. */
static int grant(const struct block *block, uint64_t offset, uint64_t bytes)
{
    struct segment *segment = block->segment;
    uint64_t end = (offset + bytes - 1) / CHUNK_BYTES + 1, run;
    int strict = proa_memory_is_strict(), error = 0;

    for (uint64_t i = offset / CHUNK_BYTES; i < end && !error; i += run) {
        run = run_of(segment, i, end);
        if (segment->granted[i])
            continue;
        chunks_mark(segment, i, run, 1);
        if (strict)
            error = proa_segment_reserve(&segment->memory, i * CHUNK_BYTES, run * CHUNK_BYTES);
    }
    if (error)
        let_go(block, 1, 1); /* no part of it is in use */
    return error;
}

/* ---- segments ---- */

static struct block *block_new(struct segment *segment, uint64_t offset, uint64_t bytes)
{
    struct block *block = spare_blocks;

    if (block)
        spare_blocks = block->next;
    else
        block = calloc(1, sizeof *block);
    if (block)
        *block = (struct block){.segment = segment, .offset = offset, .bytes = bytes};
    return block;
}

/* Every request splits a block, and the next free merges it again. Unused structures stay in a free
 * list, which is faster than malloc. */
static void block_forget(struct block *block)
{
    LL_PREPEND(spare_blocks, block);
}

static void segment_remove(struct segment *segment)
{
    proa_segment_close(&segment->memory);
    free(segment->granted);
    memset(segment, 0, sizeof *segment);
}

/* Adds a segment that holds at least bytes; peers see it once its size is stored. Returns 0 or an
 * errno. */
static int segment_add(uint64_t bytes)
{
    struct segment *segment = &segments[segment_count];
    uint64_t twice = segment_count > 0 ? 2 * segment[-1].memory.bytes : 0;
    int error;

    if (segment_count == PROA_SEGMENTS)
        return ENOMEM;
    error = proa_segment_create(&segment->memory, round_up(bytes, CHUNK_BYTES),
                                twice > first_segment_bytes ? twice : first_segment_bytes);
    if (error)
        return error;
    segment->granted = calloc(segment->memory.bytes / CHUNK_BYTES, 1);
    if (!segment->granted) {
        segment_remove(segment);
        return ENOMEM;
    }
    segment->first = (struct block){.segment = segment, .bytes = segment->memory.bytes};
    DL_APPEND(segment->free_blocks, &segment->first);
    if (arena_ctl)
        proa_segment_publish(&segment->memory, &arena_ctl->segments[segment_count]);
    proa_atomic_store(&segment_count, segment_count + 1,
                      PROA_RELEASE); /* partner: proa_arena_find */
    return 0;
}

/* ---- blocks ---- */

/* Splits a block, which keeps its first `bytes` bytes. Returns the rest, a block in no list, or
 * NULL if there is no memory for the bookkeeping. */
static struct block *block_split(struct block *block, uint64_t bytes)
{
    struct block *rest = block_new(block->segment, block->offset + bytes, block->bytes - bytes);

    if (!rest)
        return NULL;
    rest->before = block;
    rest->after = block->after;
    if (rest->after)
        rest->after->before = rest;
    block->after = rest;
    block->bytes = bytes;
    return rest;
}

/* Merges the block after `left` into it. That block must be free and no longer in the list. */
static void block_absorb_next(struct block *left)
{
    struct block *right = left->after;

    left->bytes += right->bytes;
    left->after = right->after;
    if (left->after)
        left->after->before = left;
    block_forget(right);
}

/* Cuts `bytes` bytes out of a free block. front: offset in the block, in bytes. The rests before
 * and after stay free. Returns NULL if there is no memory for the bookkeeping. */
static struct block *block_cut(struct block *block, uint64_t front, uint64_t bytes)
{
    struct block **free_blocks = &block->segment->free_blocks, *cut = block, *tail = NULL;

    if (front + bytes < block->bytes) {
        tail = block_split(block, front + bytes);
        if (!tail)
            return NULL;
    }
    if (front)
        cut = block_split(block, front);
    else
        DL_DELETE(*free_blocks, block);
    if (tail && cut)
        DL_PREPEND(*free_blocks, tail);
    else if (tail)
        block_absorb_next(block);
    return cut;
}

static void block_release(struct block *block)
{
    struct segment *segment = block->segment;
    uint64_t touched;

    block->address = NULL;
    used_bytes -= block->bytes;
    if (block->after && !block->after->address) {
        DL_DELETE(segment->free_blocks, block->after);
        block_absorb_next(block);
    }
    if (block->before && !block->before->address) {
        block = block->before;
        DL_DELETE(segment->free_blocks, block);
        block_absorb_next(block);
    }
    DL_PREPEND(segment->free_blocks, block); /* the next request finds it, and its pages, first */
    if (granted_bytes - used_bytes <= keep_bytes || block->bytes < give_back_bytes)
        return;
    /* Often only little of a large block was touched. Counting its pages is faster than returning
     * and reallocating them. */
    touched = touched_bytes();
    if (touched <= keep_bytes)
        left_bytes = touched;
    let_go(block, 1, touched > keep_bytes);
}

/* uthash uses the lowest bits, which are mostly 0 in an address. */
static unsigned hash_of(const void *address)
{
    return (unsigned)proa_hash_number((uint64_t)(uintptr_t)address, 32);
}

static struct block *used_find(const void *address)
{
    struct block *block;

    HASH_FIND_BYHASHVALUE(hh, used_blocks, &address, sizeof address, hash_of(address), block);
    return block;
}

/* Returns the first free block with room for such a block, or NULL. *offset: its place in the
 * segment. Mappings of other processes preserve alignments up to the segment's size. */
static struct block *block_find(uint64_t bytes, uint64_t align, uint64_t *offset)
{
    struct block *block;

    for (int i = 0; i < segment_count; i++) {
        uint64_t base = (uint64_t)(uintptr_t)segments[i].memory.base;

        if (segments[i].memory.bytes < align)
            continue;
        DL_FOREACH(segments[i].free_blocks, block) {
            *offset = round_up(base + block->offset, align) - base;
            if (*offset + bytes <= block->offset + block->bytes)
                return block;
        }
    }
    return NULL;
}

/* Returns 0 and *block, or an errno. Admission precedes creating segments and reserving pages. */
static int block_alloc(uint64_t bytes, uint64_t align, struct block **block)
{
    struct block *found, *cut;
    uint64_t offset = 0, missing;
    int error;

    found = block_find(bytes, align, &offset);
    missing = found ? missing_bytes(found->segment, offset, bytes) : bytes;
    error = missing ? admit(missing) : 0;
    if (!error && !found) {
        error = segment_add(bytes + align);
        found = error ? NULL : block_find(bytes, align, &offset);
    }
    if (!error && missing)
        error = grant(found, offset, bytes);
    if (error)
        return error;
    cut = block_cut(found, offset - found->offset, bytes);
    if (!cut)
        return ENOMEM;
    cut->address = cut->segment->memory.base + offset;
    HASH_ADD_BYHASHVALUE(hh, used_blocks, address, sizeof cut->address, hash_of(cut->address), cut);
    used_bytes += bytes;
    *block = cut;
    return 0;
}

/* Keeps the sentence about a refused block. left: memory still available, in bytes. Returns
 * NULL. */
static void *refuse(size_t bytes, int error, uint64_t left)
{
    if (left == UINT64_MAX) /* unknown */
        proa_fail(PROA_ERR_NO_MEM, "out of memory for %zu bytes: %s", bytes, strerror(error));
    else
        proa_fail(PROA_ERR_NO_MEM, "out of memory for %zu bytes: %s (%llu MiB are available)",
                  bytes, strerror(error), (unsigned long long)(left >> 20));
    return NULL;
}

void *proa_arena_alloc(size_t bytes, size_t align)
{
    struct block *block;
    uint64_t left;
    int error;

    if (bytes > SIZE_MAX / 4 || align > SIZE_MAX / 4) {
        proa_fail(PROA_ERR_NO_MEM, "out of memory: %zu bytes exceed the address space", bytes);
        return NULL;
    }
    pthread_mutex_lock(&arena_mutex);
    error = block_alloc(round_up(bytes ? bytes : 1, PROA_CACHE_LINE),
                        align < PROA_CACHE_LINE ? PROA_CACHE_LINE : align, &block);
    left = error ? left_now() : 0;
    pthread_mutex_unlock(&arena_mutex);
    return error ? refuse(bytes, error, left) : block->address;
}

int proa_arena_is_limited(size_t bytes)
{
    uint64_t most = proa_segment_most();

    return most != UINT64_MAX && (bytes > most || segment_count == PROA_SEGMENTS);
}

int proa_arena_free(void *p)
{
    struct block *block;

    pthread_mutex_lock(&arena_mutex);
    block = used_find(p);
    if (block) {
        HASH_DEL(used_blocks, block);
        block_release(block);
    }
    pthread_mutex_unlock(&arena_mutex);
    return block != NULL;
}

void proa_arena_shrink(void *p, size_t bytes)
{
    uint64_t kept = round_up(bytes ? bytes : 1, PROA_CACHE_LINE);
    struct block *block, *rest;

    pthread_mutex_lock(&arena_mutex);
    block = used_find(p);
    rest = block && kept < block->bytes ? block_split(block, kept) : NULL;
    if (rest)
        block_release(rest);
    pthread_mutex_unlock(&arena_mutex);
}

int proa_arena_find(const void *address, size_t bytes, int *segment, uint64_t *offset)
{
    int count = proa_atomic_load(&segment_count, PROA_ACQUIRE); /* partner: segment_add */

    for (int i = 0; i < count; i++)
        if (proa_segment_holds(segments[i].memory.base, segments[i].memory.bytes, address, bytes,
                               offset)) {
            *segment = i;
            return 1;
        }
    return 0;
}

struct proa_proc_ctl *proa_arena_start(void)
{
    struct proa_proc_ctl *ctl = proa_arena_alloc(sizeof *ctl, 4096);

    if (!ctl)
        return NULL;
    /* A fresh memfd reads as zeros: the block needs no clearing. */
    arena_ctl = ctl;
    ctl->granted = granted_bytes;
    proa_segment_publish(&segments[0].memory, &ctl->segments[0]);
    return ctl;
}

void proa_arena_stop(void)
{
    struct block *block, *next;

    HASH_CLEAR(hh, used_blocks);
    for (int i = 0; i < segment_count; i++) {
        LL_FOREACH_SAFE2(segments[i].first.after, block, next, after)
        free(block);
        segment_remove(&segments[i]);
    }
    LL_FOREACH_SAFE(spare_blocks, block, next)
        free(block);
    spare_blocks = NULL;
    segment_count = 0;
    granted_bytes = used_bytes = left_bytes = 0;
    arena_ctl = NULL;
}
