/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of operations that are not complete yet, with PROA_CHECK=memory. A program must not
 * change the origin buffer of a pending operation, nor touch its result buffer (MPI-4.1, 13.3). So
 * they are watched (translator/translator.h) until the operation is complete; check/reuse.h
 * compares what has touched them.
 *
 * The caller is inside (order/inside.h).
 */
#ifndef PROA_CHECK_BUFFERS_H
#define PROA_CHECK_BUFFERS_H

#include "base/calls.h"
#include "window/win.h"

#include <stdint.h>

/* Nothing is watched before. */
void proa_buffers_start(void);

/* An operation, as these functions need it. rank: its target; caller: its return address. */
struct proa_buffer_user {
    const struct proa_win *win;
    enum proa_call call;
    int rank;
    int is_requested; /* it has a request */
    const void *caller;
    struct proa_payload payload; /* once it was done */
};

/* The operation has begun, and is pending with this buffer. */
void proa_buffers_watch(const struct proa_buffer_user *user, const void *memory, uint64_t bytes,
                        int is_result);

/* Operations on the window with that target, or with all for rank < 0, are complete. NULL: of all
 * windows. requested: those with requests alone. */
void proa_buffers_complete(const struct proa_win *win, int rank, int requested);

/* Reports that a call, or an access, at that place touches a buffer of a pending operation.
 * payload: of an operation. */
void proa_buffers_tell(const struct proa_buffer_user *user, int is_result, const char *access,
                       const void *place, struct proa_payload payload);

/* How many buffers were not watched, as there were too many. */
uint64_t proa_buffers_left_out(void);

#endif
