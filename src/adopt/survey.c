/* SPDX-License-Identifier: BSD-3-Clause */
/* See survey.h. */
#include "adopt/survey.h"
#include "adopt/content.h"

#include <string.h>

static const uint64_t malloc_heap_bytes = 64ull << 20;
static const char *const nothing_mapped = "nothing is mapped there";
static const char *const shared_pages = "its first and last page may hold other data as well";

/* ---- words of malloc ---- */

/* A page that was never touched may be a guard page and is not touched here. */
static int has_content(uint64_t page)
{
    struct proa_touched touched;
    struct proa_touched_run run;
    int found;

    if (proa_touched_open(&touched, 0) != 0)
        return 0;
    found = proa_touched_next(&touched, page, page + proa_page_bytes(), 1, &run);
    proa_touched_close(&touched);
    return found > 0 && run.present;
}

/* The word may be outside all objects that AddressSanitizer knows, so it is read without its
 * checks. */
static __attribute__((no_sanitize("address"))) uint64_t word_at(uint64_t address)
{
    return *(const volatile uint64_t *)(uintptr_t)address;
}

/* ---- parts ---- */

static void part_add(struct proa_survey *survey, uint64_t first, uint64_t end,
                     enum proa_survey_kind kind, const char *why)
{
    struct proa_survey_part *last = survey->count ? &survey->part[survey->count - 1] : NULL;

    first = first > survey->first ? first : survey->first;
    end = end < survey->end ? end : survey->end;
    if (first >= end || survey->full)
        return;
    survey->movable |= kind == PROA_SURVEY_MOVABLE;
    if (kind == PROA_SURVEY_STAYS && !survey->why)
        survey->why = why;
    /* they are adjacent: all memory is reported, in order */
    if (last && last->kind == kind &&
        (kind != PROA_SURVEY_MOVABLE || survey->count > survey->before_mapping)) {
        last->end = end;
        return;
    }
    if (survey->count < PROA_SURVEY_PARTS)
        survey->part[survey->count++] = (struct proa_survey_part){first, end, kind, 0};
    else
        survey->full = 1;
}

/* Adds [first, end). Pages that are the window's alone and that no window reaches through the
 * kernel may move; the rest stays. */
static void add_movable(struct proa_survey *survey, uint64_t first, uint64_t end)
{
    uint64_t own_first = survey->own_first > first ? survey->own_first : first,
             own_end = survey->own_end < end ? survey->own_end : end;
    struct proa_range held;

    if (own_first >= own_end)
        own_first = own_end = end;
    part_add(survey, first, own_first, PROA_SURVEY_STAYS, shared_pages);
    for (; own_first < own_end; own_first = held.end) {
        held = proa_ranges_within(survey->through_kernel, own_first, own_end);
        part_add(survey, own_first, held.first, PROA_SURVEY_MOVABLE, NULL);
        part_add(survey, held.first, held.end, PROA_SURVEY_STAYS,
                 "a window reaches these pages through the kernel");
    }
    part_add(survey, own_end, end, PROA_SURVEY_STAYS, shared_pages);
}

static int holds(const struct proa_mapping *mapping, uint64_t address)
{
    return address >= mapping->first && address < mapping->end;
}

/* Returns the address up to which this mapping holds stacks; its first byte if it holds none. */
static uint64_t stacks_end(struct proa_survey *survey, const struct proa_mapping *mapping)
{
    uint64_t end = mapping->first;

    if (survey->threads == -2)
        survey->threads = proa_threads_stacks(survey->thread, PROA_SURVEY_THREADS);
    if (survey->threads < 0)
        return mapping->end;
    for (int i = 0; i < survey->threads; i++)
        if (holds(mapping, survey->thread[i].block) && survey->thread[i].end > end)
            end = survey->thread[i].end;
    if (holds(mapping, survey->here) && survey->here >= end) /* a stack made by the program */
        return mapping->end;
    return end < mapping->end ? end : mapping->end;
}

/* Returns whether a heap of malloc begins at this page: its first word points to an arena of
 * malloc. */
static int is_malloc_head(const struct proa_survey *survey, uint64_t page)
{
    uint64_t arena;

    if (page % malloc_heap_bytes || page < survey->first || page >= survey->end ||
        !has_content(page))
        return 0;
    arena = word_at(page);
    return arena >= malloc_heap_bytes && arena % malloc_heap_bytes < proa_page_bytes();
}

static void add_private(struct proa_survey *survey, const struct proa_mapping *mapping)
{
    uint64_t first = stacks_end(survey, mapping), head;

    part_add(survey, mapping->first, first, PROA_SURVEY_STAYS,
             "a stack, or memory below a thread's control block");
    head = (first + malloc_heap_bytes - 1) / malloc_heap_bytes * malloc_heap_bytes;
    for (; head < mapping->end && head < survey->end; head += malloc_heap_bytes)
        if (is_malloc_head(survey, head)) {
            add_movable(survey, first, head);
            first = head + proa_page_bytes();
            part_add(survey, head, first, PROA_SURVEY_STAYS, "the head of a malloc heap");
        }
    if (first < mapping->end)
        add_movable(survey, first, mapping->end);
}

int proa_survey_is_of_file(const struct proa_segment *segment, const struct proa_mapping *mapping)
{
    return segment && mapping->inode == segment->inode && mapping->device == segment->device;
}

int proa_survey_is_adopted(const struct proa_segment *segment, const struct proa_mapping *mapping)
{
    return proa_survey_is_of_file(segment, mapping) && mapping->offset == mapping->first;
}

/* Returns the address up to which all memory is in a part. */
static uint64_t parts_end(const struct proa_survey *survey)
{
    return survey->count ? survey->part[survey->count - 1].end : survey->first;
}

/* Returns why another mapping cannot replace this private one, or NULL if it can. */
static const char *kept_by(const struct proa_mapping *mapping)
{
    if (proa_maps_is_bound(mapping->first))
        return "the program has set a memory policy for it (mbind)";
    return proa_maps_grows(mapping->first) ? "it grows downwards (MAP_GROWSDOWN)" : NULL;
}

static int survey_mapping(const struct proa_mapping *mapping, void *context)
{
    struct proa_survey *survey = context;
    const char *why;

    part_add(survey, parts_end(survey), mapping->first, PROA_SURVEY_STAYS, nothing_mapped);
    survey->before_mapping = survey->count;
    if (proa_survey_is_adopted(survey->segment, mapping))
        part_add(survey, mapping->first, mapping->end, PROA_SURVEY_ADOPTED, NULL);
    else if (mapping->plain && (why = kept_by(mapping)))
        part_add(survey, mapping->first, mapping->end, PROA_SURVEY_STAYS, why);
    else if (mapping->plain && strcmp(mapping->name, "[stack]") != 0 &&
             (mapping->name[0] != '[' || strcmp(mapping->name, "[heap]") == 0 ||
              strncmp(mapping->name, "[anon:", 6) == 0))
        add_private(survey, mapping);
    else
        part_add(survey, mapping->first, mapping->end, PROA_SURVEY_STAYS,
                 strcmp(mapping->name, "[stack]") == 0 ? "a stack"
                                                       : "file, shared or protected memory");
    return survey->full;
}

void proa_survey_make(struct proa_survey *survey, int is_idle)
{
    survey->count = survey->movable = survey->full = survey->before_mapping = 0;
    survey->why = NULL;
    survey->threads = -2;
    survey->here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    if (!is_idle)
        proa_maps_walk(survey->first, survey->end, survey_mapping, survey);
    if (survey->full) {
        survey->why = "it consists of too many pieces";
        survey->part[survey->count - 1].kind = PROA_SURVEY_STAYS;
        survey->part[survey->count - 1].end = survey->end;
    }
    /* memory in no part stays */
    part_add(survey, parts_end(survey), survey->end, PROA_SURVEY_STAYS,
             is_idle ? shared_pages : nothing_mapped);
}

/* glibc: a word of 0, and the size in whole pages with a flag bit for mapped blocks. */
int proa_survey_is_malloc_start(uint64_t base)
{
    enum { WORDS = 2 * sizeof(uint64_t), IS_MAPPED = 2 };
    uint64_t page = proa_page_bytes();

    return base % page == WORDS && has_content(base - WORDS) && word_at(base - WORDS) == 0 &&
           word_at(base - WORDS / 2) % page == IS_MAPPED;
}
