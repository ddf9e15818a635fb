/* SPDX-License-Identifier: BSD-3-Clause */
/* See follow.h. */
#include "follow.h"

#include "base/atomic.h"
#include "cells.h"
#include "reader.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TEXT_MOST = 1 << 16, THREADS_MOST = 1 << 16 };

/* A record whose text is not complete yet. */
struct proa_follow_text {
    struct proa_trace_record of; /* kind 0 for none */
    uint64_t have;
    char *text;
};

/* ---- the file ---- */

static int is_good(const struct proa_trace_head *head)
{
    return memcmp(head->magic, PROA_TRACE_MAGIC, sizeof head->magic) == 0 &&
           head->version == PROA_TRACE_VERSION && head->head_bytes == PROA_TRACE_HEAD_BYTES &&
           head->cell_bytes == PROA_TRACE_CELL_BYTES &&
           head->chunk_bytes == PROA_TRACE_CHUNK_BYTES && head->first.ticks;
}

/* A chunk is counted once the file has space for it, so the rest of the map is never touched. */
int proa_follow_open(struct proa_follow *follow, const char *path)
{
    struct proa_trace_head head;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *map = MAP_FAILED;

    *follow = (struct proa_follow){0};
    if (file < 0)
        return -1;
    if (pread(file, &head, sizeof head, 0) == sizeof head && is_good(&head)) {
        follow->bytes = PROA_TRACE_HEAD_BYTES + head.limit_bytes;
        map = mmap(NULL, follow->bytes, PROT_READ, MAP_SHARED, file, 0);
    }
    close(file);
    if (map == MAP_FAILED)
        return -1;
    follow->map = map;
    follow->head = map;
    return 0;
}

void proa_follow_close(struct proa_follow *follow)
{
    if (follow->map)
        munmap((void *)(uintptr_t)follow->map, follow->bytes);
    for (int i = 0; i < follow->thread_count; i++)
        free(follow->texts[i].text);
    free(follow->texts);
    free(follow->read);
    *follow = (struct proa_follow){0};
}

/* ---- texts ---- */

static struct proa_follow_text *text_of(struct proa_follow *follow, int thread)
{
    if (thread < 0 || thread >= THREADS_MOST)
        thread = 0;
    if (thread >= follow->thread_count) {
        follow->texts = proa_need(follow->texts, (size_t)(thread + 1) * sizeof *follow->texts);
        memset(follow->texts + follow->thread_count, 0,
               (size_t)(thread + 1 - follow->thread_count) * sizeof *follow->texts);
        follow->thread_count = thread + 1;
    }
    return &follow->texts[thread];
}

static void text_begin(struct proa_follow_text *text, const struct proa_trace_record *record)
{
    text->of = *record;
    text->have = 0;
    if (text->of.bytes > TEXT_MOST)
        text->of.bytes = TEXT_MOST;
    text->text = proa_need(text->text, text->of.bytes + 1);
    text->text[text->of.bytes] = 0;
}

/* Adds to the text. Returns true if it is complete. */
static int text_more(struct proa_follow_text *text, const struct proa_trace_record *record)
{
    const uint64_t left = text->of.bytes - text->have;
    const uint64_t bytes = left < PROA_TRACE_TEXT_BYTES ? left : PROA_TRACE_TEXT_BYTES;

    memcpy(text->text + text->have, ((const struct proa_trace_text *)(const void *)record)->text,
           bytes);
    text->have += bytes;
    return text->have == text->of.bytes;
}

/* ---- records ---- */

static const struct proa_trace_record *chunk_at(const struct proa_follow *follow, uint64_t chunk)
{
    return (const struct proa_trace_record *)(const void *)(follow->map + PROA_TRACE_HEAD_BYTES +
                                                            chunk * PROA_TRACE_CHUNK_BYTES);
}

static void take_record(struct proa_follow_text *text, const struct proa_trace_record *record,
                        void (*take)(void *user, const struct proa_trace_record *record,
                                     const char *text),
                        void *user)
{
    if (record->kind == PROA_TRACE_CHUNK)
        return;
    if (record->kind == PROA_TRACE_NAME || record->kind == PROA_TRACE_MODULE) {
        text_begin(text, record);
    } else if (record->kind != PROA_TRACE_TEXT) {
        text->of.kind = PROA_TRACE_NOTHING;
        take(user, record, NULL);
    } else if (text->of.kind && text_more(text, record)) {
        take(user, &text->of, text->text);
        text->of.kind = PROA_TRACE_NOTHING;
    }
}

/* Returns true if the chunk is completely read. */
static int read_chunk(struct proa_follow *follow, uint64_t chunk,
                      void (*take)(void *user, const struct proa_trace_record *record,
                                   const char *text),
                      void *user)
{
    const uint32_t count = PROA_TRACE_CHUNK_BYTES / PROA_TRACE_CELL_BYTES;
    const struct proa_trace_record *first = chunk_at(follow, chunk);
    struct proa_cell_records records;
    struct proa_follow_text *text;
    uint32_t *at = &follow->read[chunk];

    for (text = NULL; *at < count; *at += records.cells) {
        proa_cell_read(&records, first, (const char *)first + (size_t)*at * PROA_TRACE_CELL_BYTES,
                       count - *at);
        if (records.cells == 0)
            return 0;
        if (!text)
            text = text_of(follow, first->rank);
        for (unsigned i = 0; i < records.count; i++)
            take_record(text, records.in_file ? records.in_file : &records.expanded[i], take, user);
    }
    return 1;
}

/* Partner: proa_trace_close. */
int proa_follow_is_over(const struct proa_follow *follow)
{
    return proa_atomic_load(&follow->head->is_ended, PROA_ACQUIRE) != 0;
}

void proa_follow_read(struct proa_follow *follow,
                      void (*take)(void *user, const struct proa_trace_record *record,
                                   const char *text),
                      void *user)
{
    const uint64_t chunks = proa_atomic_load(&follow->head->chunks, PROA_ACQUIRE);

    if (chunks > follow->chunks) {
        follow->read = proa_need(follow->read, chunks * sizeof *follow->read);
        memset(follow->read + follow->chunks, 0, (chunks - follow->chunks) * sizeof *follow->read);
        follow->chunks = chunks;
    }
    for (uint64_t chunk = follow->first; chunk < chunks; chunk++)
        if (read_chunk(follow, chunk, take, user) && chunk == follow->first)
            follow->first++;
}
