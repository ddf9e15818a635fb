/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of pending operations that other calls use: the origin buffer is read until the operation
 * is locally complete, and the result buffer is written (MPI-4.1, 13.3). So another operation or a
 * message must not write to the first, nor touch the second.
 *
 * Loads and stores count where they are seen (check/buffers.h). "Inside" is that of order/inside.h.
 */
#ifndef PROA_CHECK_REUSE_H
#define PROA_CHECK_REUSE_H

#include "base/hidden.h"
#include "check/buffers.h"
#include "host/types.h"
#include "order/accesses.h"
#include "order/inside.h"
#include "type/pieces.h"

#include <mpi.h>
#include <stdint.h>

enum { PROA_REUSE_BUFFERS = 3 /* of one operation */ };

struct proa_reuse_buffer {
    const void *memory;
    uint64_t bytes; /* of one piece; 0: there are gaps */
    int64_t count;
    const struct proa_type *type; /* only if there are gaps: it may be freed */
    int is_result;
};

/* The buffers of an operation. */
struct proa_reuse_stage {
    struct proa_buffer_user user;
    int is_watched; /* its end is seen, so its buffers are followed until then */
    int count, has_gaps;
    struct proa_reuse_buffer buffer[PROA_REUSE_BUFFERS];
};

/* Those of the operation of this thread that has begun; of the only thread that calls. */
extern PROA_HIDDEN struct proa_reuse_stage *proa_reuse_current;
struct proa_reuse_stage *proa_reuse_of_thread(void);

static inline struct proa_reuse_stage *proa_reuse_stage(void)
{
    return proa_inside_is_single() ? proa_reuse_current : proa_reuse_of_thread();
}

/* An operation of this thread begins: this one. */
static inline void proa_reuse_begin(struct proa_reuse_stage *stage, struct proa_buffer_user user,
                                    int is_watched)
{
    stage->user = user;
    stage->is_watched = is_watched;
    stage->count = stage->has_gaps = 0;
}

/* It has this buffer. Returns the bytes of one without gaps; 0: it has gaps, or is empty, or is not
 * watched. */
static inline uint64_t proa_reuse_buffer(struct proa_reuse_stage *stage, const void *memory,
                                         int64_t count, MPI_Datatype datatype, int is_result)
{
    const struct proa_type *type = count > 0 && stage->is_watched ? proa_type_find(datatype) : NULL;
    uint64_t bytes;

    if (!type || type->size == 0)
        return 0;
    bytes = type->dense ? (uint64_t)count * type->size : 0;
    stage->has_gaps |= bytes == 0;
    if (stage->count < PROA_REUSE_BUFFERS)
        stage->buffer[stage->count++] =
            (struct proa_reuse_buffer){memory, bytes, count, type, is_result};
    return bytes;
}

/* It was done: its buffers are compared, and kept until it is complete. Inside. operation: its
 * access to that process's memory; NULL: there are no clocks. */
void proa_reuse_done(const struct proa_access *operation, int process);

/* As proa_buffers_complete. Inside. */
void proa_reuse_complete(const struct proa_win *win, int rank, int requested);

/* Calls `what` for each piece of a buffer. 0: there are too many. */
int proa_reuse_pieces(const void *memory, int64_t count, const struct proa_type *type,
                      proa_piece_do *what, void *arg);

/* Are any buffers pending? */
int proa_reuse_any(void);

/* A call of the host's loads from this buffer, or stores to it. Not inside. */
void proa_reuse_call(const char *call, const void *caller, const void *memory, int64_t count,
                     MPI_Datatype datatype, int stores);

/* An access of the program's own at that place; access: "a load" and so on, constant. Inside. */
void proa_reuse_access(const char *access, const void *place, uintptr_t memory, uint64_t bytes,
                       int stores);

#endif
