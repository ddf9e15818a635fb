/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges with counts (adopt/ranges.h) against an array of counts; and how this process's mappings
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

static void check_model(const struct proa_ranges *ranges, const int *users)
{
    uint64_t at = 0;
    const struct proa_range *before = NULL;

    for (const struct proa_range *r = proa_ranges_next(ranges, 0); r;
         r = proa_ranges_next(ranges, at)) {
        CHECK(r->first < r->end && r->users > 0 && r->first >= at);
        CHECK(!before || before->end < r->first || before->users != r->users);
        for (; at < r->first; at++)
            CHECK_EQUAL(users[at], 0);
        for (; at < r->end; at++)
            CHECK_EQUAL(users[at], r->users);
        before = r;
    }
    for (; at < BYTES; at++)
        CHECK_EQUAL(users[at], 0);
    CHECK(ranges->count <= 2 * ranges->adds);
}

static void model_body(struct world *world)
{
    struct proa_ranges ranges = {0};
    uint64_t first[LIVE], end[LIVE], seed = 3;
    int users[BYTES] = {0}, live = 0;

    (void)world;
    for (long round = world_rounds(200000); round > 0; round--) {
        if (live < LIVE && (live == 0 || world_below(&seed, 2))) {
            first[live] = world_below(&seed, BYTES);
            end[live] = first[live] + world_below(&seed, BYTES + 1 - first[live]);
            CHECK_OK(proa_ranges_add(&ranges, first[live], end[live]));
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
        check_model(&ranges, users);
    }
    proa_ranges_clear(&ranges);
}
WORLD_TEST(model, 1)

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
    char *memory = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t first = (uint64_t)(uintptr_t)memory;
    int third = 0;

    (void)world;
    CHECK(mprotect(memory + 4096, 4096, PROT_READ) == 0);
    CHECK_EQUAL(proa_maps_walk(0, UINT64_MAX, take, &asked), 0);
    CHECK_EQUAL(proa_maps_read(0, UINT64_MAX, take, &read), 0);
    CHECK(read.count > 20);
    CHECK_EQUAL(asked.count, read.count);
    for (int i = 0; i < read.count; i++)
        check_same(&asked.mapping[i], &read.mapping[i]);
    read.count = 0;
    CHECK_EQUAL(proa_maps_read(first + 100, first + 2 * 4096 + 1, take, &read), 0);
    CHECK_EQUAL(read.count, 3);
    CHECK(read.mapping[0].plain && !read.mapping[1].plain && read.mapping[2].plain);
    CHECK_EQUAL(read.mapping[1].first, first + 4096);
    CHECK_EQUAL(proa_maps_read(0, UINT64_MAX, stop_at_third, &third), 77);
    munmap(memory, 3 * 4096);
}
WORLD_TEST(maps, 1)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(model), cmocka_unit_test(maps)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
