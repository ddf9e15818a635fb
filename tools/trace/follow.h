/* SPDX-License-Identifier: BSD-3-Clause */
/* Follows a growing file of a trace (trace/format.h): reads the records since the last call. */
#ifndef PROA_TRACE_FOLLOW_H
#define PROA_TRACE_FOLLOW_H

#include "trace/format.h"

#include <stddef.h>

struct proa_follow_text; /* the text of a thread */

struct proa_follow {
    const char *map; /* as large as the file may become */
    size_t bytes;
    const struct proa_trace_head *head;
    uint64_t first; /* all chunks before it were read */
    uint64_t chunks;
    uint32_t *read; /* cells read, by chunk */
    int thread_count;
    struct proa_follow_text *texts;
};

/* Returns 0, or -1 if the file is no trace of this version, or not yet. */
int proa_follow_open(struct proa_follow *follow, const char *path);
void proa_follow_close(struct proa_follow *follow);

/* Returns true if MPI ended regularly. All records are present then. */
int proa_follow_is_over(const struct proa_follow *follow);

/* Passes each new record except TEXT to `take`. text: text of a NAME or MODULE, which is passed
 * once it is complete. */
void proa_follow_read(struct proa_follow *follow,
                      void (*take)(void *user, const struct proa_trace_record *record,
                                   const char *text),
                      void *user);

#endif
