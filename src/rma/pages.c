/* SPDX-License-Identifier: BSD-3-Clause */
/* See pages.h. */
#include "rma/pages.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/log.h"
#include "shm/arena.h"
#include "shm/cma.h"
#include "rma/guard.h"
#include "rma/road.h"
#include "window/win.h"
#include "adopt/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <utlist.h>

/* A mapping for one window alone. */
struct mapped {
    struct mapped *next;
    char *base;
    uint64_t bytes;
};

/* The window's records of its own part, and of its own mappings. */
struct proa_pages {
    struct proa_hold hold;
    struct proa_piece *table; /* in the arena; NULL if no page is adopted */
    struct mapped *mapped;
};

/* ---- the owner's side ---- */

static struct proa_pages *pages_of(struct proa_win *win)
{
    if (!win->pages)
        win->pages = calloc(1, sizeof *win->pages);
    if (!win->pages)
        proa_fail(PROA_ERR_NO_MEM, "out of memory for the window's address table");
    return win->pages;
}

static void tell(const struct proa_hold *hold, uint64_t bytes)
{
    uint64_t shared = proa_adopt_bytes(hold);

    if (shared == bytes)
        proa_log(PROA_LOG_DEBUG, "created window: all of its %llu bytes are adopted",
                 (unsigned long long)bytes);
    else
        proa_log(PROA_LOG_DEBUG,
                 "created window: %llu of its %llu bytes are adopted, the rest is reached through "
                 "the kernel: %s",
                 (unsigned long long)shared, (unsigned long long)bytes,
                 hold->why ? hold->why : "as requested");
}

int proa_pages_hold(struct proa_win *win, const void *base, uint64_t bytes, enum proa_adopt adopt)
{
    struct proa_pages *pages = pages_of(win);
    int error = pages ? proa_adopt_policy_hold(&pages->hold, base, bytes, adopt) : PROA_ERR_NO_MEM;

    if (error)
        return error;
    if (pages->hold.is_rough)
        proa_guard_stripes_only(proa_self->ctl);
    if (win->size > 1)
        tell(&pages->hold, bytes);
    if (proa_adopt_bytes(&pages->hold) == 0)
        return PROA_OK;
    pages->table = proa_arena_alloc(pages->hold.count * sizeof *pages->table, 0);
    if (!pages->table)
        return PROA_ERR_NO_MEM;
    for (uint32_t i = 0; i < pages->hold.count; i++)
        pages->table[i] = pages->hold.piece[i];
    return PROA_OK;
}

struct proa_pages_place proa_pages_show(const struct proa_win *win, int *whole)
{
    struct proa_pages_place place = {0};
    int segment = 0;

    *whole = 0;
    if (!win->pages || !win->pages->table)
        return place;
    proa_arena_find(win->pages->table, 1, &segment, &place.offset);
    place.segment = segment;
    place.count = win->pages->hold.count;
    *whole = place.count == 1;
    return place;
}

/* Called after the last barrier of a window, so that no process uses it any more. */
void proa_pages_learn(const struct proa_win *win)
{
    if (win->pages && win->ctl)
        proa_adopt_policy_freed(&win->pages->hold,
                                proa_atomic_load(&win->ctl->through_kernel, PROA_RELAXED));
}

void proa_pages_release(struct proa_win *win)
{
    struct mapped *mapped, *next;

    if (!win->pages)
        return;
    LL_FOREACH_SAFE(win->pages->mapped, mapped, next) {
        munmap(mapped->base, mapped->bytes);
        free(mapped);
    }
    proa_adopt_drop(&win->pages->hold);
    if (win->pages->table)
        proa_arena_free(win->pages->table);
    free(win->pages);
    win->pages = NULL;
}

/* ---- the other processes' side: mapping ---- */

/* Maps memory for this window alone. */
static char *map_for(struct proa_win *win, struct proa_peer *peer, uint64_t first, uint64_t end)
{
    struct proa_segment_name name = proa_segment_name(peer->ctl, &peer->ctl->adopted);
    uint64_t page = proa_page_bytes(), start = first / page * page,
             bytes = (end + page - 1) / page * page - start;
    struct proa_pages *pages = pages_of(win);
    struct mapped *mapped = pages ? calloc(1, sizeof *mapped) : NULL;

    if (!mapped)
        return NULL;
    mapped->base = proa_segment_map(&name, start, bytes);
    if (!mapped->base) {
        free(mapped);
        return NULL;
    }
    mapped->bytes = bytes;
    LL_PREPEND(pages->mapped, mapped);
    return mapped->base + (first - start);
}

static char *reach(struct proa_win *win, struct proa_peer *peer, uint64_t first, uint64_t end)
{
    if (peer == proa_self)
        return (char *)(uintptr_t)first;
    if (first / proa_pages_block == (end - 1) / proa_pages_block)
        return proa_pages_map(peer, first);
    return map_for(win, peer, first, end);
}

/* ---- the other processes' side: spans ---- */

/* Returns the reason after a mapping has failed. */
static uint8_t why_unmapped(void)
{
    return proa_segment_is_limit(errno) ? PROA_UNREACHED_LIMIT : PROA_UNREACHED_FILE;
}

void proa_pages_choose_road(struct proa_span *span, int adopted)
{
    span->road = span->here ? PROA_ROAD_STORE : PROA_ROAD_CMA;
    span->atomics = span->adopted = span->here && adopted;
    if (!span->here && adopted)
        proa_guard_stripes_only(span->owner->ctl);
}

static int span_make(struct proa_win *win, struct proa_peer *peer, uint64_t address,
                     const struct proa_piece *piece, struct proa_span *span)
{
    uint8_t why;

    span->end = span->first + (piece->end - address);
    span->owner = peer;
    span->key = address;
    span->here = piece->adopted || peer == proa_self ? reach(win, peer, address, piece->end) : NULL;
    why = why_unmapped();
    if (!span->here && !proa_cma_works(peer)) {
        win->unreached = piece->adopted ? why : PROA_UNREACHED_PRIVATE;
        return PROA_ELSEWHERE;
    }
    proa_pages_choose_road(span, piece->adopted != 0);
    return PROA_OK;
}

/* Returns the pieces of a target: from its table, or all private. */
static const struct proa_piece *pieces_of(const struct proa_target *target,
                                          const struct proa_pages_place *place,
                                          const struct proa_piece *private)
{
    char *segment;

    if (place->count == 0)
        return private;
    segment = proa_peer_segment(target->peer, place->segment);
    return segment ? (const struct proa_piece *)(void *)(segment + place->offset) : NULL;
}

int proa_pages_reach(struct proa_win *win, struct proa_target *target, uint64_t address,
                     const struct proa_pages_place *place)
{
    const struct proa_piece private = {.end = address + target->bytes},
                            *pieces = pieces_of(target, place, &private);
    uint32_t count = place->count ? place->count : 1;
    struct proa_span *spans = calloc(count, sizeof *spans);
    uint64_t first = address;
    int error = !pieces ? PROA_ELSEWHERE : PROA_OK;

    if (!pieces)
        win->unreached = why_unmapped();
    if (!spans)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the window's address table");
    for (uint32_t i = 0; i < count && !error && target->bytes; first = pieces[i++].end) {
        spans[i].first = first - address;
        error = span_make(win, target->peer, first, &pieces[i], &spans[i]);
    }
    if (!error)
        error = proa_spans_set(target, spans, count);
    free(spans);
    return error;
}
