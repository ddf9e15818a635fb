/* SPDX-License-Identifier: BSD-3-Clause */
/* See engine.h. */
#include "trace/engine.h"

void proa_trace_put_applied(const struct proa_trace_applied *applied)
{
    proa_trace_put(&(struct proa_trace_record){.begin = applied->begin,
                                               .end = proa_trace_ticks(),
                                               .bytes = applied->bytes,
                                               .place = applied->place,
                                               .value = applied->number,
                                               .rank = applied->rank,
                                               .window = applied->window,
                                               .call = (uint16_t)applied->call,
                                               .kind = PROA_TRACE_APPLIED});
}

void proa_trace_put_message(enum proa_trace_kind kind, uint32_t window, int rank, unsigned of,
                            uint64_t number, uint64_t bytes)
{
    const uint64_t now = proa_trace_ticks();

    proa_trace_put(&(struct proa_trace_record){.begin = now,
                                               .end = now,
                                               .bytes = bytes,
                                               .value = number,
                                               .rank = rank,
                                               .window = window,
                                               .way = (uint8_t)of,
                                               .kind = (uint8_t)kind});
}

void proa_trace_put_moved(uint64_t place, uint64_t bytes, int is_back, uint64_t begin)
{
    proa_trace_put(&(struct proa_trace_record){.begin = begin,
                                               .end = proa_trace_ticks(),
                                               .bytes = bytes,
                                               .place = place,
                                               .rank = -1,
                                               .way = (uint8_t)is_back,
                                               .kind = PROA_TRACE_MOVED});
}
