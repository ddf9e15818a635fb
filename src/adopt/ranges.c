/* SPDX-License-Identifier: BSD-3-Clause */
/* See ranges.h. */
#include "adopt/ranges.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* Returns the index of the first range that ends above address. */
static size_t find(const struct proa_ranges *ranges, uint64_t address)
{
    size_t low = 0, high = ranges->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->range[middle].reach <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Updates reach from `at` on, up to a range whose reach is already right. */
static void reach_renew(struct proa_ranges *ranges, size_t at)
{
    for (; at < ranges->count; at++) {
        struct proa_range *range = &ranges->range[at];
        uint64_t before = at ? range[-1].reach : 0,
                 reach = before > range->end ? before : range->end;

        if (range->reach == reach)
            return;
        range->reach = reach;
    }
}

static int make_room(struct proa_ranges *ranges)
{
    size_t room = 2 * ranges->count + 2;
    struct proa_range *more;

    if (ranges->count < ranges->room)
        return PROA_OK;
    more = realloc(ranges->range, room * sizeof *more);
    if (!more)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for %zu address ranges", room);
    ranges->range = more;
    ranges->room = room;
    return PROA_OK;
}

int proa_ranges_add(struct proa_ranges *ranges, uint64_t first, uint64_t end, uint64_t aside)
{
    size_t at = find(ranges, first);

    if (make_room(ranges) != PROA_OK)
        return PROA_ERR_NO_MEM;
    while (at < ranges->count && ranges->range[at].first < first)
        at++;
    memmove(&ranges->range[at + 1], &ranges->range[at],
            (ranges->count++ - at) * sizeof *ranges->range);
    ranges->range[at] = (struct proa_range){.first = first, .end = end, .aside = aside};
    reach_renew(ranges, at);
    return PROA_OK;
}

static void delete (struct proa_ranges *ranges, size_t at)
{
    ranges->count--;
    memmove(&ranges->range[at], &ranges->range[at + 1],
            (ranges->count - at) * sizeof *ranges->range);
    reach_renew(ranges, at);
}

void proa_ranges_remove(struct proa_ranges *ranges, uint64_t first, uint64_t end)
{
    size_t at = find(ranges, first);

    while (at < ranges->count && (ranges->range[at].first != first || ranges->range[at].end != end))
        at++;
    if (at < ranges->count)
        delete (ranges, at);
}

struct proa_range proa_ranges_within(const struct proa_ranges *ranges, uint64_t first, uint64_t end)
{
    size_t at = find(ranges, first);
    struct proa_range part = {.first = end, .end = end};

    if (at == ranges->count || ranges->range[at].first >= end)
        return part;
    part = ranges->range[at];
    if (part.first < first) {
        part.aside += first - part.first;
        part.first = first;
    }
    part.end = part.end < end ? part.end : end;
    return part;
}

/* Cuts `part` out of a range: the bytes after it become another range, those before it stay. */
static void cut_one(struct proa_ranges *ranges, const struct proa_range *part)
{
    size_t at = find(ranges, part->first);
    struct proa_range *range = &ranges->range[at], whole = *range;

    if (part->first == whole.first && part->end == whole.end) {
        delete (ranges, at);
    } else if (part->first == whole.first) {
        range->first = part->end;
        range->aside += part->end - part->first;
    } else if (part->end == whole.end ||
               proa_ranges_add(ranges, part->end, whole.end,
                               part->aside + (part->end - part->first)) == PROA_OK) {
        ranges->range[at].end = part->first;
        reach_renew(ranges, at);
    }
}

void proa_ranges_cut(struct proa_ranges *ranges, uint64_t first, uint64_t end)
{
    struct proa_range part;

    for (; first < end; first = part.end) {
        part = proa_ranges_within(ranges, first, end);
        if (part.first < part.end)
            cut_one(ranges, &part);
    }
}

size_t proa_ranges_places(const struct proa_ranges *ranges)
{
    size_t places = 0;

    for (size_t i = 0; i < ranges->count; i++)
        places += i == 0 || ranges->range[i].first > ranges->range[i - 1].reach;
    return places;
}

void proa_ranges_clear(struct proa_ranges *ranges)
{
    free(ranges->range);
    *ranges = (struct proa_ranges){0};
}
