/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the engine that are recorded beside the program's calls (trace/format.h). Callable from
 * any thread. */
#ifndef PROA_TRACE_ENGINE_H
#define PROA_TRACE_ENGINE_H

#include "base/calls.h"
#include "trace/recorder.h"

/* An operation of another node was applied here, starting at the ticks `begin`. rank: its origin.
 * number: its position among the operations that the origin sent. place: displacement in the
 * window. bytes: bytes in this process's part. */
struct proa_trace_applied {
    uint32_t window;
    int rank;
    enum proa_call call; /* MPI_Put for all its forms, and so on */
    uint64_t place, bytes, number, begin;
};
void proa_trace_put_applied(const struct proa_trace_applied *applied);

/* Records a message between this process and that of `rank`. kind: PROA_TRACE_SENT or
 * PROA_TRACE_RECEIVED. of: enum proa_wire_kind. number: number of its batch. */
void proa_trace_put_message(enum proa_trace_kind kind, uint32_t window, int rank, unsigned of,
                            uint64_t number, uint64_t bytes);

/* Records that `bytes` bytes of pages were moved, or moved back, since `begin`. place: address of
 * the first page. */
void proa_trace_put_moved(uint64_t place, uint64_t bytes, int is_back, uint64_t begin);

/* Sets the number of the last part of the current operation of this thread that was sent to another
 * node. */
static inline void proa_trace_sent_as(uint64_t number)
{
    struct proa_trace_thread *thread = &proa_trace_thread;

    thread->value = (number << 32) | (uint32_t)thread->value;
}

#endif
