/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of address ranges (adopt/ranges.h) against arrays of bytes; and how this process's mappings
 * are read (adopt/maps.h). */
#include "world.h"

#include "adopt/maps.h"
#include "adopt/ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum { BYTES = 40, LIVE = 12 };

/* The parts of [first, end) are those that the bytes tell: of holds, how many there are; of moved
 * memory, where each byte lies aside. 0: none. */
static void check_parts(const struct proa_ranges *ranges, const uint64_t *bytes, uint64_t first,
                        uint64_t end, int moved)
{
    struct proa_range part;
    uint64_t at = first;

    for (; at < end; at = part.end) {
        part = proa_ranges_within(ranges, at, end);
        CHECK(part.first >= at && part.end <= end);
        CHECK(part.first < part.end || part.first == end);
        for (uint64_t i = at; i < part.first; i++)
            CHECK_EQUAL(bytes[i], 0);
        for (uint64_t i = part.first; i < part.end; i++)
            CHECK_EQUAL(moved ? bytes[i] : bytes[i] > 0, moved ? part.aside + (i - part.first) : 1);
    }
}

/* Bytes that are held, with none before them. Ranges that touch are one place. */
static size_t places_of(const uint64_t *users)
{
    size_t places = 0;

    for (uint64_t i = 0; i < BYTES; i++)
        places += users[i] && (i == 0 || !users[i - 1]);
    return places;
}

static void holds_body(struct world *world)
{
    struct proa_ranges ranges = {0};
    uint64_t first[LIVE], end[LIVE], users[BYTES] = {0}, seed = 3;
    int live = 0;

    (void)world;
    for (long round = world_rounds(200000); round > 0; round--) {
        if (live < LIVE && (live == 0 || world_below(&seed, 2))) {
            first[live] = world_below(&seed, BYTES);
            end[live] = first[live] + 1 + world_below(&seed, BYTES - first[live]);
            CHECK_OK(proa_ranges_add(&ranges, first[live], end[live], 0));
            for (uint64_t i = first[live]; i < end[live]; i++)
                users[i]++;
            live++;
        } else {
            uint64_t which = world_below(&seed, (uint64_t)live);
            proa_ranges_remove(&ranges, first[which], end[which]);
            for (uint64_t i = first[which]; i < end[which]; i++)
                users[i]--;
            live--;
            first[which] = first[live];
            end[which] = end[live];
        }
        CHECK_EQUAL(ranges.count, live);
        CHECK_EQUAL(proa_ranges_places(&ranges), places_of(users));
        check_parts(&ranges, users, world_below(&seed, BYTES), BYTES, 0);
        check_parts(&ranges, users, 0, 1 + world_below(&seed, BYTES), 0);
    }
    proa_ranges_clear(&ranges);
}
WORLD_TEST(holds, 1)

/* Memory moves where none of it has moved, and any part of it goes back. */
static void moved_body(struct world *world)
{
    struct proa_ranges ranges = {0};
    uint64_t aside[BYTES] = {0}, seed = 5;

    (void)world;
    for (long round = world_rounds(200000); round > 0; round--) {
        uint64_t first = world_below(&seed, BYTES),
                 end = first + world_below(&seed, BYTES + 1 - first), free_end = first;

        if (world_below(&seed, 2)) {
            while (free_end < end && !aside[free_end])
                free_end++;
            if (free_end == first)
                continue;
            CHECK_OK(proa_ranges_add(&ranges, first, free_end, 1000 * (uint64_t)round));
            for (uint64_t i = first; i < free_end; i++)
                aside[i] = 1000 * (uint64_t)round + (i - first);
        } else {
            proa_ranges_cut(&ranges, first, end);
            for (uint64_t i = first; i < end; i++)
                aside[i] = 0;
        }
        CHECK(ranges.count <= BYTES);
        check_parts(&ranges, aside, 0, BYTES, 1);
        check_parts(&ranges, aside, first, end, 1);
    }
    proa_ranges_clear(&ranges);
}
WORLD_TEST(moved, 1)

/* ---- mappings ---- */

enum { MOST = 4000 };

struct list {
    struct proa_mapping mapping[MOST];
    int count;
};

static int take(const struct proa_mapping *mapping, void *context)
{
    struct list *list = context;

    CHECK(list->count < MOST);
    if (strcmp(mapping->name, "[vsyscall]") == 0) /* is not asked for: belongs to no process */
        return 0;
    list->mapping[list->count++] = *mapping;
    return 0;
}

static int stop_at_third(const struct proa_mapping *mapping, void *context)
{
    (void)mapping;
    return ++*(int *)context == 3 ? 77 : 0;
}

static void check_same(const struct proa_mapping *a, const struct proa_mapping *b)
{
    CHECK_EQUAL(a->first, b->first);
    CHECK_EQUAL(a->end, b->end);
    CHECK_EQUAL(a->offset, b->offset);
    CHECK_EQUAL(a->device, b->device);
    CHECK_EQUAL(a->inode, b->inode);
    CHECK_EQUAL(a->plain, b->plain);
    CHECK_EQUAL(a->shared, b->shared);
    CHECK(strcmp(a->name, b->name) == 0);
}

static void maps_body(struct world *world)
{
    static struct list asked, read;
    char *memory =
        mmap(NULL, world_pages(3), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t first = (uint64_t)(uintptr_t)memory;
    int third = 0;

    (void)world;
    CHECK(mprotect(memory + world_pages(1), world_pages(1), PROT_READ) == 0);
    CHECK_EQUAL(proa_maps_walk(0, UINT64_MAX, take, &asked), 0);
    CHECK_EQUAL(proa_maps_read(0, UINT64_MAX, take, &read), 0);
    CHECK(read.count > 10);
    CHECK_EQUAL(asked.count, read.count);
    for (int i = 0; i < read.count; i++)
        check_same(&asked.mapping[i], &read.mapping[i]);
    read.count = 0;
    CHECK_EQUAL(proa_maps_read(first + 100, first + world_pages(2) + 1, take, &read), 0);
    CHECK_EQUAL(read.count, 3);
    CHECK(read.mapping[0].plain && !read.mapping[1].plain && read.mapping[2].plain);
    CHECK_EQUAL(read.mapping[1].first, first + world_pages(1));
    CHECK_EQUAL(proa_maps_read(0, UINT64_MAX, stop_at_third, &third), 77);
    munmap(memory, world_pages(3));
}
WORLD_TEST(maps, 1)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(holds), cmocka_unit_test(moved),
                                       cmocka_unit_test(maps)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
