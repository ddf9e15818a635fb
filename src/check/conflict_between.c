/* SPDX-License-Identifier: BSD-3-Clause */
/* See conflict_between.h. */
#include "check/conflict_between.h"
#include "check/conflict.h"
#include "check/polls.h"
#include "order/place.h"
#include "order/crossing.h"
#include "findings/finding.h"
#include "findings/stack.h"
#include "findings/world.h"
#include "base/atomic.h"
#include "host/handle.h"
#include "usage/rules.h"
#include "window/epoch.h"

#include <stdio.h>
#include <string.h>
#include <utlist.h>

/* ---- windows ---- */

static struct proa_conflict_window *windows;

void proa_conflict_between_open(struct proa_conflict_window *window)
{
    DL_APPEND(windows, window);
}

void proa_conflict_between_close(struct proa_conflict_window *window)
{
    if (window->win)
        DL_DELETE(windows, window);
    window->win = NULL;
}

static const struct proa_win *win_of(const struct proa_access *access)
{
    const struct proa_conflict_window *window;

    DL_SEARCH_SCALAR(windows, window, number, access->number);
    return window ? window->win : NULL;
}

/* ---- the finding ---- */

/* Returns the caller in this process, or NULL if its file is not loaded here. A load or a store has
 * one frame. */
static const void *caller_of(const struct proa_access *access)
{
    const void **note = proa_place_note(access), *frames[PROA_STACK_MOST];
    unsigned count;

    if (!note || *note)
        return note ? *note : NULL;
    count = proa_place_frames(access, frames);
    if (count > 1 || proa_place_binding(access))
        *note = count ? proa_stack_keep(frames, count, proa_place_binding(access)) : NULL;
    else
        *note = count ? frames[0] : NULL;
    return *note;
}

static struct proa_finding_call call_of(const struct proa_access *access,
                                        struct proa_source *source)
{
    const struct proa_win *win = win_of(access);
    const int is_offset = win && win->flavor != PROA_FLAVOR_DYNAMIC;
    const uint64_t base = is_offset ? (uint64_t)(uintptr_t)win->base : 0;
    const void *caller = caller_of(access);
    const char *file = proa_place_file(access, &source->address);

    *source = (struct proa_source){.address = file ? source->address - 1 : 0};
    snprintf(source->file, sizeof source->file, "%s", file ? file : "");
    return (struct proa_finding_call){.call = proa_access_name(access),
                                      .caller = caller,
                                      .place = caller ? NULL : source,
                                      .other = 1 + access->origin,
                                      .is_address = !is_offset,
                                      .low = access->low - base,
                                      .high = access->high - base,
                                      .payload = access->payload};
}

/* A load, a store or a message of the target has no epoch, so the epoch of the other access is
 * used. */
static void say_remedy(char *remedy, size_t room, const struct proa_access *first,
                       const struct proa_access *second)
{
    const unsigned epoch = first->epoch ? first->epoch : second->epoch;

    if (proa_conflict_by_assertion(first, second))
        snprintf(remedy, room,
                 "the window without accumulate_ops in its info, or one operation alone");
    else if (epoch & PROA_EPOCH_LOCK && !first->epoch)
        snprintf(remedy, room,
                 "exclusive locks; or a message or a barrier from the first rank to the second "
                 "between them");
    else if (epoch & PROA_EPOCH_LOCK)
        snprintf(
            remedy, room,
            "exclusive locks; or MPI_Win_flush or unlock by the first rank, and then a message "
            "or a barrier to the second");
    else if (epoch & PROA_EPOCH_START)
        snprintf(remedy, room,
                 "MPI_Win_complete by one of them, and MPI_Win_wait and a further MPI_Win_post by "
                 "rank %d, between them",
                 proa_world_rank());
    else
        snprintf(remedy, room, "MPI_Win_fence on all ranks between them");
}

static int polls(const struct proa_access *access, const void *place)
{
    return (access->call == PROA_ACCESS_LOAD || access->call == PROA_ACCESS_TOUCH) &&
           proa_polls_noted(access->low, place);
}

void proa_conflict_between_tell(const struct proa_access *first, const struct proa_access *second)
{
    static const char id[] = "conflict-between";
    struct proa_source sources[2];
    struct proa_finding_call calls[] = {call_of(first, &sources[0]), call_of(second, &sources[1])};
    char what[160], remedy[200];

    if (polls(first, calls[0].caller) || polls(second, calls[1].caller))
        return;
    if (proa_finding_again(id, calls[0].caller, calls[1].caller) ||
        proa_finding_again(id, calls[1].caller, calls[0].caller))
        return;
    snprintf(what, sizeof what,
             "ranks %d and %d access the same memory of rank %d, and nothing orders them",
             first->origin, second->origin, proa_world_rank());
    say_remedy(remedy, sizeof remedy, first, second);
    proa_finding_add(&(struct proa_finding){.verdict = PROA_RACE,
                                            .id = id,
                                            .rule = proa_conflict_rule(first, second),
                                            .what = what,
                                            .remedy = remedy,
                                            .win = win_of(second) ? win_of(second) : win_of(first),
                                            .calls = {calls[0], calls[1]}});
}

/* ---- assertions ---- */

/* A compare_and_swap may leave the value unchanged. */
static int updates(const struct proa_access *access)
{
    return proa_access_updates(access) && access->call != PROA_CALL_Compare_and_swap;
}

void proa_conflict_between_arrive(const struct proa_access *access)
{
    struct proa_rules_arrival arrival = {access->origin, access->serial, updates(access), {0}};
    const struct proa_rules *rules;
    const struct proa_win *win;
    struct proa_source source;

    if (!proa_atomic_load(&proa_rules_asserting, PROA_RELAXED) &&
        !(access->serial & PROA_SERIAL_NOCHECK))
        return;
    win = win_of(access);
    rules = win ? proa_handle_of(win)->rules : NULL;
    if (!rules || proa_rules_permit(rules, &arrival))
        return;
    arrival.call = call_of(access, &source);
    proa_rules_arrived(rules, &arrival);
}
