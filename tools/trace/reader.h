/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The files of a trace as they are (trace/format.h): mapped, and read thread by thread. A file may
 * still grow, or be that of a process that was killed.
 */
#ifndef PROA_TRACE_READER_H
#define PROA_TRACE_READER_H

#include "cells.h"
#include "trace/format.h"

#include <stddef.h>

/* The chunks of one thread of a file, in their order. */
struct proa_stream {
    int file, thread;
    int has_calls; /* of the program; set by the model */
    size_t count, room;
    uint32_t *chunks;
    size_t chunk;                     /* where the reader is */
    uint32_t at;                      /* cell in it */
    struct proa_cell_records records; /* that were read last */
    unsigned given;                   /* of them */
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

/* Opens all files of the folder. 0, or -1 after a complaint on standard error. */
int proa_reader_open(struct proa_reader *reader, const char *folder);
void proa_reader_close(struct proa_reader *reader);

/* The next record of the thread, or NULL: there is none (yet). It is valid until the next one is
 * read; one that TEXT follows, as long as the reader is open. */
const struct proa_trace_record *proa_stream_next(const struct proa_reader *reader,
                                                 struct proa_stream *stream);

/* The text of `bytes` bytes behind the record that was read last: allocated, with a 0 behind it.
 * Bytes that the file lacks are 0. */
char *proa_stream_text(const struct proa_reader *reader, struct proa_stream *stream,
                       uint64_t bytes);

/* Begins again. */
void proa_stream_rewind(struct proa_stream *stream);

/* The name of a call's number, as the file has it. */
const char *proa_trace_call_name(const struct proa_trace_file *file, int call);

/* Memory, or the end of the command. */
void *proa_need(void *old, size_t bytes);

#endif
