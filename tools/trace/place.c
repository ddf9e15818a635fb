/* SPDX-License-Identifier: BSD-3-Clause */
/* See place.h. */
#include "place.h"

#include "findings/lines.h"
#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct module {
    int process;
    int path; /* index in paths */
    uint64_t first, last, bias;
};

/* A place in a file. path: index, or -1 if the file is unknown; the address is then the process's
 * own. */
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
    struct proa_lines_file *lines;
    int is_tried;
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
        proa_lines_close(places->path[i].lines);
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

/* Later modules are searched first: they may replace unloaded ones. */
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

/* Returns "heat.c:120", or "main in heat+0x12ab"; NULL if neither is known. */
static char *line_text(struct path *path, uint64_t address)
{
    struct proa_source source = {.line = 0};
    char *text = NULL;

    if (!path->is_tried)
        path->lines = proa_lines_open(path->text);
    path->is_tried = 1;
    if (!path->lines)
        return NULL;
    if (proa_lines_find_in(path->lines, address, &source))
        return asprintf(&text, "%s:%d", base_name(source.file), source.line) < 0 ? NULL : text;
    if (*source.function && asprintf(&text, "%s in %s+0x%llx", source.function,
                                     base_name(path->text), (unsigned long long)address) < 0)
        text = NULL;
    return text;
}

static char *text_of(struct proa_places *places, const struct spot *spot)
{
    char *text = NULL;

    if (spot->path < 0)
        return asprintf(&text, "0x%llx", (unsigned long long)spot->address) < 0 ? NULL : text;
    text = line_text(&places->path[spot->path], spot->address);
    if (text)
        return text;
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
