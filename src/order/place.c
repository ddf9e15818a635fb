/* SPDX-License-Identifier: BSD-3-Clause */
/* See place.h. */
#include "order/place.h"
#include "base/hash.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Messages: a file, with its number and its path; or a place, with its number, the count and the
 * binding below it, then its frames. A frame has its file's number above the offset. */
#define FILE_MESSAGE PROA_PLACE_MESSAGES
#define PLACE_MESSAGE (PROA_PLACE_MESSAGES + 1)
enum { OFFSET_BITS = 48, PATH_BYTES = 240, FILES_MOST = 4096 };

/* Places that are found without a search. */
enum { RECENT_BITS = 6 };

/* ---- the origin ---- */

struct file {
    const void *base; /* load address */
    char path[PATH_BYTES];
    uint32_t number;
    UT_hash_handle hh;
    uint8_t sent[]; /* by process: 1 if it was sent */
};

struct proa_place {
    const void *caller;
    uint32_t number;
    UT_hash_handle hh;
    uint8_t sent[]; /* by process: 1 if it was sent */
};

static int size; /* number of processes */
static struct file *files;
static struct proa_place *places, *recent_places[1 << RECENT_BITS];

struct proa_place *proa_place_of(const void *caller)
{
    struct proa_place **recent = &recent_places[proa_hash_number((uintptr_t)caller, RECENT_BITS)];
    struct proa_place *place = *recent;

    if (place && place->caller == caller)
        return place;
    HASH_FIND_PTR(places, &caller, place);
    if (place)
        return *recent = place;
    place = calloc(1, sizeof *place + (size_t)size);
    if (!place)
        return NULL;
    place->caller = caller;
    place->number = HASH_COUNT(places);
    HASH_ADD_PTR(places, caller, place);
    return place;
}

uint32_t proa_place_number(const struct proa_place *place)
{
    return place->number;
}

/* Returns NULL if the address is in no file, or without memory. */
static struct file *file_of(const Dl_info *info)
{
    const void *base = info->dli_fbase;
    struct file *file;

    HASH_FIND_PTR(files, &base, file);
    if (file || HASH_COUNT(files) == FILES_MOST)
        return file;
    file = calloc(1, sizeof *file + (size_t)size);
    if (!file)
        return NULL;
    file->base = base;
    snprintf(file->path, sizeof file->path, "%s", info->dli_fname);
    file->number = HASH_COUNT(files);
    HASH_ADD_PTR(files, base, file);
    return file;
}

static int tell_file(int process, struct file *file,
                     int (*push)(int process, const uint64_t *words, uint32_t count))
{
    uint64_t words[2 + PATH_BYTES / 8] = {FILE_MESSAGE, file->number};

    memcpy(&words[2], file->path, sizeof file->path);
    if (!file->sent[process] && !push(process, words, sizeof words / sizeof *words))
        return 0;
    file->sent[process] = 1;
    return 1;
}

/* Returns 0 if the file cannot be sent. A frame outside any file ends the stack: its word is
 * UINT64_MAX. */
static int tell_frame(int process, const void *pc, uint64_t *word,
                      int (*push)(int process, const uint64_t *words, uint32_t count))
{
    Dl_info info;
    struct file *file =
        dladdr((const char *)pc - 1, &info) && info.dli_fname ? file_of(&info) : NULL;

    *word = UINT64_MAX;
    if (!file)
        return 1;
    if (!tell_file(process, file, push))
        return 0;
    *word =
        (uint64_t)file->number << OFFSET_BITS | (uint64_t)((const char *)pc - (char *)file->base);
    return 1;
}

static __attribute__((noinline)) int tell_place(int process, struct proa_place *place,
                                                int (*push)(int process, const uint64_t *words,
                                                            uint32_t count))
{
    const struct proa_stack *stack = proa_stack_of(place->caller);
    const uint64_t count = stack ? stack->count : 1, binding = stack ? stack->binding : 0;
    uint64_t words[PROA_PLACE_WORDS] = {PLACE_MESSAGE, binding << 48 | count << 32 | place->number};

    for (uint64_t i = 0; i < count; i++)
        if (!tell_frame(process, stack ? stack->frames[i] : place->caller, &words[2 + i], push))
            return 0;
    return push(process, words, (uint32_t)(2 + count));
}

int proa_place_tell(int process, struct proa_place *place,
                    int (*push)(int process, const uint64_t *words, uint32_t count))
{
    if (!place->sent[process])
        place->sent[process] = (uint8_t)tell_place(process, place, push);
    return place->sent[process];
}

/* ---- the target ---- */

/* A place of an origin. */
struct known {
    const void *note;
    uint32_t count, binding;
    uint64_t frames[];
};

static struct origin {
    struct known **known; /* by number */
    uint64_t count;       /* entries in `known`, which has spare room */
    char (*paths)[PATH_BYTES];
    uint64_t path_count;
} * origins;

/* Returns the table with room for that number; it may move. Returns NULL without memory. */
static void *grown(void *table, uint64_t *count, uint64_t number, size_t bytes)
{
    const uint64_t room = 2 * (number + 8);
    char *more;

    if (number < *count)
        return table;
    more = realloc(table, room * bytes);
    if (!more)
        return NULL;
    memset(more + *count * bytes, 0, (room - *count) * bytes);
    *count = room;
    return more;
}

static void take_file(struct origin *from, const uint64_t *words)
{
    void *more = grown(from->paths, &from->path_count, words[1], sizeof *from->paths);

    if (!more)
        return;
    from->paths = more;
    memcpy(from->paths[words[1]], &words[2], sizeof *from->paths);
}

static void take_place(struct origin *from, const uint64_t *words)
{
    const uint32_t number = (uint32_t)words[1], count = (uint16_t)(words[1] >> 32);
    void *more = grown(from->known, &from->count, number, sizeof *from->known);
    struct known *known = calloc(1, sizeof *known + count * sizeof *known->frames);

    from->known = more ? more : from->known;
    if (!more || !known) {
        free(known);
        return;
    }
    known->count = count;
    known->binding = (uint32_t)(words[1] >> 48);
    memcpy(known->frames, &words[2], count * sizeof *known->frames);
    from->known[number] = known;
}

void proa_place_take(int origin, const uint64_t *words)
{
    if (words[0] == FILE_MESSAGE)
        take_file(&origins[origin], words);
    else
        take_place(&origins[origin], words);
}

static struct known *known_of(const struct proa_access *access)
{
    const struct origin *from = &origins[access->origin];

    return access->place < from->count ? from->known[access->place] : NULL;
}

static const char *path_of(int origin, uint64_t frame)
{
    const struct origin *from = &origins[origin];

    return frame >> OFFSET_BITS < from->path_count ? from->paths[frame >> OFFSET_BITS] : NULL;
}

static uint64_t offset_of(uint64_t frame)
{
    return frame & (((uint64_t)1 << OFFSET_BITS) - 1);
}

unsigned proa_place_binding(const struct proa_access *access)
{
    const struct known *known = known_of(access);

    return known ? known->binding : 0;
}

const char *proa_place_file(const struct proa_access *access, uint64_t *offset)
{
    const struct known *known = known_of(access);

    if (!known)
        return NULL;
    *offset = offset_of(known->frames[0]);
    return path_of(access->origin, known->frames[0]);
}

const void **proa_place_note(const struct proa_access *access)
{
    struct known *known = known_of(access);

    return known ? &known->note : NULL;
}

/* ---- the same file here ---- */

struct search {
    const char *path, *found;
};

/* The main program has an empty name here. */
static int look(struct dl_phdr_info *info, size_t bytes, void *search)
{
    struct search *for_it = search;
    const char *name = info->dlpi_name[0] ? info->dlpi_name : program_invocation_name;

    (void)bytes;
    if (strcmp(basename(name), basename(for_it->path)) != 0)
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

static const void *find(int origin, uint64_t frame)
{
    struct search search = {path_of(origin, frame), NULL};

    if (search.path && search.path[0])
        dl_iterate_phdr(look, &search);
    return search.found ? search.found + offset_of(frame) : NULL;
}

unsigned proa_place_frames(const struct proa_access *access, const void *frames[PROA_STACK_MOST])
{
    const struct known *known = known_of(access);
    unsigned count = 0;

    while (known && count < known->count && count < PROA_STACK_MOST &&
           (frames[count] = find(access->origin, known->frames[count])) != NULL)
        count++;
    return count;
}

/* ---- begin and end ---- */

int proa_place_begin(int processes)
{
    size = processes;
    origins = calloc((size_t)processes, sizeof *origins);
    return origins ? 0 : -1;
}

static void free_origin(struct origin *from)
{
    for (uint64_t i = 0; i < from->count; i++)
        free(from->known[i]);
    free(from->known);
    free(from->paths);
}

void proa_place_end(void)
{
    struct proa_place *place = places, *next;
    struct file *file = files, *next_file;

    HASH_CLEAR(hh, places);
    for (; place; place = next) {
        next = place->hh.next;
        free(place);
    }
    HASH_CLEAR(hh, files);
    for (; file; file = next_file) {
        next_file = file->hh.next;
        free(file);
    }
    for (int i = 0; i < size && origins; i++)
        free_origin(&origins[i]);
    free(origins);
    origins = NULL;
    memset(recent_places, 0, sizeof recent_places);
}
