/* SPDX-License-Identifier: BSD-3-Clause */
/* See arena.h. Blocks are kept in address order for merging, free ones also in a list for first
 * fit, used ones in a table by address. */
#include "shm/arena.h"
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
#include <uthash.h>
#include <utlist.h>

enum { CHUNK_BYTES = PROA_CHUNK_BYTES };
static const uint64_t first_segment_bytes = 64ull << 20;
/* The first unasked_bytes are given out without a look at the available memory, as a process's
 * first look takes 0.2 ms. For 64 processes these bytes fit into the margin that looks leave
 * (shm/available.c). */
static const uint64_t unasked_bytes = 1ull << 20;
static const uint64_t slice_bytes = 256ull << 20; /* between two looks at the memory that is left */
/* Freed blocks keep their pages for the next request: granted chunks up to keep_bytes in all, and
 * then others, as long as all pages together are not more than that. Beyond that, free blocks of at
 * least give_back_bytes return their pages to the system. */
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
    struct block *first; /* by address */
    struct block *free_blocks;
    uint8_t *granted; /* one byte a chunk: 1 if it was given out and has not gone back */
};

static pthread_mutex_t arena_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct segment segments[PROA_SEGMENTS];
/* Changed under the mutex, and read by proa_arena_find without it: counted segments stay as they
 * are. */
static int segment_count;
static struct block *used_blocks;
static struct block *spare_blocks; /* free list of unused structures, by next */
static struct proa_proc_ctl *arena_ctl;
static uint64_t granted_bytes; /* of all granted chunks */
static uint64_t used_bytes;    /* of all used blocks */
static uint64_t left_bytes;    /* at most so many have pages and are not granted */

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* ---- pages ---- */

static void tell_granted(void)
{
    if (arena_ctl)
        __atomic_store_n(&arena_ctl->granted, granted_bytes + left_bytes, __ATOMIC_RELAXED);
}

/* A chunk is granted when a block with some of it is given out. Its pages come as they are touched,
 * or with a strict kernel at once. */
static void chunks_mark(struct segment *segment, uint64_t first, uint64_t count, uint8_t granted)
{
    memset(segment->granted + first, granted, count);
    granted_bytes += (granted ? count : -count) * CHUNK_BYTES;
    tell_granted();
}

static int return_chunks(struct segment *segment, uint64_t first, uint64_t count)
{
    return proa_segment_return(&segment->memory, first * CHUNK_BYTES, count * CHUNK_BYTES);
}

/* From i on, how many chunks before end are in the same state? */
static uint64_t run_of(const struct segment *segment, uint64_t i, uint64_t end)
{
    const uint8_t *other = memchr(segment->granted + i, !segment->granted[i], end - i);

    return other ? (uint64_t)(other - segment->granted) - i : end - i;
}

/* Takes the chunks that lie wholly inside a free block and have the state `granted` (1 or 0). They
 * are not granted any more; with pages_too they lose their pages as well. */
static void let_go(const struct block *block, uint8_t granted, int pages_too)
{
    uint64_t first = round_up(block->offset, CHUNK_BYTES) / CHUNK_BYTES,
             end = (block->offset + block->bytes) / CHUNK_BYTES, run;

    for (uint64_t i = first; i < end; i += run) {
        run = run_of(block->segment, i, end);
        if (block->segment->granted[i] == granted &&
            (!pages_too || return_chunks(block->segment, i, run)) && granted)
            chunks_mark(block->segment, i, run, 0);
    }
}

static uint64_t touched_bytes(void)
{
    uint64_t touched = 0;

    for (int i = 0; i < segment_count; i++)
        touched += proa_segment_touched(&segments[i].memory);
    return touched;
}

/* Often only little of a large block has been touched: a look is quicker than returning the pages
 * and taking them anew. */
static void give_back_or_keep(const struct block *block)
{
    uint64_t touched = touched_bytes();
    int keep = touched <= keep_bytes;

    if (keep)
        left_bytes = touched;
    let_go(block, 1, !keep);
}

/* Returns the pages that were kept without being granted, as memory is short. */
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

/* Bytes that are given out, but have no pages yet: they will still be taken from the available
 * memory. */
static uint64_t untouched_bytes(void)
{
    uint64_t touched = touched_bytes();

    return granted_bytes > touched ? granted_bytes - touched : 0;
}

/* The available memory of the node and of control groups, at least as far as `wanted` asks.
 * Counting pages takes a system call for each segment of each process, and a new look at the
 * available memory takes many: both are done only where it matters. Pages touched since the last
 * look are subtracted with all else that was granted. */
static uint64_t can_be_had(uint64_t wanted)
{
    uint64_t available, most;

    if (granted_bytes + wanted <= unasked_bytes)
        return wanted;
    available = proa_memory_available_lately();
    most = granted_bytes + proa_peers_granted();
    if (wanted <= available && most <= available - wanted)
        return available - most;
    return_left();
    available = proa_memory_available();
    most = untouched_bytes() + proa_peers_untouched();
    return available > most ? available - most : 0;
}

/* Reserves slice by slice: several processes may do the same at a time, so each slice looks at the
 * remaining memory again. */
static int reserve(struct segment *segment, uint64_t first, uint64_t count)
{
    const uint64_t slice = slice_bytes / CHUNK_BYTES;
    int error = 0;

    for (uint64_t done = 0; done < count && !error; done += slice) {
        uint64_t part = count - done < slice ? count - done : slice;

        error = part * CHUNK_BYTES > proa_memory_available() ? ENOMEM : 0;
        if (!error)
            error = proa_segment_reserve(&segment->memory, (first + done) * CHUNK_BYTES,
                                         part * CHUNK_BYTES);
    }
    if (error) /* the pages that the kernel may have given before it ran out */
        proa_segment_return(&segment->memory, first * CHUNK_BYTES, count * CHUNK_BYTES);
    return error;
}

/* Grants the chunks first to last that are not granted. Chunks granted before an error stay so; the
 * caller gives them back. */
static int grant_missing(struct segment *segment, uint64_t first, uint64_t last)
{
    int strict = proa_memory_is_strict(), error = 0;
    uint64_t run;

    for (uint64_t i = first; i <= last && !error; i += run) {
        run = run_of(segment, i, last + 1);
        if (segment->granted[i])
            continue;
        if (strict)
            error = reserve(segment, i, run);
        if (!error)
            chunks_mark(segment, i, run, 1);
    }
    return error;
}

static int grant(struct segment *segment, const struct block *block, uint64_t offset,
                 uint64_t bytes)
{
    uint64_t first = offset / CHUNK_BYTES, last = (offset + bytes - 1) / CHUNK_BYTES, missing = 0;
    int error;

    if (!memchr(segment->granted + first, 0, last - first + 1))
        return 0;
    for (uint64_t i = first; i <= last; i++)
        missing += segment->granted[i] ? 0 : CHUNK_BYTES;
    if (missing > can_be_had(missing))
        return ENOMEM;
    error = grant_missing(segment, first, last);
    if (error)
        let_go(block, 1, 1); /* nothing of it is in use */
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

/* Every request cuts a block, and the next free makes it whole again. Unused structures stay in a
 * free list, which is quicker than malloc. NULL is none. */
static void block_forget(struct block *block)
{
    if (block)
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
    uint64_t least = round_up(bytes, CHUNK_BYTES), most = proa_segment_most(),
             wanted = first_segment_bytes;
    struct block *whole;
    int error;

    if (segment_count == PROA_SEGMENTS)
        return ENOMEM;
    if (least > most)
        return EFBIG;
    while (segment_count > 0 && wanted < 2 * segments[segment_count - 1].memory.bytes)
        wanted *= 2;
    if (wanted > most)
        wanted = most;
    error = proa_segment_create(&segment->memory, wanted < least ? least : wanted);
    if (error && wanted > least) /* a limit on address space, perhaps */
        error = proa_segment_create(&segment->memory, least);
    if (error)
        return error;
    segment->granted = calloc(segment->memory.bytes / CHUNK_BYTES, 1);
    whole = block_new(segment, 0, segment->memory.bytes);
    if (!segment->granted || !whole) {
        block_forget(whole);
        segment_remove(segment);
        return ENOMEM;
    }
    segment->first = whole;
    DL_APPEND(segment->free_blocks, whole);
    __atomic_store_n(&segment_count, segment_count + 1,
                     __ATOMIC_RELEASE); /* partner: proa_arena_find */
    return 0;
}

static void publish(int number)
{
    proa_segment_publish(&segments[number].memory, &arena_ctl->segments[number]);
}

/* ---- blocks ---- */

static int block_is_free(const struct block *block)
{
    return block && !block->address;
}

/* Cuts a block in two: it keeps its first `bytes` bytes. The rest is a block in no list, or NULL if
 * there is no memory for the bookkeeping. */
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

/* Makes `left` one with the block behind it, which must be free and not in the list any more. */
static void block_absorb_next(struct block *left)
{
    struct block *right = left->after;

    left->bytes += right->bytes;
    left->after = right->after;
    if (left->after)
        left->after->before = left;
    block_forget(right);
}

/* Cuts `bytes` bytes, `front` bytes behind its start, out of a free block. The rests before and
 * behind stay free. NULL if there is no memory for the bookkeeping. */
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

    block->address = NULL;
    used_bytes -= block->bytes;
    if (block_is_free(block->after)) {
        DL_DELETE(segment->free_blocks, block->after);
        block_absorb_next(block);
    }
    if (block_is_free(block->before)) {
        block = block->before;
        DL_DELETE(segment->free_blocks, block);
        block_absorb_next(block);
    }
    DL_PREPEND(segment->free_blocks, block); /* the next request finds it, and its pages, first */
    if (granted_bytes - used_bytes > keep_bytes && block->bytes >= give_back_bytes)
        give_back_or_keep(block);
}

/* uthash takes the lowest bits, which are mostly 0 in an address. */
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

static struct block *block_take(struct block *block, uint64_t offset, uint64_t bytes, int *error)
{
    *error = grant(block->segment, block, offset, bytes);
    if (*error)
        return NULL;
    block = block_cut(block, offset - block->offset, bytes);
    if (!block) {
        *error = ENOMEM;
        return NULL;
    }
    block->address = block->segment->memory.base + offset;
    HASH_ADD_BYHASHVALUE(hh, used_blocks, address, sizeof block->address, hash_of(block->address),
                         block);
    used_bytes += block->bytes;
    return block;
}

static struct block *segment_alloc(struct segment *segment, uint64_t bytes, uint64_t align,
                                   int *error)
{
    struct block *block;

    DL_FOREACH(segment->free_blocks, block) {
        uint64_t base = (uint64_t)(uintptr_t)segment->memory.base;
        uint64_t offset = round_up(base + block->offset, align) - base;

        if (offset + bytes <= block->offset + block->bytes)
            return block_take(block, offset, bytes, error);
    }
    return NULL;
}

static struct block *arena_alloc_locked(uint64_t bytes, uint64_t align, int *error)
{
    struct block *block = NULL;

    *error = 0;
    for (int i = 0; i < segment_count && !block && !*error; i++)
        block = segment_alloc(&segments[i], bytes, align, error);
    if (block || *error)
        return block;
    if (bytes > can_be_had(bytes)) {
        *error = ENOMEM;
        return NULL;
    }
    *error = segment_add(bytes + align);
    if (*error)
        return NULL;
    if (arena_ctl)
        publish(segment_count - 1);
    return segment_alloc(&segments[segment_count - 1], bytes, align, error);
}

void *proa_arena_alloc(size_t bytes, size_t align)
{
    struct block *block;
    uint64_t unit = align < PROA_CACHE_LINE ? PROA_CACHE_LINE : align;
    int error = ENOMEM;

    if (bytes > SIZE_MAX / 4 || align > SIZE_MAX / 4) {
        proa_fail(PROA_ERR_NO_MEM, "no memory: %zu bytes are more than an address space holds",
                  bytes);
        return NULL;
    }
    pthread_mutex_lock(&arena_mutex);
    block = arena_alloc_locked(round_up(bytes ? bytes : 1, PROA_CACHE_LINE), unit, &error);
    pthread_mutex_unlock(&arena_mutex);
    if (!block) {
        uint64_t available = proa_memory_available();

        if (available == UINT64_MAX) /* not known */
            proa_fail(PROA_ERR_NO_MEM, "no memory for %zu bytes: %s", bytes, strerror(error));
        else
            proa_fail(PROA_ERR_NO_MEM, "no memory for %zu bytes: %s (%llu MiB can still be had)",
                      bytes, strerror(error), (unsigned long long)(available >> 20));
        return NULL;
    }
    return block->address;
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
    int count = __atomic_load_n(&segment_count, __ATOMIC_ACQUIRE); /* partner: segment_add */

    for (int i = 0; i < count; i++)
        if (proa_segment_holds(segments[i].memory.base, segments[i].memory.bytes, address, bytes,
                               offset)) {
            *segment = i;
            return 1;
        }
    return 0;
}

char *proa_arena_segment(int segment)
{
    return segment >= 0 && segment < PROA_SEGMENTS ? segments[segment].memory.base : NULL;
}

struct proa_proc_ctl *proa_arena_start(void)
{
    struct proa_proc_ctl *ctl = proa_arena_alloc(sizeof *ctl, 4096);

    if (!ctl)
        return NULL;
    /* A fresh memfd reads as zeros: the block needs no clearing. */
    arena_ctl = ctl;
    ctl->granted = granted_bytes;
    publish(0);
    return ctl;
}

void proa_arena_stop(void)
{
    struct block *block, *next;

    HASH_ITER(hh, used_blocks, block, next)
        HASH_DEL(used_blocks, block);
    for (int i = 0; i < segment_count; i++) {
        for (block = segments[i].first; block; block = next) {
            next = block->after;
            free(block);
        }
        segment_remove(&segments[i]);
    }
    LL_FOREACH_SAFE(spare_blocks, block, next)
        free(block);
    spare_blocks = NULL;
    segment_count = 0;
    granted_bytes = used_bytes = left_bytes = 0;
    arena_ctl = NULL;
}
