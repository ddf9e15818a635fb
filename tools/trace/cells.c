/* SPDX-License-Identifier: BSD-3-Clause */
/* See cells.h. */
#include "cells.h"

#include "base/atomic.h"

static uint8_t kind_of(const struct proa_trace_record *cell)
{
    return proa_atomic_load(&cell->kind, PROA_ACQUIRE); /* partner: proa_trace_put */
}

/* Extracts a number of `rest` (trace/format.h). */
static uint64_t part_of(uint64_t rest, unsigned at, unsigned bits)
{
    return (rest >> at) & (((uint64_t)1 << bits) - 1);
}

/* Returns the record of a site; kind NOTHING if the chunk has no such site. */
static struct proa_trace_record at_site(const struct proa_trace_record *first, uint64_t number,
                                        uint64_t begin, uint64_t length)
{
    const struct proa_trace_site *site =
        (const struct proa_trace_site *)(const void *)(first + 1) + number - 1;
    uint8_t way;

    if (number - 1 >= PROA_TRACE_SITES || !site->what)
        return (struct proa_trace_record){.kind = PROA_TRACE_NOTHING};
    way = (uint8_t)(site->what >> PROA_TRACE_WAY_AT);
    return (struct proa_trace_record){.begin = begin,
                                      .end = begin + length,
                                      .window = (uint32_t)(site->what >> PROA_TRACE_WINDOW_AT),
                                      .call = (uint8_t)(site->what >> PROA_TRACE_CALL_AT),
                                      .epoch = (uint8_t)(site->what >> PROA_TRACE_EPOCH_AT),
                                      .mode = (uint8_t)(site->what >> PROA_TRACE_MODE_AT),
                                      .way = way == PROA_TRACE_NO_WAY ? 0 : way,
                                      .kind = way == PROA_TRACE_NO_WAY ? PROA_TRACE_CALL
                                                                       : PROA_TRACE_OPERATION,
                                      .bytes = site->bytes,
                                      .caller = site->caller};
}

/* A flush may be added meanwhile, in one store: the reader sees it or not. C11 does not order the
 * kind, as a byte, and the word that contains it. So without the word there is no record yet. */
static void expand(struct proa_cell_records *records, const struct proa_trace_record *first,
                   const struct proa_trace_brief *brief)
{
    const uint64_t rest = proa_atomic_load(&brief->rest, PROA_ACQUIRE); /* partner: the recorder */
    const uint64_t length = part_of(rest, PROA_TRACE_LENGTH_AT, PROA_TRACE_LENGTH_BITS);
    const uint64_t flush = part_of(rest, PROA_TRACE_FLUSH_AT, 8);
    struct proa_trace_record *record = &records->expanded[0];
    uint64_t begin;

    if (part_of(rest, PROA_TRACE_KIND_AT, 8) != PROA_TRACE_BRIEF) {
        records->cells = 0;
        return;
    }
    begin = first->begin + brief->since;
    *record = at_site(first, part_of(rest, PROA_TRACE_SITE_AT, 8), begin, flush == 0 ? length : 0);
    record->rank = (int16_t)part_of(rest, PROA_TRACE_RANK_AT, 16);
    if (record->kind == PROA_TRACE_CALL)
        record->value = brief->place;
    else
        record->place = brief->place;
    records->count = record->kind != PROA_TRACE_NOTHING;
    if (!records->count || flush == 0)
        return;
    records->expanded[1] = at_site(first, flush, begin + length, 0);
    records->expanded[1].rank = record->rank;
    records->count += records->expanded[1].kind != PROA_TRACE_NOTHING;
}

void proa_cell_read(struct proa_cell_records *records, const struct proa_trace_record *first,
                    const char *at, unsigned left)
{
    const struct proa_trace_record *cell = (const struct proa_trace_record *)(const void *)at;

    /* not the rest: clearing it takes longer than reading a record of four cells */
    records->cells = 1;
    records->count = 0;
    records->in_file = NULL;
    switch (kind_of(cell)) {
    case PROA_TRACE_NOTHING:
        records->cells = 0;
        return;
    case PROA_TRACE_BRIEF:
        expand(records, first, (const struct proa_trace_brief *)(const void *)at);
        return;
    case PROA_TRACE_FILL:
        return;
    case PROA_TRACE_TEXT:
        break;
    case PROA_TRACE_CHUNK:
        records->cells = PROA_TRACE_CHUNK_HEAD_CELLS;
        break;
    default:
        records->cells = PROA_TRACE_RECORD_CELLS;
    }
    records->count = records->cells <= left;
    if (!records->count)
        records->cells = left;
    records->in_file = cell;
}
