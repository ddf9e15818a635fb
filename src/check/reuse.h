/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of pending operations that other calls use: the origin buffer is read until the operation
 * is locally complete, and the result buffer is written (MPI-4.1, 13.3). So another operation or a
 * message must not write to the first, nor touch the second.
 *
 * Calls count, not loads and stores (check/buffers.h). "Inside" is that of order/inside.h.
 */
#ifndef PROA_CHECK_REUSE_H
#define PROA_CHECK_REUSE_H

#include "check/buffers.h"
#include "type/pieces.h"

#include <mpi.h>
#include <stdint.h>

/* An operation of this thread begins. */
void proa_reuse_begin(void);

/* It has this buffer. Returns the bytes of one without gaps; 0: it has gaps, or is empty. */
uint64_t proa_reuse_buffer(const struct proa_buffer_user *user, const void *memory, int64_t count,
                           MPI_Datatype datatype, int is_result);

/* Calls `what` for each piece of its buffers, with the engine's address. Inside. */
typedef void proa_reuse_do(void *arg, int64_t low, uint64_t bytes, int is_result);
void proa_reuse_each(proa_reuse_do *what, void *arg);

/* It was done: its buffers are compared, and kept until it is complete. Inside. */
void proa_reuse_done(void);

/* As proa_buffers_complete. Inside. */
void proa_reuse_complete(const struct proa_win *win, int rank, int requested);

/* Calls `what` for each piece of a buffer, with the engine's address. 0: there are too many. */
int proa_reuse_pieces(const void *memory, int64_t count, const struct proa_type *type,
                      proa_piece_do *what, void *arg);

/* Are any buffers pending? */
int proa_reuse_any(void);

/* A call of the host's loads from this buffer, or stores to it. Not inside. */
void proa_reuse_call(const char *call, const void *caller, const void *memory, int64_t count,
                     MPI_Datatype datatype, int stores);

/* Would an access of the program's own touch a pending buffer? Safe in handlers of signals: 0, too,
 * if another thread looks just now. */
int proa_reuse_touches(const void *memory, size_t bytes, int stores);

/* There was such an access at that place; access: "a load" and so on, constant; memory: the
 * engine's address. Inside. */
void proa_reuse_access(const char *access, const void *place, uintptr_t memory, uint64_t bytes,
                       int stores);

#endif
