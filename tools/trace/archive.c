/* SPDX-License-Identifier: BSD-3-Clause */
/* See archive.h. */
#include "archive.h"

#include "reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { NAME_BYTES = 160, CHUNK_BYTES = 256 << 10, CHUNKS_MOST = 4, DEFINITIONS_BYTES = 4 << 20 };

struct proa_definition {
    void *key;
    size_t bytes;
    uint32_t number;
    UT_hash_handle hh;
};

/* ---- errors ---- */

static int has_failed;

/* The library reports all errors through this function, so results need not be checked one by
 * one. */
static OTF2_ErrorCode complain(void *user, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)user;
    (void)file;
    (void)line;
    (void)function;
    if (code <= OTF2_SUCCESS)
        return code; /* a warning */
    if (!has_failed++) {
        fprintf(stderr, "proa trace: OTF2: %s: ", OTF2_Error_GetDescription(code));
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
    }
    return code;
}

/* ---- definitions ---- */

static uint32_t define(struct proa_definition **table, const void *key, size_t bytes, int *is_new)
{
    struct proa_definition *definition;

    HASH_FIND(hh, *table, key, bytes, definition);
    *is_new = !definition;
    if (definition)
        return definition->number;
    definition = proa_need(NULL, sizeof *definition);
    *definition = (struct proa_definition){.key = memcpy(proa_need(NULL, bytes), key, bytes),
                                           .bytes = bytes,
                                           .number = HASH_COUNT(*table)};
    HASH_ADD_KEYPTR(hh, *table, definition->key, bytes, definition);
    return definition->number;
}

static void forget(struct proa_definition **table)
{
    struct proa_definition *definition, *next;

    HASH_ITER(hh, *table, definition, next) {
        HASH_DEL(*table, definition);
        free(definition->key);
        free(definition);
    }
}

OTF2_StringRef proa_archive_string(struct proa_archive *archive, const char *text)
{
    int is_new;
    OTF2_StringRef string = define(&archive->strings, text, strlen(text) + 1, &is_new);

    if (is_new && archive->definitions)
        OTF2_GlobalDefWriter_WriteString(archive->definitions, string, text);
    return string;
}

OTF2_RegionRef proa_archive_region(struct proa_archive *archive, const char *name)
{
    int is_new;

    return define(&archive->regions, name, strlen(name) + 1, &is_new);
}

/* A member is the index of a process, as its location is. */
OTF2_GroupRef proa_archive_group(struct proa_archive *archive, int window, const int32_t *ranks,
                                 int count)
{
    const struct proa_model_window *of = &archive->model->windows[window];
    uint64_t *members = proa_need(NULL, (size_t)(count + 1) * sizeof *members);
    OTF2_GroupRef group;
    int known = 0, is_new;

    for (int i = 0; i < count; i++)
        if (ranks[i] >= 0 && ranks[i] < of->size && of->processes[ranks[i]] >= 0)
            members[known++] = (uint64_t)of->processes[ranks[i]];
    group = 1 + define(&archive->groups, members, (size_t)known * sizeof *members, &is_new);
    free(members);
    return group;
}

/* ---- locations ---- */

int proa_archive_location(struct proa_archive *archive, int process, const char *name)
{
    struct proa_location *location;

    if (archive->location_count == archive->location_room) {
        archive->location_room = archive->location_room ? 2 * archive->location_room : 16;
        archive->locations = proa_need(archive->locations,
                                       (size_t)archive->location_room * sizeof *archive->locations);
    }
    location = &archive->locations[archive->location_count];
    *location =
        (struct proa_location){.writer = OTF2_Archive_GetEvtWriter(
                                   archive->archive, (OTF2_LocationRef)archive->location_count),
                               .process = process,
                               .name = proa_archive_string(archive, name)};
    return archive->location_count++;
}

OTF2_TimeStamp proa_archive_time(struct proa_location *location, int64_t ns)
{
    if (ns > location->last_ns)
        location->last_ns = ns;
    return (OTF2_TimeStamp)location->last_ns;
}

/* ---- memory ---- */

/* The chunks of a buffer of the library. */
struct chunks {
    int count;
    void **chunk;
};

/* Returns NULL if the buffer is full; the library then writes it to its file. */
static void *take_chunk(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
                        uint64_t bytes)
{
    struct chunks *chunks = *buffer;

    (void)user;
    (void)location;
    if (!chunks) {
        chunks = *buffer = proa_need(NULL, sizeof *chunks);
        *chunks = (struct chunks){0};
    }
    if (type == OTF2_FILETYPE_EVENTS && chunks->count == CHUNKS_MOST)
        return NULL;
    chunks->chunk = proa_need(chunks->chunk, (size_t)(chunks->count + 1) * sizeof(void *));
    return chunks->chunk[chunks->count++] = proa_need(NULL, bytes);
}

static void free_chunks(void *user, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
                        bool final)
{
    struct chunks *chunks = *buffer;

    (void)user;
    (void)type;
    (void)location;
    if (!chunks)
        return;
    while (chunks->count > 0)
        free(chunks->chunk[--chunks->count]);
    if (!final)
        return;
    free(chunks->chunk);
    free(chunks);
    *buffer = NULL;
}

/* ---- the archive ---- */

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)user;
    (void)type;
    (void)location;
    (void)caller;
    (void) final;
    return OTF2_FLUSH;
}

int proa_archive_open(struct proa_archive *archive, const struct proa_model *model,
                      const char *folder)
{
    static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush};
    static const OTF2_MemoryCallbacks memory = {take_chunk, free_chunks};

    *archive = (struct proa_archive){.model = model};
    has_failed = 0;
    OTF2_Error_RegisterCallback(complain, NULL);
    archive->archive =
        OTF2_Archive_Open(folder, "traces", OTF2_FILEMODE_WRITE, CHUNK_BYTES, DEFINITIONS_BYTES,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive->archive)
        return -1;
    OTF2_Archive_SetFlushCallbacks(archive->archive, &flushes, NULL);
    OTF2_Archive_SetMemoryCallbacks(archive->archive, &memory, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive->archive);
    OTF2_Archive_SetCreator(archive->archive, "proa trace");
    OTF2_Archive_OpenEvtFiles(archive->archive);
    for (int process = 0; process < model->process_count; process++)
        proa_archive_location(archive, process, "calls");
    return has_failed ? -1 : 0;
}

/* ---- closing: definitions ---- */

static void write_machines(struct proa_archive *archive, OTF2_GlobalDefWriter *writer)
{
    const struct proa_model *model = archive->model;

    OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, proa_archive_string(archive, "job"),
                                             proa_archive_string(archive, "machine"),
                                             OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (int node = 0; node < model->clocks.count; node++) {
        int process = 0;

        while (model->processes[process].node != node)
            process++;
        OTF2_GlobalDefWriter_WriteSystemTreeNode(
            writer, (OTF2_SystemTreeNodeRef)node + 1,
            proa_archive_string(archive, model->processes[process].host),
            proa_archive_string(archive, "node"), 0);
    }
}

static void write_locations(struct proa_archive *archive, OTF2_GlobalDefWriter *writer)
{
    const struct proa_model *model = archive->model;
    char name[NAME_BYTES];

    for (int i = 0; i < model->process_count; i++) {
        const struct proa_model_process *process = &model->processes[i];

        snprintf(name, sizeof name, "rank %d", process->rank);
        OTF2_GlobalDefWriter_WriteLocationGroup(
            writer, (OTF2_LocationGroupRef)i, proa_archive_string(archive, name),
            OTF2_LOCATION_GROUP_TYPE_PROCESS, (OTF2_SystemTreeNodeRef)process->node + 1,
            OTF2_UNDEFINED_LOCATION_GROUP);
    }
    for (int i = 0; i < archive->location_count; i++) {
        const struct proa_location *location = &archive->locations[i];
        uint64_t events = 0;

        OTF2_EvtWriter_GetNumberOfEvents(location->writer, &events);
        OTF2_GlobalDefWriter_WriteLocation(writer, (OTF2_LocationRef)i, location->name,
                                           OTF2_LOCATION_TYPE_CPU_THREAD, events,
                                           (OTF2_LocationGroupRef)location->process);
    }
}

/* The group of all ranks of a window. */
static OTF2_GroupRef window_group(struct proa_archive *archive, int index)
{
    const struct proa_model_window *window = &archive->model->windows[index];
    int32_t *ranks = proa_need(NULL, (size_t)window->size * sizeof *ranks);
    OTF2_GroupRef group;

    for (int rank = 0; rank < window->size; rank++)
        ranks[rank] = rank;
    group = proa_archive_group(archive, index, ranks, window->size);
    free(ranks);
    return group;
}

static void write_windows(struct proa_archive *archive, OTF2_GlobalDefWriter *writer)
{
    for (int i = 0; i < archive->model->window_count; i++) {
        OTF2_StringRef name = proa_archive_string(archive, archive->model->windows[i].shown);

        OTF2_GlobalDefWriter_WriteComm(writer, (OTF2_CommRef)i, name, window_group(archive, i),
                                       OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
        OTF2_GlobalDefWriter_WriteRmaWin(writer, (OTF2_RmaWinRef)i, name, (OTF2_CommRef)i,
                                         OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
    }
}

/* Group 0 is all processes. */
static void write_groups(struct proa_archive *archive, OTF2_GlobalDefWriter *writer)
{
    const uint32_t count = (uint32_t)archive->model->process_count;
    const OTF2_StringRef name = proa_archive_string(archive, "");
    uint64_t *all = proa_need(NULL, count * sizeof *all);

    for (uint32_t i = 0; i < count; i++)
        all[i] = i;
    for (int i = 0; i < archive->model->window_count; i++)
        window_group(archive, i);
    OTF2_GlobalDefWriter_WriteGroup(writer, 0, name, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                    OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, count, all);
    for (const struct proa_definition *group = archive->groups; group; group = group->hh.next)
        OTF2_GlobalDefWriter_WriteGroup(writer, 1 + group->number, name, OTF2_GROUP_TYPE_COMM_GROUP,
                                        OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                        (uint32_t)(group->bytes / sizeof *all), group->key);
    free(all);
}

static void write_regions(struct proa_archive *archive, OTF2_GlobalDefWriter *writer)
{
    for (const struct proa_definition *region = archive->regions; region;
         region = region->hh.next) {
        const char *text = region->key;
        const int is_call = strchr(text, '_') != NULL;
        OTF2_StringRef name = proa_archive_string(archive, text);

        OTF2_GlobalDefWriter_WriteRegion(
            writer, region->number, name, name, OTF2_UNDEFINED_STRING,
            is_call ? OTF2_REGION_ROLE_RMA : OTF2_REGION_ROLE_ARTIFICIAL,
            is_call ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_FLAG_NONE,
            OTF2_UNDEFINED_STRING, 0, 0);
    }
}

/* Definitions refer to earlier ones only. */
static void write_definitions(struct proa_archive *archive)
{
    OTF2_GlobalDefWriter *writer = OTF2_Archive_GetGlobalDefWriter(archive->archive);
    const struct proa_model *model = archive->model;

    OTF2_GlobalDefWriter_WriteClockProperties(writer, 1000000000, 0, (uint64_t)model->end_ns + 1,
                                              (uint64_t)model->reader.files[0].head->realtime_ns);
    for (const struct proa_definition *string = archive->strings; string; string = string->hh.next)
        OTF2_GlobalDefWriter_WriteString(writer, string->number, string->key);
    archive->definitions = writer;
    write_machines(archive, writer);
    write_locations(archive, writer);
    write_groups(archive, writer);
    write_windows(archive, writer);
    write_regions(archive, writer);
    OTF2_GlobalDefWriter_WriteAttribute(
        writer, PROA_ATTRIBUTE_AT, proa_archive_string(archive, "at"),
        proa_archive_string(archive, "file and line of the call"), OTF2_TYPE_STRING);
    OTF2_Archive_CloseGlobalDefWriter(archive->archive, writer);
}

/* The definitions of a location are a file, even if there are none. */
static void close_locations(struct proa_archive *archive)
{
    for (int i = 0; i < archive->location_count; i++)
        OTF2_Archive_CloseEvtWriter(archive->archive, archive->locations[i].writer);
    OTF2_Archive_CloseEvtFiles(archive->archive);
    OTF2_Archive_OpenDefFiles(archive->archive);
    for (int i = 0; i < archive->location_count; i++)
        OTF2_Archive_CloseDefWriter(
            archive->archive, OTF2_Archive_GetDefWriter(archive->archive, (OTF2_LocationRef)i));
    OTF2_Archive_CloseDefFiles(archive->archive);
}

int proa_archive_close(struct proa_archive *archive)
{
    write_definitions(archive);
    close_locations(archive);
    OTF2_Archive_Close(archive->archive);
    forget(&archive->strings);
    forget(&archive->regions);
    forget(&archive->groups);
    free(archive->locations);
    return has_failed ? -1 : 0;
}
