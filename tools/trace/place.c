/* SPDX-License-Identifier: BSD-3-Clause */
/* See place.h. */
#include "place.h"

#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#ifdef PROA_HAS_LIBDW
#include <elfutils/libdwfl.h>
#endif

struct module {
    int process;
    int path; /* index of paths */
    uint64_t first, last, bias;
};

/* A place in a file; path -1: in none that is known, and the address is the process's own. */
struct spot {
    int64_t path;
    uint64_t address; /* of the call itself, just before its return address */
};

struct place {
    struct spot spot;
    int number;
    char *text;
    UT_hash_handle hh;
};

struct path {
    char *text;
#ifdef PROA_HAS_LIBDW
    Dwfl *dwfl;
    int is_tried;
#endif
};

struct proa_places {
    int modules, paths, count, room;
    struct module *module;
    struct path *path;
    struct place *by_spot, **by_number;
    int last; /* the module that was found last */
};

struct proa_places *proa_places_new(void)
{
    struct proa_places *places = proa_need(NULL, sizeof *places);

    *places = (struct proa_places){0};
    return places;
}

void proa_places_free(struct proa_places *places)
{
    struct place *place, *next;

    if (!places)
        return;
    HASH_ITER(hh, places->by_spot, place, next) {
        HASH_DEL(places->by_spot, place);
        free(place->text);
        free(place);
    }
    for (int i = 0; i < places->paths; i++) {
#ifdef PROA_HAS_LIBDW
        if (places->path[i].dwfl)
            dwfl_end(places->path[i].dwfl);
#endif
        free(places->path[i].text);
    }
    free(places->by_number);
    free(places->path);
    free(places->module);
    free(places);
}

static int path_of(struct proa_places *places, const char *text)
{
    for (int i = 0; i < places->paths; i++)
        if (strcmp(places->path[i].text, text) == 0)
            return i;
    places->path = proa_need(places->path, (size_t)(places->paths + 1) * sizeof *places->path);
    places->path[places->paths] = (struct path){.text = strdup(text)};
    return places->paths++;
}

/* Later modules come first: they may be where others were unloaded. */
void proa_places_add_module(struct proa_places *places, int process, const char *path,
                            uint64_t first, uint64_t last, uint64_t bias)
{
    places->module =
        proa_need(places->module, (size_t)(places->modules + 1) * sizeof *places->module);
    places->module[places->modules++] =
        (struct module){process, path_of(places, path), first, last, bias};
}

static int is_in(const struct module *module, int process, uint64_t address)
{
    return module->process == process && address >= module->first && address < module->last;
}

static const struct module *module_of(struct proa_places *places, int process, uint64_t address)
{
    if (places->last < places->modules && is_in(&places->module[places->last], process, address))
        return &places->module[places->last];
    for (int i = places->modules - 1; i >= 0; i--)
        if (is_in(&places->module[i], process, address)) {
            places->last = i;
            return &places->module[i];
        }
    return NULL;
}

int proa_place(struct proa_places *places, int process, uint64_t address)
{
    const struct module *module;
    struct spot spot;
    struct place *place;

    if (address == 0)
        return -1;
    memset(&spot, 0, sizeof spot);
    module = module_of(places, process, address - 1);
    spot.path = module ? module->path : -1;
    spot.address = address - 1 - (module ? module->bias : 0);
    HASH_FIND(hh, places->by_spot, &spot, sizeof spot, place);
    if (place)
        return place->number;
    if (places->count == places->room) {
        places->room = places->room ? 2 * places->room : 64;
        places->by_number =
            proa_need(places->by_number, (size_t)places->room * sizeof(struct place *));
    }
    place = proa_need(NULL, sizeof *place);
    *place = (struct place){.spot = spot, .number = places->count};
    places->by_number[places->count++] = place;
    HASH_ADD(hh, places->by_spot, spot, sizeof spot, place);
    return place->number;
}

/* ---- text ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

#ifdef PROA_HAS_LIBDW
static Dwfl *open_path(struct path *path)
{
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo,
                                             .section_address = dwfl_offline_section_address};

    if (path->is_tried)
        return path->dwfl;
    path->is_tried = 1;
    path->dwfl = dwfl_begin(&callbacks);
    if (path->dwfl && (!dwfl_report_offline(path->dwfl, "", path->text, -1) ||
                       dwfl_report_end(path->dwfl, NULL, NULL) != 0)) {
        dwfl_end(path->dwfl);
        path->dwfl = NULL;
    }
    return path->dwfl;
}

static int first_module(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr start,
                        void *found)
{
    (void)user;
    (void)name;
    (void)start;
    *(Dwfl_Module **)found = module;
    return DWARF_CB_ABORT;
}

/* libdw gives an offline file addresses of its own: `start` less where the file has it. */
static char *line_text(struct path *path, uint64_t address)
{
    Dwfl *dwfl = open_path(path);
    Dwfl_Module *module = NULL;
    Dwfl_Line *line;
    GElf_Addr bias = 0;
    const char *file, *symbol;
    char *text = NULL;
    int number = 0;

    if (!dwfl)
        return NULL;
    dwfl_getmodules(dwfl, first_module, &module, 0);
    if (!module || !dwfl_module_getelf(module, &bias))
        return NULL;
    line = dwfl_module_getsrc(module, address + bias);
    file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (file)
        return asprintf(&text, "%s:%d", base_name(file), number) < 0 ? NULL : text;
    symbol = dwfl_module_addrname(module, address + bias);
    if (symbol && asprintf(&text, "%s in %s+0x%llx", symbol, base_name(path->text),
                           (unsigned long long)address) < 0)
        text = NULL;
    return text;
}
#endif

static char *text_of(struct proa_places *places, const struct spot *spot)
{
    char *text = NULL;

    if (spot->path < 0)
        return asprintf(&text, "0x%llx", (unsigned long long)spot->address) < 0 ? NULL : text;
#ifdef PROA_HAS_LIBDW
    text = line_text(&places->path[spot->path], spot->address);
    if (text)
        return text;
#endif
    return asprintf(&text, "%s+0x%llx", base_name(places->path[spot->path].text),
                    (unsigned long long)spot->address) < 0
               ? NULL
               : text;
}

const char *proa_place_text(struct proa_places *places, int number)
{
    struct place *place;

    if (number < 0 || number >= places->count)
        return "";
    place = places->by_number[number];
    if (!place->text)
        place->text = text_of(places, &place->spot);
    return place->text ? place->text : "";
}
