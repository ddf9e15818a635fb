/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See adopt.h. adopt/survey.h lists the pages that do not move. No page moves while
 *
 *   memory of the process is locked (mlock) or pinned for a device: a new page would be neither,
 *                          and a device continues to use the old page
 *   asynchronous or direct I/O is set up (adopt/process.h): the kernel may be about to store to the
 *                          old pages
 *   the program has protection keys: they belong to the mapping, which is aside
 *   the program has other threads, and the kernel cannot stop them (adopt/remap.h)
 *   hundreds of places have moved: memory would be split into too many mappings
 *   vm.overcommit_memory is 2: private memory is guaranteed to the program, while pages of files
 *                          are allocated on first touch, which may fail
 *
 * Windows (rma/pages.c) and attached regions (rma/regions.c) make and drop holds. One mutex guards
 * all state here and in the files below, and the handlers of fork lock it. Signals are blocked
 * while it is held, as a handler may call fork.
 */
#include "adopt/adopt.h"
#include "base/fail.h"
#include "shm/available.h"
#include "adopt/content.h"
#include "adopt/moved.h"
#include "adopt/process.h"
#include "shm/peer.h"
#include "adopt/remap.h"
#include "adopt/survey.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The most places adopted at a time. Each splits a mapping of the program in three and has one
 * aside; a process has at most 65,530 (vm.max_map_count). Thousands of small windows, all over the
 * heap, leave room for large ones. */
enum { PLACES_MOST_SMALL = 256, PLACES_MOST = 8192, MANY_BYTES = 1 << 20 };

static const uint64_t address_space_bytes = 1ull << 48;

static pthread_mutex_t adopt_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct proa_segment segment; /* bytes 0 if not created; it and all below: under the mutex */
static const char *why_off;         /* the reason why there will be none; NULL if none */
static struct proa_ranges adopted, through_kernel; /* whole pages of each hold */
static struct proa_ranges moves;                   /* pages that have moved */
static int leftovers; /* 1 if pages of these without a hold could not become private again */

/* ---- one at a time ---- */

static sigset_t signals_before; /* of the thread that has the mutex, under it */
static void (*at_leave)(void);  /* the same */
static struct proa_moved moved_now;

/* Calls enter first, and leave at the end of the section; either may be NULL. */
static void section_enter(void (*enter)(void), void (*leave)(void))
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (enter)
        enter();
    pthread_mutex_lock(&adopt_mutex);
    signals_before = before;
    at_leave = leave;
    moved_now = proa_moved_begin();
}

static void section_leave(void)
{
    sigset_t before = signals_before;
    void (*leave)(void) = at_leave;
    const struct proa_moved moved = moved_now;

    pthread_mutex_unlock(&adopt_mutex);
    if (leave)
        leave();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    proa_moved_tell(&moved);
}

static void (*pause_enter)(void), (*pause_leave)(void);

void proa_adopt_set_pause(void (*enter)(void), void (*leave)(void))
{
    section_enter(NULL, NULL);
    pause_enter = enter;
    pause_leave = leave;
    section_leave();
}

/* ---- the file and the mover ---- */

/* Creates the file, once. Returns NULL, or the reason why there is none. */
static const char *start(void)
{
    if (proa_segment_most() < address_space_bytes)
        return "a limit on the size of files (RLIMIT_FSIZE)";
    if (segment.bytes || why_off)
        return why_off;
    if (proa_memory_is_strict())
        why_off = "vm.overcommit_memory is 2";
    else if (proa_segment_create_file(&segment, address_space_bytes) != 0)
        why_off = "no file in memory (memfd_create)";
    else
        proa_segment_publish(&segment, &proa_self->ctl->adopted);
    return why_off;
}

/* Returns the reason why this process cannot move that many bytes in, or NULL. A process close to
 * its memory limit moves none. Reading that limit takes longer than moving a few pages. */
static const char *obstacle(const struct proa_process *process, uint64_t bytes)
{
    const char *why = proa_process_keeps(process);

    if (why)
        return why;
    if (proa_ranges_places(&adopted) >= (bytes < MANY_BYTES ? PLACES_MOST_SMALL : PLACES_MOST))
        return "too many places have moved: more would need too many mappings";
    if (bytes > PROA_RELOCATE_BYTES / 2 &&
        proa_memory_available() < 2 * (uint64_t)PROA_RELOCATE_BYTES)
        return "too little memory is left to move any";
    return NULL;
}

/* Returns NULL if pages may be moved until the remapping ends, or the reason why not. bytes: bytes
 * to move in; 0 to move pages back. */
static const char *mover_begin(struct proa_relocation *mover, uint64_t bytes)
{
    const char *why = bytes ? start() : NULL;

    if (!why && !proa_segment_is_open(&segment))
        why = "the program has closed Proa's file";
    if (!why)
        why = proa_process_look(&mover->process);
    if (!why && bytes)
        why = obstacle(&mover->process, bytes);
    if (!why)
        why = proa_remap_begin(mover, &segment);
    return why;
}

/* ---- moving out ---- */

/* Pages that no hold covers any more, to move back if they are still adopted. */
struct leaving {
    const struct proa_relocation *mover; /* NULL if they cannot move back now */
    uint64_t at, end;                    /* at: end of the pages processed so far */
    int are_left;                        /* 1 if some could not move back */
};

/* place: address where they are mapped. */
static void leave_moved(struct leaving *leaving, const struct proa_range *moved, uint64_t place,
                        int protection)
{
    uint64_t bytes = moved->end - moved->first, done;
    /* the program has locked some of it since: the replacing pages are locked as well */
    int was_locked = proa_process_unlock(&leaving->mover->process, place, place + bytes);

    if (proa_maps_is_bound(place))
        proa_maps_unbind(place, place + bytes);
    done = proa_remap_out(leaving->mover, moved, place, protection);
    leaving->are_left |= done < moved->end;
    moved_now.back += done - moved->first;
    moved_now.place = moved->first;
    if (was_locked)
        mlock(proa_at(place), bytes);
    proa_ranges_cut(&moves, moved->first, done);
}

/* Moves the moved pages of the mapping back, place by place. */
static void leave_mapped(struct leaving *leaving, const struct proa_mapping *mapping)
{
    uint64_t away = mapping->first - mapping->offset, last = mapping->end - away,
             first = mapping->offset > leaving->at ? mapping->offset : leaving->at,
             end = last < leaving->end ? last : leaving->end;
    struct proa_range moved;

    leaving->are_left |= !leaving->mover && first < end;
    for (; leaving->mover && first < end; first = moved.end) {
        moved = proa_ranges_within(&moves, first, end);
        if (moved.first < end)
            leave_moved(leaving, &moved, moved.first + away, mapping->protection);
    }
    leftovers |= leaving->are_left;
}

static int leave_elsewhere(const struct proa_mapping *mapping, void *leaving)
{
    if (proa_survey_is_of_file(&segment, mapping) && mapping->first != mapping->offset)
        leave_mapped(leaving, mapping);
    return 0;
}

/* Forgets the moved pages of [first, end), which are not mapped there any more. Those that the
 * program has moved by mremap(2) become private at their present place. The rest is unmapped and
 * needs neither the mapping aside nor the file. Returns 0 if some could not move back; then it
 * forgets none. */
static int forget(const struct proa_relocation *mover, uint64_t first, uint64_t end)
{
    struct leaving leaving = {.mover = mover, .at = first, .end = end};
    struct proa_range moved = proa_ranges_within(&moves, first, end);

    if (moved.first >= end)
        return 1;
    if (proa_maps_walk(0, UINT64_MAX, leave_elsewhere, &leaving) != 0 || leaving.are_left)
        return 0;
    moved = proa_ranges_within(&moves, first, end);
    for (; moved.first < end; moved = proa_ranges_within(&moves, moved.end, end))
        munmap(proa_at(moved.aside), moved.end - moved.first);
    proa_ranges_cut(&moves, first, end);
    if (proa_segment_is_open(&segment))
        proa_content_punch(&segment, first, end);
    return 1;
}

/* Handles the moved pages of a mapping in place, and those before it. */
static int leave_mapping(const struct proa_mapping *mapping, void *context)
{
    struct leaving *leaving = context;

    if (!proa_survey_is_adopted(&segment, mapping))
        return 0;
    forget(leaving->mover, leaving->at, mapping->first);
    leave_mapped(leaving, mapping);
    leaving->at = mapping->end;
    return 0;
}

static void leave(uint64_t first, uint64_t end)
{
    struct proa_relocation mover;
    struct leaving leaving = {
        .mover = mover_begin(&mover, 0) ? NULL : &mover, .at = first, .end = end};

    if (proa_maps_walk(first, end, leave_mapping, &leaving) == 0)
        forget(leaving.mover, leaving.at, end);
    if (leaving.mover)
        proa_remap_end(&mover);
}

/* Moves the moved pages of [first, end) without a hold back. */
static void leave_unheld(uint64_t first, uint64_t end)
{
    struct proa_range held, moved;

    for (; first < end; first = held.end) {
        held = proa_ranges_within(&adopted, first, end);
        moved = proa_ranges_within(&moves, first, held.first);
        if (moved.first < held.first)
            leave(moved.first, held.first);
    }
}

/* Moves pages back that could not be before, as the obstacle may have ended. */
static void leave_leftovers(void)
{
    struct proa_range moved;

    if (!leftovers)
        return;
    leftovers = 0;
    for (uint64_t first = 0; first < UINT64_MAX; first = moved.end) {
        moved = proa_ranges_within(&moves, first, UINT64_MAX);
        leave_unheld(moved.first, moved.end);
    }
}

/* ---- moving in ---- */

/* Returns the address up to which the part has moved. */
static uint64_t move_part(const struct proa_relocation *mover, const struct proa_survey_part *part)
{
    uint64_t bytes = part->end - part->first, done = part->first, aside;

    if (!forget(mover, part->first, part->end))
        return done;
    aside = (uint64_t)(uintptr_t)proa_room_make(part->first, bytes);
    if (!aside)
        return done;
    if (proa_ranges_add(&moves, part->first, part->end, aside) == PROA_OK) {
        done = proa_remap_in(mover, part->first, part->end, aside);
        proa_ranges_cut(&moves, done, part->end);
        moved_now.in += done - part->first;
        moved_now.place = part->first;
    }
    if (done < part->end)
        munmap(proa_at(aside + (done - part->first)), part->end - done);
    return done;
}

static void move_parts(struct proa_survey *survey)
{
    struct proa_relocation mover;
    const char *why = mover_begin(&mover, survey->end - survey->first);

    if (why) {
        survey->why = why;
        return;
    }
    for (int i = 0; i < survey->count; i++) {
        struct proa_survey_part *part = &survey->part[i];

        if (part->kind != PROA_SURVEY_MOVABLE)
            continue;
        part->moved_end = move_part(&mover, part);
        if (part->moved_end < part->end) {
            survey->why =
                "the kernel refuses to move the pages, a userfaultfd has them, or a thread waits";
            break;
        }
    }
    proa_remap_end(&mover);
}

/* ---- holding ---- */

/* Adds a piece up to `end`, or extends the last piece of the same kind. */
static void piece_add(struct proa_hold *hold, uint64_t end, uint64_t is_adopted)
{
    if (hold->count == 0 || hold->piece[hold->count - 1].adopted != is_adopted)
        hold->piece[hold->count++].adopted = is_adopted;
    hold->piece[hold->count - 1].end = end < hold->end ? end : hold->end;
}

/* Makes pieces of the parts, in order, of two kinds in turn. The front of a part may be adopted,
 * and the rest not. */
static int pieces_make(struct proa_hold *hold, const struct proa_survey *survey)
{
    hold->count = 0;
    hold->piece =
        survey->count == 1 ? hold->few : malloc(2 * (size_t)survey->count * sizeof *hold->piece);
    if (!hold->piece)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the window's address table");
    for (int i = 0; i < survey->count; i++) {
        const struct proa_survey_part *part = &survey->part[i];
        uint64_t adopted_end = part->kind == PROA_SURVEY_ADOPTED ? part->end : part->moved_end;

        if (adopted_end > part->first)
            piece_add(hold, adopted_end, 1);
        if (adopted_end < part->end)
            piece_add(hold, part->end, 0);
    }
    return PROA_OK;
}

static struct proa_ranges *ranges_of(const struct proa_piece *piece)
{
    return piece->adopted ? &adopted : &through_kernel;
}

static uint64_t piece_first(const struct proa_hold *hold, uint32_t i)
{
    return proa_page_below(i ? hold->piece[i - 1].end : hold->first);
}

/* Removes the first `count` pieces from the record, and moves back pages without other holds. */
static void let_go(struct proa_hold *hold, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        proa_ranges_remove(ranges_of(&hold->piece[i]), piece_first(hold, i),
                           proa_page_above(hold->piece[i].end));
    if (hold->piece != hold->few)
        free(hold->piece);
    hold->count = 0;
    leave_unheld(proa_page_below(hold->first), proa_page_above(hold->end));
}

static int record(struct proa_hold *hold, const struct proa_survey *survey)
{
    uint32_t i = 0;
    int error = pieces_make(hold, survey);

    while (!error && i < hold->count) {
        error = proa_ranges_add(ranges_of(&hold->piece[i]), piece_first(hold, i),
                                proa_page_above(hold->piece[i].end), 0);
        i += !error;
    }
    if (error)
        let_go(hold, i);
    return error;
}

/* Determines the pages of the window that may move. */
static void own_find(struct proa_survey *survey, const struct proa_hold *hold,
                     enum proa_adopt adopt)
{
    survey->own_first = survey->first;
    survey->own_end = survey->end;
    if (adopt == PROA_ADOPT_ALWAYS)
        return;
    if (!proa_survey_is_malloc_start(hold->first))
        survey->own_first = proa_page_above(hold->first);
    survey->own_end = adopt == PROA_ADOPT_NEVER ? survey->own_first : proa_page_below(hold->end);
}

/* Returns whether no page there may move or has moved. */
static int is_idle(const struct proa_survey *survey)
{
    return survey->own_first >= survey->own_end &&
           proa_ranges_within(&moves, survey->first, survey->end).first >= survey->end;
}

static int hold_locked(struct proa_hold *hold, enum proa_adopt adopt)
{
    struct proa_survey survey; /* large: zeroing it would take as long as all the rest */

    survey.first = proa_page_below(hold->first);
    survey.end = proa_page_above(hold->end);
    survey.segment = segment.bytes ? &segment : NULL;
    survey.through_kernel = &through_kernel;
    own_find(&survey, hold, adopt);
    proa_survey_make(&survey, is_idle(&survey));
    if (survey.movable)
        move_parts(&survey);
    hold->why = survey.why;
    hold->is_rough = survey.full;
    return record(hold, &survey);
}

int proa_adopt_hold(struct proa_hold *hold, const void *base, uint64_t bytes, enum proa_adopt adopt)
{
    int error;

    *hold = (struct proa_hold){.first = (uint64_t)(uintptr_t)base,
                               .end = (uint64_t)(uintptr_t)base + bytes};
    section_enter(pause_enter, pause_leave);
    leave_leftovers();
    error = hold_locked(hold, adopt);
    section_leave();
    return error;
}

void proa_adopt_drop(struct proa_hold *hold)
{
    if (hold->count == 0)
        return;
    section_enter(pause_enter, pause_leave);
    leave_leftovers();
    let_go(hold, hold->count);
    section_leave();
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
    section_enter(pause_enter, pause_leave);
    if (segment.bytes)
        proa_segment_close(&segment);
    segment = (struct proa_segment){0};
    why_off = NULL;
    leftovers = 0;
    proa_ranges_clear(&moves);
    proa_ranges_clear(&adopted);
    proa_ranges_clear(&through_kernel);
    section_leave();
}

/* ---- fork ---- */

static int copy_error;

static void before_fork(void)
{
    section_enter(NULL, NULL);
    copy_error = proa_fork_copy(&segment, &moves);
}

static void after_fork_in_parent(void)
{
    proa_fork_wipe(&moves);
    section_leave();
}

static void after_fork_in_child(void)
{
    proa_fork_place(&moves, copy_error);
    adopted.count = through_kernel.count = moves.count = 0;
    leftovers = 0;
    section_leave();
}

void proa_adopt_load(void)
{
    static int is_loaded; /* under the mutex */

    section_enter(NULL, NULL);
    if (!is_loaded)
        is_loaded = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) == 0;
    section_leave();
}
