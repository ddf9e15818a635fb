/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of pending operations that other calls use. The origin buffer is read until the operation
 * is locally complete, and the result buffer is written (MPI-4.1, 13.3). Another operation or
 * message must not write to the first, nor touch the second.
 *
 * Loads and stores are compared if they are recorded (check/buffers.h). "Inside": the caller is
 * inside (order/inside.h).
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

enum { PROA_REUSE_BUFFERS = 3 /* buffers of one operation */ };

struct proa_reuse_buffer {
    const void *memory;
    uint64_t bytes; /* bytes of one piece; 0 if there are gaps */
    int64_t count;
    const struct proa_type *type; /* set only if there are gaps; the type may be freed */
    int is_result;
};

/* The buffers of an operation. */
struct proa_reuse_stage {
    struct proa_buffer_user user;
    int is_watched; /* its completion is observed, so its buffers are watched until then */
    int count, has_gaps;
    struct proa_reuse_buffer buffer[PROA_REUSE_BUFFERS];
};

/* Stage of the operation that this thread is issuing, if only one thread calls MPI. */
extern PROA_HIDDEN struct proa_reuse_stage *proa_reuse_current;
struct proa_reuse_stage *proa_reuse_of_thread(void);

static inline struct proa_reuse_stage *proa_reuse_stage(void)
{
    return proa_inside_is_single() ? proa_reuse_current : proa_reuse_of_thread();
}

/* Starts an operation of this thread. */
static inline void proa_reuse_begin(struct proa_reuse_stage *stage, struct proa_buffer_user user,
                                    int is_watched)
{
    stage->user = user;
    stage->is_watched = is_watched;
    stage->count = stage->has_gaps = 0;
}

/* Registers a buffer of the operation. Returns its size in bytes. Returns 0 if it has gaps, is
 * empty, or is not watched. */
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

/* The operation was issued: compares its buffers, and keeps them until it is complete. operation:
 * its access to the target's memory, or NULL without clocks. process: target. Inside. */
void proa_reuse_done(const struct proa_access *operation, int process);

/* As proa_buffers_complete. Inside. */
void proa_reuse_complete(const struct proa_win *win, int rank, int requested);

/* Calls `what` for each piece of a buffer. Returns 0 if there are too many pieces. */
int proa_reuse_pieces(const void *memory, int64_t count, const struct proa_type *type,
                      proa_piece_do *what, void *arg);

/* Returns true if any buffer is pending. */
int proa_reuse_any(void);

/* A call of the host loads from this buffer, or stores to it. The caller is not inside. */
void proa_reuse_call(const char *call, const void *caller, const void *memory, int64_t count,
                     MPI_Datatype datatype, int stores);

/* An access of the program itself. access: its name, such as "a load", constant. place: place of
 * the access. Inside. */
void proa_reuse_access(const char *access, const void *place, uintptr_t memory, uint64_t bytes,
                       int stores);

#endif
