/* SPDX-License-Identifier: BSD-3-Clause */
/* See watched.h. */
#include "watched.h"

enum { PAGE_SHIFT = 12, PAGE_LINES = 1 << (PAGE_SHIFT - PROA_LINE_SHIFT) };
enum { PAGES = PROA_MAP_LINES / PAGE_LINES };

UChar proa_map[PROA_MAP_LINES], proa_map_empty[PROA_MAP_LINES];
UChar *proa_map_now = proa_map_empty;
Bool proa_watched_any;
ULong proa_watched_changes;

/* In the order of addresses. */
static struct proa_segment *segments;
static SizeT count, room;

/* Number of requests that marked lines of a page of the map. The marks are cleared with the last
 * one. */
static UInt loads_of_page[PAGES], stores_of_page[PAGES];

/* ---- the map ---- */

static void mark(Addr low, Addr high, UWord what)
{
    const Addr first = (low - (PROA_ACCESS_MOST - 1)) >> PROA_LINE_SHIFT;
    Addr end = ((high - 1) >> PROA_LINE_SHIFT) + 1;

    end = end - first < PROA_MAP_LINES ? end : first + PROA_MAP_LINES;
    for (Addr line = first; line < end; line++)
        proa_map[line % PROA_MAP_LINES] |= what;
}

static void unmark_page(Addr page, UWord what)
{
    UChar *lines = &proa_map[page % PAGES * PAGE_LINES];

    for (UInt i = 0; i < PAGE_LINES; i++)
        lines[i] &= ~what;
}

static void count_page(UInt *of_pages, Addr page, Int more, UWord what)
{
    UInt *of_page = &of_pages[page % PAGES];

    *of_page += more;
    if (*of_page == 0)
        unmark_page(page, what);
}

static void count_pages(Addr low, Addr high, Int more, UWord what)
{
    const Addr first = (low - (PROA_ACCESS_MOST - 1)) >> PAGE_SHIFT,
               last = (high - 1) >> PAGE_SHIFT;

    for (Addr page = first; page <= last; page++) {
        if (what & PROA_LOADS)
            count_page(loads_of_page, page, more, PROA_LOADS);
        if (what & PROA_STORES)
            count_page(stores_of_page, page, more, PROA_STORES);
    }
}

/* ---- segments ---- */

/* Returns the index of the first segment that ends after that address. */
static SizeT index_from(Addr low)
{
    SizeT first = 0, end = count;

    while (first < end) {
        const SizeT middle = first + (end - first) / 2;

        if (segments[middle].high <= low)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static void insert(SizeT at, const struct proa_segment *segment)
{
    if (count == room) {
        room = room ? 2 * room : 64;
        segments = VG_(realloc)("proa.segments", segments, room * sizeof *segments);
    }
    VG_(memmove)(&segments[at + 1], &segments[at], (count - at) * sizeof *segments);
    segments[at] = *segment;
    count++;
}

/* Splits the segment at that address, so that no segment spans it. */
static void split(Addr border)
{
    const SizeT at = index_from(border);
    struct proa_segment behind;

    if (at == count || segments[at].low >= border)
        return;
    behind = segments[at];
    behind.low = border;
    segments[at].high = border;
    insert(at + 1, &behind);
}

/* Adds empty segments for bytes of [low, high) that are in none. */
static void fill(Addr low, Addr high)
{
    SizeT at = index_from(low);

    while (low < high) {
        const Addr next = at < count && segments[at].low < high ? segments[at].low : high;

        if (low < next) {
            insert(at, &(struct proa_segment){low, next, 0, 0});
            low = next;
        } else {
            low = segments[at].high;
        }
        at++;
    }
}

/* Merges equal neighbours among segments that start in [low, high), and removes empty ones. */
static void tidy(Addr low, Addr high)
{
    SizeT from = index_from(low), to, end = index_from(high);

    from = from > 0 ? from - 1 : 0;
    end = end < count ? end + 1 : count;
    to = from;
    for (SizeT at = from; at < end; at++) {
        const struct proa_segment this = segments[at];

        if (this.loads == 0 && this.stores == 0)
            continue;
        if (to > from && segments[to - 1].high == this.low &&
            segments[to - 1].loads == this.loads && segments[to - 1].stores == this.stores)
            segments[to - 1].high = this.high;
        else
            segments[to++] = this;
    }
    VG_(memmove)(&segments[to], &segments[end], (count - end) * sizeof *segments);
    count -= end - to;
}

static void change(Addr low, Addr high, UWord what, Int more)
{
    split(low);
    split(high);
    if (more > 0)
        fill(low, high);
    for (SizeT at = index_from(low); at < count && segments[at].low < high; at++) {
        if (what & PROA_LOADS && (more > 0 || segments[at].loads))
            segments[at].loads += more;
        if (what & PROA_STORES && (more > 0 || segments[at].stores))
            segments[at].stores += more;
    }
    tidy(low, high);
    proa_watched_changes++;
}

void proa_watched_add(Addr low, SizeT bytes, UWord what)
{
    if (bytes == 0)
        return;
    proa_watched_any = True;
    count_pages(low, low + bytes, 1, what);
    mark(low, low + bytes, what);
    change(low, low + bytes, what, 1);
}

void proa_watched_drop(Addr low, SizeT bytes, UWord what)
{
    if (bytes == 0)
        return;
    count_pages(low, low + bytes, -1, what);
    change(low, low + bytes, what, -1);
}

const struct proa_segment *proa_watched_from(Addr low)
{
    const SizeT at = index_from(low);

    return at < count ? &segments[at] : NULL;
}

const struct proa_segment *proa_watched_next(const struct proa_segment *segment)
{
    return segment + 1 < segments + count ? segment + 1 : NULL;
}
