/* SPDX-License-Identifier: BSD-3-Clause */
/* See conflict_between.h. */
#include "check/conflict_between.h"
#include "check/conflict.h"
#include "order/crossing.h"
#include "findings/finding.h"
#include "findings/world.h"
#include "window/epoch.h"

#include <errno.h>
#include <link.h>
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

/* ---- places ---- */

struct search {
    const struct proa_crossing_place *place;
    const char *found;
};

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The main program has no name here. */
static int look(struct dl_phdr_info *info, size_t bytes, void *search)
{
    struct search *for_it = search;
    const char *name = info->dlpi_name[0] ? info->dlpi_name : program_invocation_name;

    (void)bytes;
    if (strcmp(name_of(name), name_of(for_it->place->object)) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            for_it->found =
                (const char *)(uintptr_t)(info->dlpi_addr +
                                          (info->dlpi_phdr[i].p_vaddr & ~(uint64_t)0xfff));
            return 1;
        }
    return 0;
}

/* The same place here, where this process has loaded the same file: so places are compared, and
 * looked up, as its own are. NULL: it has not. */
static const void *here(const struct proa_crossing_place *place)
{
    struct search search = {place, NULL};

    if (place && place->object[0])
        dl_iterate_phdr(look, &search);
    return search.found ? search.found + place->offset : NULL;
}

/* ---- the finding ---- */

static struct proa_finding_call call_of(const struct proa_access *access,
                                        struct proa_source *source)
{
    const struct proa_crossing_place *place = proa_crossing_place(access);
    const struct proa_win *win = win_of(access);
    const int is_offset = win && win->flavor != PROA_FLAVOR_DYNAMIC;
    const uint64_t base = is_offset ? (uint64_t)(uintptr_t)win->base : 0;
    const void *caller = here(place);

    memset(source, 0, sizeof *source);
    if (place) {
        snprintf(source->file, sizeof source->file, "%s", place->object);
        source->address = place->offset - 1;
    }
    return (struct proa_finding_call){.call = proa_access_name(access),
                                      .caller = caller,
                                      .place = caller ? NULL : source,
                                      .other = 1 + access->origin,
                                      .is_address = !is_offset,
                                      .low = access->low - base,
                                      .high = access->high - base};
}

static void say_remedy(char *remedy, size_t room, const struct proa_access *first)
{
    if (first->epoch & PROA_EPOCH_LOCK)
        snprintf(
            remedy, room,
            "exclusive locks; or MPI_Win_flush or unlock by the first rank, and then a message "
            "or a barrier to the second");
    else if (first->epoch & PROA_EPOCH_START)
        snprintf(remedy, room,
                 "MPI_Win_complete by one of them, and MPI_Win_wait and a further MPI_Win_post by "
                 "rank %d, between them",
                 proa_world_rank());
    else
        snprintf(remedy, room, "MPI_Win_fence between them");
}

void proa_conflict_between_tell(const struct proa_access *first, const struct proa_access *second)
{
    static const char id[] = "conflict-between";
    struct proa_source sources[2];
    struct proa_finding_call calls[] = {call_of(first, &sources[0]), call_of(second, &sources[1])};
    char what[160], remedy[200];

    if (proa_finding_again(id, calls[0].caller, calls[1].caller) ||
        proa_finding_again(id, calls[1].caller, calls[0].caller))
        return;
    snprintf(what, sizeof what,
             "ranks %d and %d access the same memory of rank %d, and nothing orders them",
             first->origin, second->origin, proa_world_rank());
    say_remedy(remedy, sizeof remedy, first->epoch ? first : second);
    proa_finding_add(&(struct proa_finding){.verdict = PROA_RACE,
                                            .id = id,
                                            .rule = proa_conflict_rule(first, second),
                                            .what = what,
                                            .remedy = remedy,
                                            .win = win_of(second) ? win_of(second) : win_of(first),
                                            .calls = {calls[0], calls[1]}});
}
