/* SPDX-License-Identifier: BSD-3-Clause */
/* See ranges.h. Each add brings two borders at most, and each remove takes its own away again: so
 * there are never more than twice as many ranges as adds that were not removed. */
#include "adopt/ranges.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first range that ends above address. */
static size_t find(const struct proa_ranges *ranges, uint64_t address)
{
    size_t low = 0, high = ranges->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->range[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int make_room(struct proa_ranges *ranges)
{
    size_t wanted = 2 * (ranges->adds + 1) + 2; /* with two borders on the way */
    struct proa_range *more;

    if (ranges->range && wanted <= ranges->room)
        return PROA_OK;
    more = realloc(ranges->range, 2 * wanted * sizeof *more);
    if (!more)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to remember %zu ranges of addresses", wanted);
    ranges->range = more;
    ranges->room = 2 * wanted;
    return PROA_OK;
}

static void insert(struct proa_ranges *ranges, size_t at, struct proa_range range)
{
    memmove(&ranges->range[at + 1], &ranges->range[at],
            (ranges->count - at) * sizeof *ranges->range);
    ranges->range[at] = range;
    ranges->count++;
}

static void delete (struct proa_ranges *ranges, size_t at)
{
    ranges->count--;
    memmove(&ranges->range[at], &ranges->range[at + 1],
            (ranges->count - at) * sizeof *ranges->range);
}

/* A border at address, if it lies inside of a range. */
static void cut(struct proa_ranges *ranges, uint64_t address)
{
    size_t at = find(ranges, address);
    struct proa_range upper;

    if (at == ranges->count || ranges->range[at].first >= address)
        return;
    upper = ranges->range[at];
    upper.first = address;
    ranges->range[at].end = address;
    insert(ranges, at + 1, upper);
}

/* The range at `at` and the one before become one, if they are alike. */
static void join(struct proa_ranges *ranges, size_t at)
{
    struct proa_range *range = ranges->range;

    if (at == 0 || at >= ranges->count || range[at - 1].end != range[at].first ||
        range[at - 1].users != range[at].users)
        return;
    range[at - 1].end = range[at].end;
    delete (ranges, at);
}

static void join_borders(struct proa_ranges *ranges, uint64_t first, uint64_t end)
{
    join(ranges, find(ranges, end));
    join(ranges, find(ranges, first));
}

int proa_ranges_add(struct proa_ranges *ranges, uint64_t first, uint64_t end)
{
    uint64_t address = first;

    if (first >= end)
        return PROA_OK;
    if (make_room(ranges) != PROA_OK)
        return PROA_ERR_NO_MEM;
    ranges->adds++;
    cut(ranges, first);
    cut(ranges, end);
    while (address < end) {
        size_t at = find(ranges, address);
        struct proa_range *next = at < ranges->count ? &ranges->range[at] : NULL;

        if (next && next->first <= address) {
            next->users++;
        } else {
            uint64_t gap = next && next->first < end ? next->first : end;
            insert(ranges, at, (struct proa_range){address, gap, 1});
            join(ranges, at);
        }
        at = find(ranges, address);
        address = ranges->range[at].end;
    }
    join_borders(ranges, first, end);
    return PROA_OK;
}

void proa_ranges_remove(struct proa_ranges *ranges, uint64_t first, uint64_t end)
{
    size_t at;

    if (first >= end)
        return;
    ranges->adds--;
    cut(ranges, first);
    cut(ranges, end);
    at = find(ranges, first);
    while (at < ranges->count && ranges->range[at].first < end)
        if (--ranges->range[at].users == 0)
            delete (ranges, at);
        else
            at++;
    join_borders(ranges, first, end);
}

const struct proa_range *proa_ranges_next(const struct proa_ranges *ranges, uint64_t address)
{
    size_t at = find(ranges, address);

    return at < ranges->count ? &ranges->range[at] : NULL;
}

void proa_ranges_clear(struct proa_ranges *ranges)
{
    free(ranges->range);
    memset(ranges, 0, sizeof *ranges);
}
