/* SPDX-License-Identifier: BSD-3-Clause */
/* See cells.h. */
#include "cells.h"

#include "base/atomic.h"

static uint8_t kind_of(const struct proa_trace_short *cell)
{
    return proa_atomic_load(&cell->kind, PROA_ACQUIRE); /* partner: proa_trace_put */
}

static void expand(struct proa_cell_records *records, uint64_t chunk_caller,
                   const struct proa_trace_short *from, uint8_t kind)
{
    const int is_call = kind == PROA_TRACE_SHORT_CALL;
    const int is_flushed = kind == PROA_TRACE_FLUSHED_OPERATION;
    struct proa_trace_record *record = &records->expanded[0], *flush = &records->expanded[1];

    *record = (struct proa_trace_record){.begin = from->begin,
                                         .end = from->begin + (is_flushed ? 0 : from->length),
                                         .rank = from->rank,
                                         .window = from->window,
                                         .call = from->call,
                                         .way = is_flushed ? 0 : from->way,
                                         .mode = is_flushed ? 0 : from->mode,
                                         .epoch = from->epoch,
                                         .kind = is_call ? PROA_TRACE_CALL : PROA_TRACE_OPERATION,
                                         .bytes = from->bytes,
                                         .place = is_call ? 0 : from->place,
                                         .value = is_call ? from->place : 0,
                                         .caller = chunk_caller + (uint64_t)(int64_t)from->caller};
    records->count = 1;
    if (!is_flushed)
        return;
    *flush = (struct proa_trace_record){.begin = from->begin + from->length,
                                        .end = from->begin + from->length,
                                        .rank = from->rank,
                                        .window = from->window,
                                        .call = from->flush,
                                        .epoch = from->epoch,
                                        .kind = PROA_TRACE_CALL,
                                        .caller =
                                            record->caller + (uint64_t)(int64_t)from->flush_caller};
    records->count = 2;
}

/* All but the flush, which is read last. */
static struct proa_trace_short copy_of(const struct proa_trace_short *cell)
{
    return (struct proa_trace_short){
        .begin = cell->begin,
        .caller = cell->caller,
        .place = cell->place,
        .bytes = cell->bytes,
        .rank = cell->rank,
        .window = cell->window,
        .call = cell->call,
        .epoch = cell->epoch,
        .length = proa_atomic_load(&cell->length, PROA_RELAXED),
        .flush_caller = proa_atomic_load(&cell->flush_caller, PROA_RELAXED),
    };
}

/* The operation may become a flushed one meanwhile (proa_trace_flush): one that was not timed. */
static void read_short(struct proa_cell_records *records, uint64_t chunk_caller,
                       const struct proa_trace_short *cell, uint8_t kind)
{
    struct proa_trace_short copy = copy_of(cell);

    proa_atomic_fence(PROA_ACQUIRE);
    copy.flush = proa_atomic_load(&cell->flush, PROA_RELAXED);
    if (kind == PROA_TRACE_SHORT_OPERATION && copy.flush)
        copy.length = 0, copy.flush_caller = 0;
    expand(records, chunk_caller, &copy, kind);
    records->cells = 1;
}

void proa_cell_read(struct proa_cell_records *records, const struct proa_trace_record *first,
                    const char *at, unsigned left)
{
    const struct proa_trace_short *cell = (const struct proa_trace_short *)(const void *)at;
    const uint8_t kind = kind_of(cell);

    records->in_file = NULL;
    records->cells = records->count = 0;
    switch (kind) {
    case PROA_TRACE_NOTHING:
        return;
    case PROA_TRACE_SHORT_CALL:
    case PROA_TRACE_SHORT_OPERATION:
    case PROA_TRACE_FLUSHED_OPERATION:
        read_short(records, first->caller, cell, kind);
        return;
    case PROA_TRACE_FILL:
        records->cells = 1;
        return;
    case PROA_TRACE_TEXT:
        records->cells = records->count = 1;
        break;
    default:
        records->cells = left < 2 ? left : 2;
        records->count = records->cells == 2;
    }
    records->in_file = (const struct proa_trace_record *)(const void *)at;
}
