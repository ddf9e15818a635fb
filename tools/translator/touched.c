/* SPDX-License-Identifier: BSD-3-Clause */
/* See touched.h. */
#include "touched.h"
#include "site.h"
#include "watched.h"

enum { PAGE_BYTES = 4096, WORD_BITS = 64, WORDS = PAGE_BYTES / WORD_BITS };
enum { PAGES_MOST = 1 << 16, RUNS_MOST = 1 << 18 };

/* The bytes of a page that a site accessed, and accessed again. */
struct proa_page {
    Addr number;
    UInt order; /* order of its first access, among pages */
    const struct proa_site *site;
    struct proa_page *next;
    ULong bits[WORDS], again[WORDS];
};

struct proa_touched_counts proa_touched_counts;

static struct proa_site *active;
static UInt page_count;
static UInt *pending;

/* Runs that were drained, but not returned yet. */
static struct proa_touched *runs;
static UWord run_count, run_room, runs_out;

void proa_touched_tell(UInt *word)
{
    pending = word;
}

/* ---- an access ---- */

static struct proa_page *page_make(struct proa_site *site, Addr number)
{
    struct proa_page *page;

    if (page_count == PAGES_MOST)
        return NULL;
    page_count++;
    page = VG_(calloc)("proa.page", 1, sizeof *page);
    page->number = number;
    page->order = page_count;
    page->site = site;
    page->next = site->pages;
    if (!site->pages) {
        site->active = active;
        active = site;
    }
    site->pages = page;
    if (pending)
        *pending = 1;
    return page;
}

static struct proa_page *page_of(struct proa_site *site, Addr number)
{
    struct proa_page *page = site->last;

    if (page && page->number == number)
        return page;
    for (page = site->pages; page && page->number != number;)
        page = page->next;
    if (!page)
        page = page_make(site, number);
    site->last = page;
    return page;
}

static ULong bits_of(UInt from, UInt count)
{
    return (count == WORD_BITS ? ~0ULL : (1ULL << count) - 1) << from;
}

/* Sets the bits of bytes in one word. Returns their number. */
static UInt set_bits(struct proa_page *page, Addr low, Addr high)
{
    const UInt at = low % PAGE_BYTES / WORD_BITS, from = low % WORD_BITS;
    const UInt count = high - low < WORD_BITS - from ? (UInt)(high - low) : WORD_BITS - from;
    const ULong bits = bits_of(from, count);

    page->again[at] |= page->bits[at] & bits;
    page->bits[at] |= bits;
    return count;
}

static void touch(struct proa_site *site, Addr low, Addr high)
{
    while (low < high) {
        struct proa_page *page = page_of(site, low / PAGE_BYTES);

        if (!page) {
            proa_touched_counts.of[0]++;
            return;
        }
        low += set_bits(page, low, high);
    }
}

static void count(const struct proa_site *site)
{
    proa_touched_counts.of[site->what]++;
}

static Bool matters(const struct proa_segment *segment, UWord what)
{
    return (what & PROA_LOADS && segment->loads) || (what & PROA_STORES && segment->stores);
}

/* The next accesses of a loop are in the same segment. */
static void remember(struct proa_site *site, const struct proa_segment *segment)
{
    site->low = segment->low;
    site->high = segment->high;
    site->changes = proa_watched_changes;
}

/* Takes the watched bytes of an access. */
static void take(const struct proa_access *access)
{
    const struct proa_segment *segment = proa_watched_from(access->low);
    struct proa_site *site = NULL;

    for (; segment && segment->low < access->high; segment = proa_watched_next(segment)) {
        if (!matters(segment, access->what))
            continue;
        if (!site) {
            site = proa_site_of(access);
            if (!site || site->is_left_out)
                return;
            count(site);
            remember(site, segment);
        }
        touch(site, access->low > segment->low ? access->low : segment->low,
              access->high < segment->high ? access->high : segment->high);
    }
}

VG_REGPARM(3) void proa_touched_by_code(const VexGuestAMD64State *guest, Addr low, UWord kind)
{
    const struct proa_access access = {.low = low,
                                       .high = low + (kind >> PROA_TOUCHED_SHIFT),
                                       .ip = guest->guest_RIP,
                                       .sp = guest->guest_RSP,
                                       .what = kind & PROA_LOADS_AND_STORES,
                                       .polls = (kind & PROA_TOUCHED_POLLS) != 0,
                                       .thread = VG_(get_running_tid)()};
    struct proa_site *site;

    if (proa_map_now != proa_map)
        return;
    site = proa_site_known(&access);
    if (!site || site->changes != proa_watched_changes || low < site->low ||
        access.high > site->high) {
        take(&access);
    } else if (!site->is_left_out) {
        count(site);
        touch(site, low, access.high);
    }
}

void proa_touched_by_call(ThreadId thread, Addr low, SizeT bytes, UWord what)
{
    const struct proa_access access = {.low = low,
                                       .high = low + bytes,
                                       .ip = VG_(get_IP)(thread),
                                       .sp = VG_(get_SP)(thread),
                                       .what = what,
                                       .thread = thread,
                                       .is_of_call = True};

    if (bytes)
        take(&access);
}

/* ---- the drain ---- */

static void run_add(const struct proa_touched *run)
{
    if (run_count == RUNS_MOST) {
        proa_touched_counts.of[0]++;
        return;
    }
    if (run_count == run_room) {
        run_room = run_room ? 2 * run_room : 256;
        runs = VG_(realloc)("proa.runs", runs, run_room * sizeof *runs);
    }
    runs[run_count++] = *run;
}

static Int compare(UWord one, UWord other)
{
    return one < other ? -1 : one > other;
}

/* Sorts pages of one place, kind of access and thread together, and among these the same page. */
static Int compare_pages(const void *first, const void *second)
{
    const struct proa_page *one = *(struct proa_page *const *)first,
                           *other = *(struct proa_page *const *)second;
    Int result = compare(one->site->chain, other->site->chain);

    if (!result)
        result = compare(one->site->what, other->site->what);
    if (!result)
        result = compare(one->site->is_of_call, other->site->is_of_call);
    if (!result)
        result = compare(one->site->thread, other->site->thread);
    return result ? result : compare(one->number, other->number);
}

/* A run that grows as pages are processed in order. */
struct growing {
    const struct proa_site *site;
    struct proa_touched run; /* low == high if there is none yet */
};

static Bool is_alike(const struct proa_site *one, const struct proa_site *other)
{
    return one && one->chain == other->chain && one->what == other->what &&
           one->is_of_call == other->is_of_call && one->thread == other->thread;
}

static void end_run(struct growing *growing)
{
    if (growing->run.low < growing->run.high)
        run_add(&growing->run);
    growing->run.low = growing->run.high = 0;
}

/* Appends accessed bytes to the run, or starts a new one. */
static void grow(struct growing *growing, const struct proa_page *page, Addr low, Addr high,
                 Bool is_repeated)
{
    const struct proa_site *site = page->site;

    if (!is_alike(growing->site, site) || growing->run.high != low ||
        growing->run.is_repeated != is_repeated) {
        end_run(growing);
        growing->site = site;
        growing->run = (struct proa_touched){.low = low,
                                             .high = high,
                                             .place = site->place,
                                             .stack = site->stack,
                                             .order = page->order,
                                             .thread = site->thread,
                                             .what = site->what,
                                             .is_repeated = is_repeated,
                                             .ends_loop = site->polls,
                                             .is_of_call = site->is_of_call};
    }
    growing->run.high = high;
}

/* Returns the number of bits from there on that equal the first. */
static UInt alike_from(ULong bits, UInt from)
{
    ULong rest = bits >> from;
    UInt most = WORD_BITS - from, found;

    rest = rest & 1 ? ~rest : rest;
    if (rest == 0)
        return most;
    found = (UInt)__builtin_ctzll(rest);
    return found < most ? found : most;
}

static void grow_by_word(struct growing *growing, const struct proa_page *page, Addr low,
                         ULong bits, ULong again)
{
    UInt from = 0;

    while (from < WORD_BITS) {
        const UInt of_bits = alike_from(bits, from), of_again = alike_from(again, from);
        const UInt most = of_bits < of_again ? of_bits : of_again;

        if (bits >> from & 1)
            grow(growing, page, low + from, low + from + most, again >> from & 1);
        from += most;
    }
}

static void grow_by_page(struct growing *growing, const struct proa_page *page)
{
    for (UInt i = 0; i < WORDS; i++)
        if (page->bits[i])
            grow_by_word(growing, page, page->number * PAGE_BYTES + (Addr)i * WORD_BITS,
                         page->bits[i], page->again[i]);
}

static void unite(struct proa_page *page, const struct proa_page *other)
{
    page->order = page->order < other->order ? page->order : other->order;
    for (UInt i = 0; i < WORDS; i++) {
        page->bits[i] |= other->bits[i];
        page->again[i] |= other->again[i];
    }
}

static struct proa_page **all_pages(void)
{
    struct proa_page **pages = VG_(malloc)("proa.pages", page_count * sizeof *pages), *page;
    UInt count = 0;

    for (struct proa_site *site = active; site; site = site->active) {
        for (page = site->pages; page; page = page->next)
            pages[count++] = page;
        site->pages = site->last = NULL;
    }
    active = NULL;
    VG_(ssort)(pages, count, sizeof *pages, compare_pages);
    return pages;
}

static Int compare_runs(const void *first, const void *second)
{
    return compare(((const struct proa_touched *)first)->order,
                   ((const struct proa_touched *)second)->order);
}

static void collect(void)
{
    const UInt count = page_count;
    struct proa_page **pages = all_pages();
    struct growing growing = {0};

    for (UInt i = 0; i < count; i++) {
        if (i + 1 < count && compare_pages(&pages[i], &pages[i + 1]) == 0)
            unite(pages[i + 1], pages[i]);
        else
            grow_by_page(&growing, pages[i]);
    }
    end_run(&growing);
    VG_(ssort)(runs, run_count, sizeof *runs, compare_runs);
    for (UInt i = 0; i < count; i++)
        VG_(free)(pages[i]);
    VG_(free)(pages);
    page_count = 0;
}

UWord proa_touched_drain(struct proa_touched *into, UWord most)
{
    UWord number;

    if (runs_out == run_count) {
        runs_out = run_count = 0;
        if (page_count)
            collect();
        proa_site_rest();
    }
    number = run_count - runs_out < most ? run_count - runs_out : most;
    VG_(memcpy)(into, runs + runs_out, number * sizeof *into);
    runs_out += number;
    if (pending && runs_out == run_count && !page_count)
        *pending = 0;
    return number;
}

void proa_touched_forked(void)
{
    while (active) {
        struct proa_site *next = active->active;

        while (active->pages) {
            struct proa_page *page = active->pages;

            active->pages = page->next;
            VG_(free)(page);
        }
        active = next;
    }
    page_count = 0;
    proa_site_forked();
}
