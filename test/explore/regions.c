/* SPDX-License-Identifier: BSD-3-Clause */
/* The regions of a dynamic window (rma/regions.c): neighbours search the table while its owner
 * attaches and detaches. */
#include "window.h"
#include "adopt/adopt.h"
#include "adopt/policy.h"
#include "base/fail.h"
#include "rma/memory_owner.h"
#include "rma/pages.h"
#include "rma/regions.h"
#include "shm/arena.h"
#include "shm/ctl.h"

enum { BYTES = 64 };

static struct shared {
    char memory[8][BYTES]; /* that the owner attaches */
} * s;

/* ---- outside of the table: all shared memory is one segment ---- */

/* Offsets count from here. */
static char first[1];

void *proa_arena_alloc(size_t bytes, size_t align)
{
    (void)align;
    return explore_new(bytes, 64);
}

/* A reader may still look at a table that has been freed. */
int proa_arena_free(void *p)
{
    (void)p;
    return 1;
}

int proa_arena_find(const void *address, size_t bytes, int *segment, uint64_t *offset)
{
    (void)bytes;
    *segment = 0;
    *offset = (uint64_t)((uintptr_t)address - (uintptr_t)first);
    return 1;
}

char *proa_peer_segment(struct proa_peer *peer, int segment)
{
    (void)peer;
    explore_check(segment == 0);
    return first;
}

/* ---- not come to: private memory, and second accessors ---- */

int proa_peer_find(const void *address, uint64_t bytes, struct proa_hello *owner, int *segment,
                   uint64_t *offset)
{
    (void)address, (void)bytes, (void)owner, (void)segment, (void)offset;
    return 0;
}

struct proa_peer *proa_peer_second(struct proa_peer *peer)
{
    return peer;
}

char *proa_pages_map(struct proa_peer *peer, uint64_t address)
{
    (void)peer, (void)address;
    return NULL;
}

void proa_pages_choose_road(struct proa_span *span, int adopted)
{
    (void)span, (void)adopted;
}

struct proa_peer *proa_memory_owner(struct proa_win *win, const struct proa_hello *hello)
{
    (void)win, (void)hello;
    return NULL;
}

int proa_adopt_policy_hold(struct proa_hold *hold, const void *base, uint64_t bytes,
                           enum proa_adopt adopt)
{
    (void)hold, (void)base, (void)bytes, (void)adopt;
    return PROA_ERR_INTERN;
}

void proa_adopt_policy_freed(const struct proa_hold *hold, uint64_t calls)
{
    (void)hold, (void)calls;
}

void proa_adopt_drop(struct proa_hold *hold)
{
    (void)hold;
}

uint64_t proa_adopt_bytes(const struct proa_hold *hold)
{
    (void)hold;
    return 0;
}

/* ---- scenarios ---- */

static void attach(int i)
{
    explore_check(proa_regions_attach(window[0], s->memory[i], BYTES) == PROA_OK);
}

static void detach(int i)
{
    explore_check(proa_regions_detach(window[0], s->memory[i]) == PROA_OK);
}

/* Finds that region; may_miss: or none. */
static void find(int i, int may_miss, int cache)
{
    uint64_t address = (uint64_t)(uintptr_t)s->memory[i];
    struct proa_span span;
    int error = proa_regions_find(window[1], &window[1]->targets[0], address, 8, cache, &span);

    if (error == PROA_ERR_RMA_RANGE && may_miss)
        return;
    explore_check(error == PROA_OK);
    explore_check(span.first == address && span.end == address + BYTES);
    explore_check(span.here == s->memory[i]);
}

static void setup_empty(void)
{
    window_make(2);
    s = explore_new(sizeof *s, 64);
}

static void setup(void)
{
    setup_empty();
    attach(4);
}

/* The first table. */
static void begin(int rank)
{
    window_enter(rank);
    rank ? find(4, 1, 0) : attach(4);
}

/* Rows move up, and down again. */
static void insert(int rank)
{
    window_enter(rank);
    rank ? find(4, 0, 0) : attach(2);
}

static void insert_found(int rank)
{
    window_enter(rank);
    rank ? find(2, 1, 0) : attach(2);
}

static void setup_two(void)
{
    setup();
    attach(2);
}

static void remove_other(int rank)
{
    window_enter(rank);
    rank ? find(4, 0, 0) : detach(2);
}

static void cached(int rank)
{
    window_enter(rank);
    if (rank == 0) {
        attach(2);
        return;
    }
    find(4, 0, 1);
    find(4, 0, 1);
}

#define REGIONS(title, ...)                                                                  \
    {                                                                                        \
        .name = "regions." title, .threads = 2, .prepare = window_prepare, .preemptions = 1, \
        .stale = 1, __VA_ARGS__                                                              \
    }
const struct explore_scenario explore_regions[] = {
    REGIONS("begin", .setup = setup_empty, .body = begin),
    REGIONS("insert", .setup = setup, .body = insert),
    REGIONS("insert_found", .setup = setup, .body = insert_found),
    REGIONS("remove", .setup = setup_two, .body = remove_other),
    REGIONS("cached", .setup = setup, .body = cached),
    {0},
};
