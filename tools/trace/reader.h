/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a trace (trace/format.h): mapped, and read thread by thread. A file may still grow,
 * or belong to a process that was killed.
 */
#ifndef PROA_TRACE_READER_H
#define PROA_TRACE_READER_H

#include "cells.h"
#include "trace/format.h"

#include <stddef.h>

/* The chunks of one thread of a file, in order. */
struct proa_stream {
    int file, thread;
    int has_calls; /* has calls of the program; set by the model */
    size_t count, room;
    uint32_t *chunks;
    size_t chunk;                     /* position of the reader: chunk */
    uint32_t at;                      /* cell in the chunk */
    struct proa_cell_records records; /* records read last */
    unsigned given;                   /* number of them already returned */
};

struct proa_trace_file {
    char *path;
    const char *map;
    size_t bytes;
    const struct proa_trace_head *head;
    int threads;
    struct proa_stream *streams; /* by thread */
};

struct proa_reader {
    int count;
    struct proa_trace_file *files; /* in the order of ranks */
};

/* Opens all files of the folder. Returns 0, or -1 after an error message on standard error. */
int proa_reader_open(struct proa_reader *reader, const char *folder);
void proa_reader_close(struct proa_reader *reader);

/* Returns the next record of the thread, or NULL if there is none (yet). It is valid until the next
 * one is read. A record followed by TEXT is valid until the reader is closed. */
const struct proa_trace_record *proa_stream_next(const struct proa_reader *reader,
                                                 struct proa_stream *stream);

/* Returns the text of `bytes` bytes after the last record, allocated and terminated by 0. Bytes
 * that the file lacks are 0. */
char *proa_stream_text(const struct proa_reader *reader, struct proa_stream *stream,
                       uint64_t bytes);

/* Restarts at the first record. */
void proa_stream_rewind(struct proa_stream *stream);

/* Returns the name of a call by its number, as stored in the file. */
const char *proa_trace_call_name(const struct proa_trace_file *file, int call);

/* Returns memory. Exits if there is none. */
void *proa_need(void *old, size_t bytes);

#endif
