/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See adopt.h. What stays where it is, and why:
 *
 *   files, MAP_SHARED      others have them too, or they are to be written back
 *   not both read and written, executable    the protection is there for a purpose
 *   stacks                 this thread works on its own; the kernel stores to any thread's for a
 *                          signal, where it cannot wait; and a child after fork runs on one before
 *                          it can make a copy of it. A control block of a thread lies at the upper
 *                          end of its stack: all below it in the same mapping is taken for stack
 *   the head of a heap of malloc's (glibc, 64 MiB aligned)   a child after fork stores there before
 *                          it can make a copy
 *   anything, while memory of the process is locked (mlock) or pinned for a device: a new page would
 *                          not be; and a device goes on to use the old one
 *   pages that a live window has through the kernel   a neighbour may be about to store through a
 *                          page that it has looked up before; and accumulates there go by stripes
 *   the next small one, once hundreds of places have moved: memory would be cut into too many
 *                          mappings
 *   anything, with vm.overcommit_memory 2: private memory has been promised to the program, pages of
 *                          files come as they are touched, or do not
 */
#include "core/adopt.h"
#include "base/fail.h"
#include "base/log.h"
#include "core/available.h"
#include "core/door.h"
#include "core/guard.h"
#include "core/maps.h"
#include "core/peer.h"
#include "core/ranges.h"
#include "core/relocate.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Places that are adopted at a time: each splits a mapping of the program's in three, of which a
 * process has 65,530 (vm.max_map_count). Thousands of windows of some bytes each, all over the
 * heap, leave room for large ones. */
enum { PLACES_MOST_SMALL = 256, PLACES_MOST = 8192, MANY_BYTES = 1 << 20 };

static const uint64_t malloc_heap_bytes = 64ull << 20;
static const uint64_t address_space_bytes = 1ull << 48;

static pthread_mutex_t adopt_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct proa_segment segment; /* all that follows under the mutex */
static enum { NOT_YET, ON, OFF } state;
static const char *why_off;
static struct proa_ranges adopted, through_kernel; /* whole pages that are held */
static int leftovers;                              /* pages that could not become private again */

/* ---- the file ---- */

static const char *start(void)
{
    if (proa_memory_is_strict())
        return "vm.overcommit_memory is 2";
    if (proa_segment_most() < address_space_bytes)
        return "a limit on the size of files (RLIMIT_FSIZE)";
    if (proa_segment_create_file(&segment, address_space_bytes) != 0)
        return "no file in memory (memfd_create)";
    proa_segment_publish(&segment, &proa_self->ctl->adopted);
    return NULL;
}

static const char *start_once(void)
{
    if (state == NOT_YET) {
        why_off = start();
        state = why_off ? OFF : ON;
    }
    if (state == ON && !proa_segment_is_open(&segment)) /* the program has closed it */
        return "the program has closed Proa's file";
    return why_off;
}

/* ---- what lies where ---- */

enum part_kind { STAYS, MOVABLE, ADOPTED };

struct part {
    uint64_t first, end;
    enum part_kind kind;
};

enum { PARTS = 64, THREADS = 1024 };

/* A look at [first, end), whole pages. */
struct survey {
    uint64_t first, end;
    struct part part[PARTS];
    int count, full;
    const char *why; /* the first reason found why a part stays */
    uint64_t here;   /* an address on this thread's stack */
    int threads;     /* -1: not known of all; -2: not looked for */
    struct proa_thread thread[THREADS];
};

static void part_add(struct survey *survey, uint64_t first, uint64_t end, enum part_kind kind,
                     const char *why)
{
    struct part *last = survey->count ? &survey->part[survey->count - 1] : NULL;

    first = first > survey->first ? first : survey->first;
    end = end < survey->end ? end : survey->end;
    if (first >= end || survey->full)
        return;
    if (kind == STAYS && !survey->why)
        survey->why = why;
    if (last && last->kind == kind) { /* they lie side by side: all is told of, in order */
        last->end = end;
        return;
    }
    if (survey->count < PARTS)
        survey->part[survey->count++] = (struct part){first, end, kind};
    else
        survey->full = 1;
}

/* Pages of [first, end) that windows have through the kernel stay; the rest moves. */
static void add_movable(struct survey *survey, uint64_t first, uint64_t end)
{
    const struct proa_range *held = proa_ranges_next(&through_kernel, first);

    while (first < end && held && held->first < end) {
        uint64_t held_first = held->first > first ? held->first : first,
                 held_end = held->end < end ? held->end : end;

        part_add(survey, first, held_first, MOVABLE, NULL);
        part_add(survey, held_first, held_end, STAYS,
                 "a window reaches these pages through the kernel");
        first = held_end;
        held = proa_ranges_next(&through_kernel, first);
    }
    part_add(survey, first, end, MOVABLE, NULL);
}

static int holds(const struct proa_mapping *mapping, uint64_t address)
{
    return address >= mapping->first && address < mapping->end;
}

/* Up to where is this mapping stacks? Its first byte: it has none. */
static uint64_t stacks_end(struct survey *survey, const struct proa_mapping *mapping)
{
    uint64_t end = mapping->first;

    if (survey->threads == -2)
        survey->threads = proa_threads_stacks(survey->thread, THREADS);
    if (survey->threads < 0)
        return mapping->end;
    for (int i = 0; i < survey->threads; i++)
        if (holds(mapping, survey->thread[i].block) && survey->thread[i].end > end)
            end = survey->thread[i].end;
    if (holds(mapping, survey->here) && survey->here >= end) /* one of the program's own making */
        return mapping->end;
    return end < mapping->end ? end : mapping->end;
}

/* Its first word says to which of malloc's arenas a heap belongs: one like that lies there. It may
 * be nobody's, as AddressSanitizer sees it: read as it is. */
static __attribute__((no_sanitize("address"))) int is_malloc_head(const struct survey *survey,
                                                                  uint64_t page)
{
    uint64_t arena;

    if (page % malloc_heap_bytes || page < survey->first || page >= survey->end)
        return 0;
    arena = *(const volatile uint64_t *)(uintptr_t)page;
    return arena >= malloc_heap_bytes && arena % malloc_heap_bytes < proa_page_bytes();
}

static void add_private(struct survey *survey, const struct proa_mapping *mapping)
{
    uint64_t first = stacks_end(survey, mapping), head;

    part_add(survey, mapping->first, first, STAYS, "a stack, or memory below a thread's");
    head = (first + malloc_heap_bytes - 1) / malloc_heap_bytes * malloc_heap_bytes;
    for (; head < mapping->end && head < survey->end; head += malloc_heap_bytes)
        if (is_malloc_head(survey, head)) {
            add_movable(survey, first, head);
            first = head + proa_page_bytes();
            part_add(survey, head, first, STAYS, "the head of a heap of malloc's");
        }
    if (first < mapping->end)
        add_movable(survey, first, mapping->end);
}

static int is_ours(const struct proa_mapping *mapping)
{
    return state == ON && mapping->inode == segment.inode && mapping->device == segment.device &&
           mapping->offset == mapping->first;
}

static int survey_mapping(const struct proa_mapping *mapping, void *context)
{
    struct survey *survey = context;
    uint64_t told = survey->count ? survey->part[survey->count - 1].end : survey->first;

    part_add(survey, told, mapping->first, STAYS, "nothing is mapped there");
    if (is_ours(mapping))
        part_add(survey, mapping->first, mapping->end, ADOPTED, NULL);
    else if (mapping->plain && strcmp(mapping->name, "[stack]") != 0 &&
             (mapping->name[0] != '[' || strcmp(mapping->name, "[heap]") == 0 ||
              strncmp(mapping->name, "[anon:", 6) == 0))
        add_private(survey, mapping);
    else
        part_add(survey, mapping->first, mapping->end, STAYS,
                 strcmp(mapping->name, "[stack]") == 0 ? "a stack"
                                                       : "a file's, shared, or protected memory");
    return survey->full;
}

/* What is not told of stays. Where that is because of too many parts, some of it may be adopted by
 * other windows: then accumulates go by stripes on all ways. */
static void survey_finish(struct survey *survey)
{
    struct part *last = survey->count ? &survey->part[survey->count - 1] : NULL;

    if (last && survey->full) {
        proa_guard_stripes_only(proa_self->ctl);
        survey->why = "it lies in too many pieces";
        last->kind = last->kind == MOVABLE ? STAYS : last->kind;
        if (last->kind == STAYS)
            last->end = survey->end;
        else
            *last = (struct part){last->first, survey->end, STAYS};
    } else if (!last || last->end < survey->end) {
        part_add(survey, last ? last->end : survey->first, survey->end, STAYS,
                 "nothing is mapped there");
    }
}

static void survey_make(struct survey *survey, uint64_t first, uint64_t end)
{
    survey->first = first;
    survey->end = end;
    survey->count = survey->full = 0;
    survey->why = NULL;
    survey->threads = -2;
    survey->here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    proa_maps_walk(first, end, survey_mapping, survey);
    survey_finish(survey);
}

/* Nothing is to move, and nothing there has: the kernel need not be asked what lies there. */
static int survey_is_idle(uint64_t first, uint64_t end)
{
    const struct proa_range *held = proa_ranges_next(&adopted, first);

    return !leftovers && (!held || held->first >= end);
}

static void survey_skip(struct survey *survey, uint64_t first, uint64_t end)
{
    survey->first = first;
    survey->end = end;
    survey->count = 1;
    survey->part[0] = (struct part){first, end, STAYS};
    survey->why = NULL;
}

/* ---- moving in ---- */

/* What of the process stands against moving that many bytes; NULL: nothing, and *process is known.
 * Little memory is needed besides, but what is at the brink of its limit is better left alone; the
 * look takes longer than moving a few pages. */
static const char *obstacle(struct proa_process *process, uint64_t bytes)
{
    const char *why = start_once();

    if (why)
        return why;
    if (proa_process_read(process) != 0)
        return "no /proc/self/status";
    if (process->locked_kib)
        return "memory of this process is locked (mlock)";
    if (process->pinned_kib)
        return "memory of this process is pinned for a device, or for io_uring";
    if (adopted.count >= (bytes < MANY_BYTES ? PLACES_MOST_SMALL : PLACES_MOST))
        return "so many places have moved that more would cut memory into too many mappings";
    if (bytes > PROA_RELOCATE_BYTES / 2 &&
        proa_memory_available() < 2 * (uint64_t)PROA_RELOCATE_BYTES)
        return "too little memory is left to move any";
    return NULL;
}

/* Those that may store to memory of the program's. */
static long threads_of(const struct proa_process *process)
{
    return process->threads - proa_door_threads();
}

static int count_kind(const struct survey *survey, enum part_kind kind)
{
    int count = 0;

    for (int i = 0; i < survey->count; i++)
        count += survey->part[i].kind == kind;
    return count;
}

static const char *move_parts(struct survey *survey)
{
    struct proa_relocation relocation;
    struct proa_process process;
    const char *why = obstacle(&process, survey->end - survey->first);
    int error;

    if (why)
        return why;
    error = proa_relocate_begin(&relocation, &segment, threads_of(&process));
    if (error)
        return "the process has other threads, and the kernel no userfaultfd for it that can "
               "write-protect";
    for (int i = 0; i < survey->count && !error; i++) {
        struct part *part = &survey->part[i];
        uint64_t done;

        if (part->kind != MOVABLE)
            continue;
        error = proa_relocate_in(&relocation, part->first, part->end, &done);
        part->kind = ADOPTED;
        if (error) { /* what has moved is a part of its own */
            why = "the kernel refuses to move them";
            if (survey->count == PARTS || done == part->first) {
                part->kind = STAYS;
                break;
            }
            memmove(part + 1, part, (size_t)(survey->count - i) * sizeof *part);
            survey->count++;
            part->end = done;
            part[1].first = done;
            part[1].kind = STAYS;
        }
    }
    proa_relocate_end(&relocation);
    return why;
}

/* ---- moving out ---- */

/* Pages that nobody holds any more, as far as they are still what they were. */
struct leaving {
    struct proa_relocation relocation;
    uint64_t first, end;
};

static int leave_mapping(const struct proa_mapping *mapping, void *context)
{
    struct leaving *leaving = context;
    uint64_t first = mapping->first > leaving->first ? mapping->first : leaving->first,
             end = mapping->end < leaving->end ? mapping->end : leaving->end, done;

    if (is_ours(mapping) && proa_relocate_out(&leaving->relocation, first, end, &done) != 0)
        leftovers = 1;
    return 0;
}

static void leave(uint64_t first, uint64_t end)
{
    struct leaving leaving = {.first = first, .end = end};
    struct proa_process process;

    if (!proa_segment_is_open(&segment) || proa_process_read(&process) != 0 || process.pinned_kib ||
        proa_relocate_begin(&leaving.relocation, &segment, threads_of(&process))) {
        leftovers = 1;
        return;
    }
    proa_maps_walk(first, end, leave_mapping, &leaving);
    proa_relocate_end(&leaving.relocation);
}

/* Of [first, end) what has this hold as its last. */
static void leave_last(uint64_t first, uint64_t end)
{
    const struct proa_range *range;

    for (; first < end; first = range->end) {
        range = proa_ranges_next(&adopted, first);
        if (!range || range->first >= end)
            break;
        if (range->users == 1)
            leave(range->first > first ? range->first : first, range->end < end ? range->end : end);
    }
}

/* ---- holding ---- */

static uint64_t page_below(uint64_t address)
{
    return address / proa_page_bytes() * proa_page_bytes();
}

static uint64_t page_above(uint64_t address)
{
    return page_below(address + proa_page_bytes() - 1);
}

/* The pieces that the parts make: in order, of two kinds in turn. */
static int pieces_make(struct proa_hold *hold, const struct survey *survey)
{
    hold->count = 0;
    hold->piece =
        survey->count == 1 ? &hold->only : malloc((size_t)survey->count * sizeof *hold->piece);
    if (!hold->piece)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to remember of what a window consists");
    for (int i = 0; i < survey->count; i++) {
        uint64_t is_adopted = survey->part[i].kind == ADOPTED,
                 end = survey->part[i].end < hold->end ? survey->part[i].end : hold->end;

        if (hold->count == 0 || hold->piece[hold->count - 1].adopted != is_adopted)
            hold->piece[hold->count++].adopted = is_adopted;
        hold->piece[hold->count - 1].end = end;
    }
    return PROA_OK;
}

static void pieces_free(struct proa_hold *hold)
{
    if (hold->piece != &hold->only)
        free(hold->piece);
    hold->count = 0;
}

static struct proa_ranges *ranges_of(const struct proa_piece *piece)
{
    return piece->adopted ? &adopted : &through_kernel;
}

static uint64_t piece_first(const struct proa_hold *hold, uint32_t i)
{
    return page_below(i ? hold->piece[i - 1].end : hold->first);
}

static void let_go(struct proa_hold *hold, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct proa_piece *piece = &hold->piece[i];
        uint64_t first = piece_first(hold, i), end = page_above(piece->end);

        if (piece->adopted)
            leave_last(first, end);
        proa_ranges_remove(ranges_of(piece), first, end);
    }
    pieces_free(hold);
}

static int hold_pieces(struct proa_hold *hold)
{
    for (uint32_t i = 0; i < hold->count; i++)
        if (proa_ranges_add(ranges_of(&hold->piece[i]), piece_first(hold, i),
                            page_above(hold->piece[i].end)) != PROA_OK) {
            let_go(hold, i);
            return PROA_ERR_NO_MEM;
        }
    return PROA_OK;
}

int proa_adopt_hold(struct proa_hold *hold, const void *base, uint64_t bytes, int move)
{
    struct survey survey;
    uint64_t first = page_below((uint64_t)(uintptr_t)base),
             end = page_above((uint64_t)(uintptr_t)base + bytes);
    int error;

    *hold = (struct proa_hold){.first = (uint64_t)(uintptr_t)base,
                               .end = (uint64_t)(uintptr_t)base + bytes};
    pthread_mutex_lock(&adopt_mutex);
    if (!move && survey_is_idle(first, end))
        survey_skip(&survey, first, end);
    else
        survey_make(&survey, first, end);
    hold->why = survey.why;
    if (move && count_kind(&survey, MOVABLE)) {
        const char *why = move_parts(&survey);
        hold->why = why ? why : hold->why;
    }
    error = pieces_make(hold, &survey);
    if (!error)
        error = hold_pieces(hold);
    pthread_mutex_unlock(&adopt_mutex);
    return error;
}

void proa_adopt_drop(struct proa_hold *hold)
{
    if (hold->count == 0)
        return;
    pthread_mutex_lock(&adopt_mutex);
    let_go(hold, hold->count);
    pthread_mutex_unlock(&adopt_mutex);
}

uint64_t proa_adopt_bytes(const struct proa_hold *hold)
{
    uint64_t first = hold->first, bytes = 0;

    for (uint32_t i = 0; i < hold->count; first = hold->piece[i++].end)
        bytes += hold->piece[i].adopted ? hold->piece[i].end - first : 0;
    return bytes;
}

void proa_adopt_stop(void)
{
    pthread_mutex_lock(&adopt_mutex);
    if (state == ON)
        proa_segment_close(&segment);
    state = NOT_YET;
    why_off = NULL;
    leftovers = 0;
    proa_ranges_clear(&adopted);
    proa_ranges_clear(&through_kernel);
    pthread_mutex_unlock(&adopt_mutex);
}

/* ---- fork ---- */

/* The child makes its copy while the parent waits for the pipe's end, which comes at the latest
 * when the child is no more. */
static int waiting[2] = {-1, -1};

static void before_fork(void)
{
    pthread_mutex_lock(&adopt_mutex);
    waiting[0] = waiting[1] = -1;
    if ((adopted.count || leftovers) && pipe2(waiting, O_CLOEXEC) != 0)
        proa_log(PROA_LOG_WARN,
                 "fork: no pipe to wait by: what this process stores while its child makes a copy "
                 "of windows' memory, the child may see (%s)",
                 strerror(errno));
}

static void after_fork_in_parent(void)
{
    char none;

    if (waiting[1] >= 0) {
        close(waiting[1]);
        while (read(waiting[0], &none, 1) < 0 && errno == EINTR)
            continue;
        close(waiting[0]);
    }
    pthread_mutex_unlock(&adopt_mutex);
}

/* Wherever it is mapped: the program may have moved some of it by mremap(2). */
static int copy_mapping(const struct proa_mapping *mapping, void *context)
{
    (void)context;
    if (mapping->shared && mapping->inode == segment.inode && mapping->device == segment.device)
        proa_relocate_copy(&segment, mapping->first, mapping->end, mapping->offset);
    return 0;
}

static void after_fork_in_child(void)
{
    if (adopted.count || leftovers)
        proa_maps_walk(0, UINT64_MAX, copy_mapping, NULL);
    adopted.count = through_kernel.count = 0;
    adopted.adds = through_kernel.adds = 0;
    leftovers = 0;
    if (waiting[1] >= 0) {
        close(waiting[0]);
        close(waiting[1]);
    }
    pthread_mutex_unlock(&adopt_mutex);
}

static void at_load(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void proa_adopt_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, at_load);
}
