/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of operations that are not complete yet, with PROA_CHECK=memory. A program must not
 * change the origin buffer of a pending operation, nor touch its result buffer (MPI-4.1, 13.3).
 *
 * Up to four buffers at a time are watched by the processor (traps/watchpoint.h); of more, some are
 * chosen at random. Every origin buffer is compared with its state at the call when it is complete,
 * so a store is found in any case, though without its place. Results are kept back until then, so
 * that an early reader does not see them by luck; not those of request forms, as no call tells for
 * which of them it is complete.
 *
 * Only buffers of one piece are watched. All functions are safe from any thread, and do nothing
 * until proa_buffers_start.
 */
#ifndef PROA_CHECK_BUFFERS_H
#define PROA_CHECK_BUFFERS_H

#include "base/calls.h"
#include "traps/trap.h"
#include "window/win.h"

#include <stdint.h>

void proa_buffers_start(void);

/* An operation, as these functions need it. rank: its target; caller: its return address. */
struct proa_buffer_user {
    const struct proa_win *win;
    enum proa_call call;
    int rank;
    int is_requested; /* it has a request */
    const void *caller;
};

/* A call of this thread begins. */
void proa_buffers_begin(void);

/* An operation begins with this result buffer. Returns where the engine has to put the result. */
void *proa_buffers_result(const struct proa_buffer_user *user, void *result, uint64_t bytes);

/* The same with this origin buffer. */
void proa_buffers_origin(const struct proa_buffer_user *user, const void *origin, uint64_t bytes);

/* The operation that this thread has begun is over, and its buffers are pending from now on if it
 * was accepted. */
void proa_buffers_done(int is_accepted);

/* Operations on the window with that target, or with all for rank < 0, are complete: those that
 * were done before this thread's call began. NULL: of all windows. requested: those with requests
 * alone, whenever they were done. */
void proa_buffers_complete(const struct proa_win *win, int rank, int requested);

/* A watchpoint was hit. 1: it is of a buffer, or of one that is complete; 0: it is not. */
int proa_buffers_hit(const struct proa_trap_hit *hit);

/* Tells that a call, or an access, at that place touches a buffer of a pending operation; place
 * NULL: it is not known where. */
void proa_buffers_tell(const struct proa_buffer_user *user, int is_result, const char *access,
                       const void *place);

/* Those bytes were changed by a call that was told of: the comparison at the end need not tell of
 * it again. */
void proa_buffers_excuse(const void *behind, uint64_t bytes);

/* How many buffers were not watched: they were too many, or too large. */
uint64_t proa_buffers_left_out(void);

#endif
