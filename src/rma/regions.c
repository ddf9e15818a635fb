/* SPDX-License-Identifier: BSD-3-Clause */
/* See regions.h. */
#define HASH_NONFATAL_OOM 1 /* running out of memory is a separate error of attach */
#include "rma/regions.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"
#include "adopt/adopt.h"
#include "shm/arena.h"
#include "rma/guard.h"
#include "rma/memory_owner.h"
#include "rma/pages.h"
#include "rma/road.h"
#include "window/win.h"
#include "adopt/policy.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* A region, to be detached by its base. */
struct attached_region {
    void *base;
    size_t rows; /* rows in the table, one for each piece; 0 if the region is empty, which is
                  * legal */
    struct proa_hold hold;   /* of private memory */
    uint64_t through_kernel; /* the window's count when it was attached (shm/ctl.h) */
    UT_hash_handle hh;
};

struct proa_attached {
    struct proa_region *table; /* in the arena; the published one */
    size_t count, room;
    int segment; /* where the table lies in the arena */
    uint64_t offset;
    struct attached_region *regions;
};

/* ---- rows of a table ---- */

/* A row that the owner may be changing is read and written word by word, as plain accesses would be
 * a data race. The sequence shows the reader whether all words are consistent. */
static void row_copy(struct proa_region *to, const struct proa_region *from)
{
    typedef uint64_t word __attribute__((may_alias));
    word *store = (word *)to;
    const word *load = (const word *)from;

    _Static_assert(sizeof *to % sizeof *store == 0, "a row consists of words");
    for (size_t i = 0; i < sizeof *to / sizeof *store; i++)
        proa_atomic_store(&store[i], proa_atomic_load(&load[i], PROA_RELAXED), PROA_RELAXED);
}

/* Returns the first index whose start is not below address. */
static size_t lower_bound(const struct proa_region *table, size_t count, uint64_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (proa_atomic_load(&table[middle].start, PROA_RELAXED) < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- the owner's side ---- */

/* Readers between these two see an odd or changed sequence and retry (seqlock; partner:
 * table_read). Only the owner stores it, one thread at a time. */
static void change_begin(struct proa_regions_ctl *ctl)
{
    proa_atomic_store(&ctl->sequence, ctl->sequence + 1, PROA_RELAXED);
    /* before all stores that follow; partner: is_unchanged */
    proa_atomic_fence(PROA_RELEASE);
}

static void change_end(struct proa_regions_ctl *ctl, const struct proa_attached *attached)
{
    proa_atomic_store(&ctl->count, attached->count, PROA_RELAXED);
    proa_atomic_store(&ctl->segment, (uint32_t)attached->segment, PROA_RELAXED);
    proa_atomic_store(&ctl->offset, attached->offset, PROA_RELAXED);
    /* partner: the acquire in table_read */
    proa_atomic_store(&ctl->sequence, ctl->sequence + 1, PROA_RELEASE);
}

static int check_overlap(const struct proa_attached *attached, size_t at, uint64_t start,
                         uint64_t end)
{
    const struct proa_region *table = attached->table;
    size_t other;

    if (at < attached->count && table[at].start < end)
        other = at;
    /* if a region lies before this one, there is a table */
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
    else if (at > 0 && table[at - 1].end > start)
        other = at - 1;
    else
        return PROA_OK;
    return proa_fail(PROA_ERR_RMA_ATTACH,
                     "the region [%#llx, %#llx) overlaps [%#llx, %#llx), which is attached already",
                     (unsigned long long)start, (unsigned long long)end,
                     (unsigned long long)table[other].start, (unsigned long long)table[other].end);
}

/* Copies the rows to a table of twice the room. */
static int table_grow(struct proa_win *win)
{
    struct proa_attached *attached = win->attached;
    size_t room = attached->room ? 2 * attached->room : 16;
    struct proa_region *old = attached->table, *table = proa_arena_alloc(room * sizeof *table, 0);

    if (!table)
        return PROA_ERR_NO_MEM;
    if (old)
        memcpy(table, old, attached->count * sizeof *table);
    change_begin(&win->ctl->regions);
    attached->table = table;
    attached->room = room;
    proa_arena_find(table, 1, &attached->segment, &attached->offset);
    change_end(&win->ctl->regions, attached);
    if (old)
        /* a reader that still reads it will see that the sequence has changed */
        proa_arena_free(old);
    return PROA_OK;
}

static int row_insert(struct proa_win *win, size_t at, const struct proa_region *row)
{
    struct proa_attached *attached = win->attached;
    int error = attached->count == attached->room ? table_grow(win) : PROA_OK;

    if (error)
        return error;
    change_begin(&win->ctl->regions);
    for (size_t i = attached->count; i > at; i--)
        row_copy(&attached->table[i], &attached->table[i - 1]);
    row_copy(&attached->table[at], row);
    attached->count++;
    change_end(&win->ctl->regions, attached);
    return PROA_OK;
}

static void rows_delete(struct proa_win *win, size_t at, size_t rows)
{
    struct proa_attached *attached = win->attached;

    change_begin(&win->ctl->regions);
    attached->count -= rows;
    for (size_t i = at; i < attached->count; i++)
        row_copy(&attached->table[i], &attached->table[i + rows]);
    change_end(&win->ctl->regions, attached);
}

/* Returns the number of operations so far on this process's part of the window through the
 * kernel. */
static uint64_t through_kernel(const struct proa_win *win)
{
    return proa_atomic_load(&win->ctl->through_kernel, PROA_RELAXED);
}

/* Attaches the program's own memory, adopted if possible. In a window of one process it stays, as
 * no other process accesses it. */
static int attach_private(struct proa_win *win, struct attached_region *region, uint64_t bytes,
                          size_t at)
{
    struct proa_hold *hold = &region->hold;
    struct proa_region row;
    int error = proa_adopt_policy_hold(hold, region->base, bytes,
                                       win->size > 1 ? win->adopt : PROA_ADOPT_NEVER);

    if (error)
        return error;
    if (hold->is_rough)
        proa_guard_stripes_only(proa_self->ctl);
    proa_log(PROA_LOG_DEBUG, "attached: %llu of %llu bytes are adopted%s%s",
             (unsigned long long)proa_adopt_bytes(hold), (unsigned long long)bytes,
             hold->why ? ", the rest is not: " : "", hold->why ? hold->why : "");
    row = (struct proa_region){.start = hold->first};
    for (; region->rows < hold->count && !error; row.start = row.end) {
        const struct proa_piece *piece = &hold->piece[region->rows];

        row.end = piece->end;
        row.segment = piece->adopted ? PROA_REGION_ADOPTED : PROA_REGION_PRIVATE;
        error = row_insert(win, at + region->rows, &row);
        region->rows += !error;
    }
    return error;
}

/* Sets the region's rows; after an error, only those made so far. */
static int attach_rows(struct proa_win *win, struct attached_region *region, uint64_t bytes)
{
    struct proa_region row = {.start = (uint64_t)(uintptr_t)region->base};
    const struct proa_attached *attached = win->attached;
    int segment, error;
    size_t at;

    if (bytes == 0)
        return PROA_OK;
    if (row.start + bytes < row.start)
        return proa_fail(PROA_ERR_SIZE, "a region of %llu bytes at %p exceeds the address space",
                         (unsigned long long)bytes, region->base);
    row.end = row.start + bytes;
    at = lower_bound(attached->table, attached->count, row.start);
    error = check_overlap(attached, at, row.start, row.end);
    if (error)
        return error;
    if (!proa_arena_find(region->base, bytes, &segment, &row.offset) &&
        !proa_peer_find(region->base, bytes, &row.owner, &segment, &row.offset))
        return attach_private(win, region, bytes, at);
    row.segment = segment;
    error = row_insert(win, at, &row);
    region->rows = !error;
    return error;
}

static void detach(struct proa_win *win, struct attached_region *region)
{
    const struct proa_attached *attached = win->attached;
    uint64_t start = (uint64_t)(uintptr_t)region->base;

    if (region->rows)
        rows_delete(win, lower_bound(attached->table, attached->count, start), region->rows);
    proa_adopt_drop(&region->hold);
    free(region);
}

static int attach(struct proa_win *win, void *base, uint64_t bytes)
{
    struct attached_region *region = malloc(sizeof *region);
    int error;

    if (!win->attached)
        win->attached = calloc(1, sizeof *win->attached);
    if (!win->attached || !region) {
        free(region);
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for an attached region");
    }
    *region = (struct attached_region){.base = base, .through_kernel = through_kernel(win)};
    error = attach_rows(win, region, bytes);
    if (!error) {
        HASH_ADD(hh, win->attached->regions, base, sizeof region->base, region);
        if (!region->hh.tbl)
            error = proa_fail(PROA_ERR_NO_MEM, "out of memory for an attached region");
    }
    if (error)
        detach(win, region);
    return error;
}

int proa_regions_attach(struct proa_win *win, void *base, uint64_t bytes)
{
    int error;

    proa_win_enter(win);
    error = attach(win, base, bytes);
    proa_win_leave(win);
    return error;
}

int proa_regions_detach(struct proa_win *win, const void *base)
{
    struct attached_region *region = NULL;
    int error = PROA_OK;

    proa_win_enter(win);
    if (win->attached)
        HASH_FIND(hh, win->attached->regions, &base, sizeof base, region);
    if (region) {
        HASH_DEL(win->attached->regions, region);
        proa_adopt_policy_freed(&region->hold, through_kernel(win) - region->through_kernel);
        detach(win, region);
    } else if (win->attached) {
        error = proa_fail(PROA_ERR_BASE, "no region that starts at %p is attached to this window",
                          base);
    } else {
        error = proa_fail(PROA_ERR_BASE, "nothing is attached to this window");
    }
    proa_win_leave(win);
    return error;
}

void proa_regions_free(struct proa_win *win)
{
    struct proa_attached *attached = win->attached;
    struct attached_region *region, *next;

    if (!attached)
        return;
    region = attached->regions;
    HASH_CLEAR(hh, attached->regions);
    for (; region; region = next) {
        next = region->hh.next;
        proa_adopt_drop(&region->hold);
        free(region);
    }
    if (attached->table)
        proa_arena_free(attached->table);
    free(attached);
    win->attached = NULL;
}

/* ---- the origin's side ---- */

/* Returns the last row that starts at or below address, merged with the rows that continue it, as
 * far as needed up to `end`; all zero if there is none. */
static struct proa_region table_search(const struct proa_region *table, size_t count,
                                       uint64_t address, uint64_t end)
{
    size_t at = lower_bound(table, count, address + 1); /* no region holds the last address */
    struct proa_region row = {0}, next;

    if (at > 0)
        row_copy(&row, &table[at - 1]);
    for (; at > 0 && at < count && row.end < end; at++) {
        row_copy(&next, &table[at]);
        if (next.start != row.end || next.segment != row.segment ||
            next.owner.first.id != row.owner.first.id)
            break;
        row.end = next.end;
    }
    return row;
}

/* Returns whether all earlier loads saw the table of that sequence. */
static int is_unchanged(const struct proa_regions_ctl *ctl, uint64_t sequence)
{
    proa_atomic_fence(PROA_ACQUIRE); /* orders those loads before this one */
    return proa_atomic_load(&ctl->sequence, PROA_RELAXED) == sequence;
}

/* Tries once to read the table consistently. Returns 1 if it did not change meanwhile; then
 * *sequence is that of the table. */
static int table_read(const struct proa_target *target, uint64_t address, uint64_t end,
                      struct proa_region *found, uint64_t *sequence)
{
    const struct proa_regions_ctl *ctl = &target->ctl->regions;
    uint64_t now = proa_atomic_load(&ctl->sequence, PROA_ACQUIRE);
    uint64_t count = proa_atomic_load(&ctl->count, PROA_RELAXED),
             offset = proa_atomic_load(&ctl->offset, PROA_RELAXED);
    int segment = (int)proa_atomic_load(&ctl->segment, PROA_RELAXED);
    char *base;

    memset(found, 0, sizeof *found);
    *sequence = now;
    /* The place of the table must be read consistently before the table. An old table may be read,
     * as it stays mapped. */
    if (now & 1 || !is_unchanged(ctl, now))
        return 0;
    if (count) {
        base = proa_peer_segment(target->peer, segment);
        if (!base)
            return 1;
        *found =
            table_search((const struct proa_region *)(void *)(base + offset), count, address, end);
    }
    return is_unchanged(ctl, now);
}

static int cache_holds(const struct proa_target *target, uint64_t address, uint64_t bytes)
{
    return target->only.end && proa_span_holds(&target->only, address, bytes) &&
           proa_regions_are_unchanged(target);
}

/* Sets a span of another process's private memory. Of adopted memory, the span is the part around
 * address that is mapped in one block. */
static void span_set_private(const struct proa_target *target, int adopted, uint64_t address,
                             struct proa_span *span)
{
    uint64_t block = address / proa_pages_block * proa_pages_block;

    if (target->peer == proa_self) {
        span->here = (char *)(uintptr_t)span->first;
    } else if (adopted) {
        span->first = span->first > block ? span->first : block;
        span->end = span->end < block + proa_pages_block ? span->end : block + proa_pages_block;
        span->here = proa_pages_map(target->peer, span->first);
    }
    span->key = span->first;
    proa_pages_choose_road(span, adopted);
}

/* A thread that serves other nodes has a separate slot. */
static int accessor_set(const struct proa_win *win, struct proa_span *span)
{
    if (!win->second)
        return PROA_OK;
    span->owner = proa_peer_second(span->owner);
    return span->owner ? PROA_OK : PROA_ERR_NO_MEM;
}

static int span_of(struct proa_win *win, const struct proa_target *target,
                   const struct proa_region *region, uint64_t address, struct proa_span *span)
{
    char *segment;

    *span = (struct proa_span){
        .first = region->start, .end = region->end, .owner = target->peer, .road = PROA_ROAD_STORE};
    if (region->segment < 0) {
        span_set_private(target, region->segment == PROA_REGION_ADOPTED, address, span);
        return accessor_set(win, span);
    }
    if (region->owner.first.id)
        span->owner = proa_memory_owner(win, &region->owner);
    segment = span->owner ? proa_peer_segment(span->owner, (int)region->segment) : NULL;
    if (!segment)
        return PROA_ERR_OTHER;
    span->here = segment + region->offset;
    span->atomics = 1;
    span->key = proa_peer_address(span->owner, (int)region->segment, region->offset);
    return accessor_set(win, span);
}

int proa_regions_find(struct proa_win *win, struct proa_target *target, uint64_t address,
                      uint64_t bytes, int cache, struct proa_span *span)
{
    uint64_t end = bytes < UINT64_MAX - address ? address + bytes : UINT64_MAX, sequence;
    struct proa_region region;
    int error;

    if (proa_is_remote(target)) { /* the target itself checks its regions */
        *span = (struct proa_span){.end = UINT64_MAX, .road = PROA_ROAD_NET};
        return PROA_OK;
    }
    if (cache && cache_holds(target, address, bytes)) {
        *span = target->only;
        return PROA_OK;
    }
    while (!table_read(target, address, end, &region, &sequence))
        sched_yield();         /* the owner is changing the table: a few stores */
    if (address >= region.end) /* the region found begins at or below address */
        return proa_fail(PROA_ERR_RMA_RANGE,
                         "%llu bytes at address %#llx are not in a region attached by the target",
                         (unsigned long long)bytes, (unsigned long long)address);
    error = span_of(win, target, &region, address, span);
    if (cache && !error) {
        target->only = *span;
        target->sequence = sequence;
    }
    return error;
}
