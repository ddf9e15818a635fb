/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of pending operations, with PROA_CHECK=memory. A program must not change the origin
 * buffer of a pending operation, nor access its result buffer (MPI-4.1, 13.3). The buffers are
 * therefore watched (translator/translator.h) until the operation is complete; check/reuse.h
 * compares the accesses with them.
 *
 * The caller is inside (order/inside.h).
 */
#ifndef PROA_CHECK_BUFFERS_H
#define PROA_CHECK_BUFFERS_H

#include "base/calls.h"
#include "window/win.h"

#include <stdint.h>

/* Starts watching; before this call no buffer is watched. */
void proa_buffers_start(void);

/* An operation that uses a buffer. rank: target. caller: return address of the call. */
struct proa_buffer_user {
    const struct proa_win *win;
    enum proa_call call;
    int rank;
    int is_requested; /* it has a request */
    const void *caller;
    struct proa_payload payload; /* set after the operation was issued */
};

/* Starts watching a buffer of an operation that was issued and is pending. */
void proa_buffers_watch(const struct proa_buffer_user *user, const void *memory, uint64_t bytes,
                        int is_result);

/* Operations on the window are complete. win: window, or NULL for all. rank: target, or < 0 for
 * all. requested: true for operations with requests only. */
void proa_buffers_complete(const struct proa_win *win, int rank, int requested);

/* Reports a call or an access that touches a buffer of a pending operation. place: place of the
 * call or access. payload: payload of the call, if it is an operation. */
void proa_buffers_tell(const struct proa_buffer_user *user, int is_result, const char *access,
                       const void *place, struct proa_payload payload);

/* Returns the number of buffers that were not watched because the limit was reached. */
uint64_t proa_buffers_left_out(void);

#endif
