/* SPDX-License-Identifier: BSD-3-Clause */
/* The arena gets a segment while another thread of its process looks whether an address is in it
 * (shm/arena.c). Files and free memory are pretended. */
#include "explore.h"
#include "shm/available.h"
#include "shm/segment.h"

/* The names that other files of this program have, too, end in _ here. */
#define proa_arena_start proa_arena_start_
#define proa_arena_stop proa_arena_stop_
#define proa_arena_alloc proa_arena_alloc_
#define proa_arena_shrink proa_arena_shrink_
#define proa_arena_free proa_arena_free_
#define proa_arena_find proa_arena_find_
#define proa_segment_create proa_segment_create_

int proa_segment_create_(struct proa_segment *segment, uint64_t least, uint64_t wanted);
#include "shm/arena.c"

static struct shared {
    char memory[64]; /* of the new segment */
} * s;

int proa_segment_create(struct proa_segment *segment, uint64_t least, uint64_t wanted)
{
    (void)least, (void)wanted;
    segment->base = s->memory;
    segment->bytes = CHUNK_BYTES;
    return 0;
}

uint64_t proa_memory_available(void)
{
    return UINT64_MAX;
}

uint64_t proa_memory_available_lately(void)
{
    return UINT64_MAX;
}

int proa_memory_is_strict(void)
{
    return 0;
}

static void prepare(void)
{
    explore_share(segments, sizeof segments);
    explore_share(&segment_count, sizeof segment_count);
}

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
}

static void find(int thread)
{
    uint64_t offset;
    int segment;

    if (thread == 0)
        explore_check(segment_add(1) == 0);
    else if (proa_arena_find(s->memory, 1, &segment, &offset))
        explore_check(segment == 0 && offset == 0);
}

const struct explore_scenario explore_segments[] = {
    {.name = "segments.find", .threads = 2, .prepare = prepare, .setup = setup, .body = find},
    {0},
};
