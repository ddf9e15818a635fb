/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of a trace (trace/format.h) as it grows: the records since the last look. */
#ifndef PROA_TRACE_FOLLOW_H
#define PROA_TRACE_FOLLOW_H

#include "trace/format.h"

#include <stddef.h>

struct proa_follow_text; /* of a thread */

struct proa_follow {
    const char *map; /* as large as the file may become */
    size_t bytes;
    const struct proa_trace_head *head;
    uint64_t first; /* all chunks before it have been read */
    uint64_t chunks;
    uint32_t *read; /* cells of each chunk */
    int thread_count;
    struct proa_follow_text *texts;
};

/* 0; or -1: it is no trace of this version, or not yet. */
int proa_follow_open(struct proa_follow *follow, const char *path);
void proa_follow_close(struct proa_follow *follow);

/* Has MPI ended in order? All records are there then. */
int proa_follow_is_over(const struct proa_follow *follow);

/* Gives each new record but TEXT. text: of a NAME or MODULE, which is given once it is there. */
void proa_follow_read(struct proa_follow *follow,
                      void (*take)(void *user, const struct proa_trace_record *record,
                                   const char *text),
                      void *user);

#endif
