/* SPDX-License-Identifier: BSD-3-Clause */
/* What the engine records beside the calls of the program (trace/format.h). Of any thread. */
#ifndef PROA_TRACE_ENGINE_H
#define PROA_TRACE_ENGINE_H

#include "base/calls.h"
#include "trace/recorder.h"

/* An operation of another node was done here, from the ticks `begin` on: of that origin's rank, the
 * number-th of those that it has sent. place: in the window; bytes: of this process's part. */
struct proa_trace_applied {
    uint32_t window;
    int rank;
    enum proa_call call; /* MPI_Put for all forms of it, and so on */
    uint64_t place, bytes, number, begin;
};
void proa_trace_put_applied(const struct proa_trace_applied *applied);

/* A message to (kind PROA_TRACE_SENT) or from (PROA_TRACE_RECEIVED) the process of that rank; of:
 * enum proa_wire_kind; number: of its batch. */
void proa_trace_put_message(enum proa_trace_kind kind, uint32_t window, int rank, unsigned of,
                            uint64_t number, uint64_t bytes);

/* `bytes` bytes in the pages from that address on have moved, or are back, since `begin`. */
void proa_trace_put_moved(uint64_t place, uint64_t bytes, int is_back, uint64_t begin);

/* Of the operation that this thread issues: the number of the last part that it has sent to another
 * node. */
static inline void proa_trace_sent_as(uint64_t number)
{
    struct proa_trace_thread *thread = &proa_trace_thread;

    thread->value = (number << 32) | (uint32_t)thread->value;
}

#endif
