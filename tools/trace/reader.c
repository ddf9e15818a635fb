/* SPDX-License-Identifier: BSD-3-Clause */
/* See reader.h. */
#include "reader.h"

#include "base/atomic.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS_MOST = 1 << 16, TEXT_MOST = 1 << 26 };

void *proa_need(void *old, size_t bytes)
{
    void *new = realloc(old, bytes ? bytes : 1);

    if (new)
        return new;
    fprintf(stderr, "proa trace: out of memory\n");
    exit(1);
}

/* ---- a file ---- */

static const struct proa_trace_record *chunk_at(const struct proa_trace_file *file, uint64_t chunk)
{
    return (const struct proa_trace_record *)(const void *)(file->map + file->head->head_bytes +
                                                            chunk * file->head->chunk_bytes);
}

/* Drops pages that were read. */
static void drop_pages(const struct proa_trace_file *file, uint64_t chunk)
{
    madvise((void *)(uintptr_t)chunk_at(file, chunk), file->head->chunk_bytes, MADV_DONTNEED);
}

static uint32_t cells_of(const struct proa_trace_file *file)
{
    return file->head->chunk_bytes / PROA_TRACE_CELL_BYTES;
}

static const char *why_not(const struct proa_trace_file *file)
{
    const struct proa_trace_head *head = file->head;

    if (file->bytes < PROA_TRACE_HEAD_BYTES ||
        memcmp(head->magic, PROA_TRACE_MAGIC, sizeof head->magic) != 0)
        return "is no trace of Proa's";
    if (head->version != PROA_TRACE_VERSION || head->cell_bytes != PROA_TRACE_CELL_BYTES ||
        head->head_bytes != PROA_TRACE_HEAD_BYTES ||
        head->chunk_bytes < PROA_TRACE_CHUNK_HEAD_CELLS * PROA_TRACE_CELL_BYTES)
        return "is a trace of another version of Proa";
    return NULL;
}

static void add_chunk(struct proa_trace_file *file, int thread, uint32_t chunk)
{
    struct proa_stream *stream;

    if (thread >= file->threads) {
        file->streams = proa_need(file->streams, (size_t)(thread + 1) * sizeof *file->streams);
        memset(file->streams + file->threads, 0,
               (size_t)(thread + 1 - file->threads) * sizeof *file->streams);
        file->threads = thread + 1;
    }
    stream = &file->streams[thread];
    if (stream->count == stream->room) {
        stream->room = stream->room ? 2 * stream->room : 16;
        stream->chunks = proa_need(stream->chunks, stream->room * sizeof *stream->chunks);
    }
    stream->chunks[stream->count++] = chunk;
}

/* A chunk that was taken when the process was killed may have no record yet. */
static void find_chunks(struct proa_trace_file *file)
{
    const uint64_t there = (file->bytes - file->head->head_bytes) / file->head->chunk_bytes;

    for (uint64_t chunk = 0; chunk < there; chunk++) {
        const struct proa_trace_record *first = chunk_at(file, chunk);

        if (first->kind == PROA_TRACE_CHUNK && (unsigned)first->rank < THREADS_MOST)
            add_chunk(file, first->rank, (uint32_t)chunk);
        drop_pages(file, chunk); /* the kernel maps more than this page */
    }
}

static int file_open(struct proa_trace_file *file)
{
    int fd = open(file->path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    const char *wrong = NULL;
    int is_empty = 0;

    file->map = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &status) == 0 && !(is_empty = status.st_size == 0)) {
        file->bytes = (size_t)status.st_size;
        file->map = mmap(NULL, file->bytes, PROT_READ, MAP_SHARED, fd, 0);
    }
    if (fd >= 0)
        close(fd);
    if (file->map == MAP_FAILED) {
        fprintf(stderr, "proa trace: cannot read %s: %s\n", file->path,
                is_empty ? "it is empty" : strerror(errno));
        return -1;
    }
    file->head = (const struct proa_trace_head *)file->map;
    wrong = why_not(file);
    if (!wrong) {
        find_chunks(file);
        return 0;
    }
    fprintf(stderr, "proa trace: %s %s\n", file->path, wrong);
    return -1;
}

/* ---- all files ---- */

static int is_trace(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');

    return dot && strcmp(dot, ".trace") == 0;
}

static int by_rank(const void *a, const void *b)
{
    const struct proa_trace_file *one = a, *other = b;

    if (one->head->rank != other->head->rank)
        return one->head->rank < other->head->rank ? -1 : 1;
    return (one->head->realtime_ns > other->head->realtime_ns) -
           (one->head->realtime_ns < other->head->realtime_ns);
}

static char *path_in(const char *folder, const char *name)
{
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = proa_need(NULL, bytes);

    snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

int proa_reader_open(struct proa_reader *reader, const char *folder)
{
    struct dirent **names;
    int count = scandir(folder, &names, is_trace, alphasort), error = 0;

    *reader = (struct proa_reader){0};
    if (count <= 0) {
        fprintf(stderr, "proa trace: %s: %s\n", folder,
                count < 0 ? strerror(errno)
                          : "no files of a trace (RANK.trace), which a process begins with its "
                            "first window on Proa");
        if (count == 0)
            free(names);
        return -1;
    }
    reader->files = proa_need(NULL, (size_t)count * sizeof *reader->files);
    memset(reader->files, 0, (size_t)count * sizeof *reader->files);
    for (int i = 0; i < count; i++) {
        struct proa_trace_file *file = &reader->files[reader->count];

        file->path = path_in(folder, names[i]->d_name);
        if (error || file_open(file) != 0)
            error = -1;
        reader->count++;
        free(names[i]);
    }
    free(names);
    if (error)
        return error;
    qsort(reader->files, (size_t)reader->count, sizeof *reader->files, by_rank);
    for (int i = 0; i < reader->count; i++)
        for (int thread = 0; thread < reader->files[i].threads; thread++) {
            reader->files[i].streams[thread].file = i;
            reader->files[i].streams[thread].thread = thread;
        }
    return 0;
}

void proa_reader_close(struct proa_reader *reader)
{
    for (int i = 0; i < reader->count; i++) {
        struct proa_trace_file *file = &reader->files[i];

        for (int thread = 0; thread < file->threads; thread++)
            free(file->streams[thread].chunks);
        free(file->streams);
        free(file->path);
        if (file->map && file->map != MAP_FAILED)
            munmap((void *)(uintptr_t)file->map, file->bytes);
    }
    free(reader->files);
}

/* ---- records ---- */

static void leave_chunk(const struct proa_trace_file *file, struct proa_stream *stream)
{
    drop_pages(file, stream->chunks[stream->chunk]);
    stream->chunk++;
    stream->at = 0;
}

/* Reads the records of the next cells. Returns 0 if there are none (yet). */
static int read_cells(const struct proa_trace_file *file, struct proa_stream *stream)
{
    const struct proa_trace_record *first;

    stream->given = stream->records.count = 0;
    while (stream->chunk < stream->count && stream->records.count == 0) {
        if (stream->at >= cells_of(file)) {
            leave_chunk(file, stream);
            continue;
        }
        first = chunk_at(file, stream->chunks[stream->chunk]);
        proa_cell_read(&stream->records, first,
                       (const char *)first + (size_t)stream->at * PROA_TRACE_CELL_BYTES,
                       cells_of(file) - stream->at);
        if (stream->records.cells == 0)
            return 0;
        stream->at += stream->records.cells;
    }
    return stream->records.count > 0;
}

const struct proa_trace_record *proa_stream_next(const struct proa_reader *reader,
                                                 struct proa_stream *stream)
{
    const struct proa_trace_file *file = &reader->files[stream->file];
    const struct proa_trace_record *record;

    do {
        if (stream->given == stream->records.count && !read_cells(file, stream))
            return NULL;
        record = stream->records.in_file ? stream->records.in_file
                                         : &stream->records.expanded[stream->given];
        stream->given++;
    } while (record->kind == PROA_TRACE_CHUNK);
    return record;
}

/* Returns the next record if it is a TEXT, and consumes it. */
static const struct proa_trace_text *next_text(const struct proa_reader *reader,
                                               struct proa_stream *stream)
{
    const struct proa_stream before = *stream;
    const struct proa_trace_record *record = proa_stream_next(reader, stream);

    if (record && record->kind == PROA_TRACE_TEXT)
        return (const struct proa_trace_text *)(const void *)record;
    *stream = before;
    return NULL;
}

char *proa_stream_text(const struct proa_reader *reader, struct proa_stream *stream, uint64_t bytes)
{
    const uint64_t all = bytes < TEXT_MOST ? bytes : TEXT_MOST;
    char *text = proa_need(NULL, all + 1);
    const struct proa_trace_text *part;

    memset(text, 0, all + 1);
    for (uint64_t at = 0; at < all && (part = next_text(reader, stream));
         at += PROA_TRACE_TEXT_BYTES)
        memcpy(text + at, part->text,
               all - at < PROA_TRACE_TEXT_BYTES ? all - at : PROA_TRACE_TEXT_BYTES);
    return text;
}

void proa_stream_rewind(struct proa_stream *stream)
{
    stream->chunk = 0;
    stream->at = 0;
    stream->given = stream->records.count = 0;
}

const char *proa_trace_call_name(const struct proa_trace_file *file, int call)
{
    const char *name =
        file->map + PROA_TRACE_CALLS_AT + (size_t)(unsigned)call * PROA_TRACE_NAME_BYTES;

    if (call < 0 || call >= PROA_TRACE_CALLS || !memchr(name, 0, PROA_TRACE_NAME_BYTES))
        return "?";
    return name;
}
