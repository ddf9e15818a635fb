/* SPDX-License-Identifier: BSD-3-Clause */
/* See place.h. */
#include "order/place.h"
#include "order/crossing.h"

#include <errno.h>
#include <link.h>
#include <string.h>

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

static const void *find(const struct proa_crossing_place *place)
{
    struct search search = {place, NULL};

    if (place && place->object[0])
        dl_iterate_phdr(look, &search);
    return search.found ? search.found + place->offset : NULL;
}

/* Accesses of one place come one after the other, and a number of an origin is of one place. */
const void *proa_place_here(const struct proa_access *access)
{
    static int32_t origin = -1;
    static uint32_t number;
    static const void *found;
    const struct proa_crossing_place *place = proa_crossing_place(access);

    if (!place)
        return NULL;
    if (access->origin != origin || access->place != number)
        found = find(place);
    origin = access->origin;
    number = access->place;
    return found;
}
