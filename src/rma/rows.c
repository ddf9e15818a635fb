/* SPDX-License-Identifier: BSD-3-Clause */
/* See rows.h. */
#include "rma/rows.h"
#include "rma/combine.h"

/* ---- copying ---- */

/* The sizes of basic types get a loop that the compiler can unroll. */
#define COPY_RUNS(type)                                                       \
    for (uint64_t i = 0; i < count;                                           \
         i++, to = proa_at(to, to_stride), from = proa_at(from, from_stride)) \
        memcpy(to, from, sizeof(type));

void proa_runs_copy(char *to, int64_t to_stride, const char *from, int64_t from_stride,
                    uint64_t bytes, uint64_t count)
{
    switch (bytes) {
    case 1:
        COPY_RUNS(char)
        break;
    case 4:
        COPY_RUNS(int32_t)
        break;
    case 8:
        COPY_RUNS(int64_t)
        break;
    case 16:
        COPY_RUNS(char[16])
        break;
    default:
        for (uint64_t i = 0; i < count;
             i++, to = proa_at(to, to_stride), from = proa_at(from, from_stride))
            memcpy(to, from, bytes);
    }
}

const struct proa_rows_bounds proa_rows_all = {UINT64_MAX, UINT64_MAX, INT64_MAX};

/* How many rows of the present item, from the offset on, keep to the bounds. */
static uint64_t rows_within(const struct proa_item *item, const struct proa_rows_at *at,
                            int64_t offset, uint64_t room, const struct proa_rows_bounds *bounds)
{
    uint64_t left = item->count - at->row, fit;

    if (item->bytes == 0 || item->bytes > bounds->longest || item->bytes > room ||
        offset + (int64_t)item->bytes > bounds->end)
        return 0;
    if (left == 1)
        return 1;
    left = left < room / item->bytes ? left : room / item->bytes;
    if (bounds->end == INT64_MAX) /* then they may descend */
        return left;
    fit = (uint64_t)(bounds->end - offset - (int64_t)item->bytes) / (uint64_t)item->stride + 1;
    return left < fit ? left : fit;
}

/* Loops that are that short are copied whole if they keep to the bounds, without a division: two
 * runs of a size are a loop, so irregular types consist of such. */
enum { SHORT_LOOP = 4 };

static inline void copy_item(const struct proa_item *item, char *base, char *packed, int back)
{
    const uint64_t bytes = item->bytes, count = item->count;
    const int64_t stride = item->stride;
    char *there = proa_at(base, item->offset);

    for (uint64_t i = 0; i < count; i++, there = proa_at(there, stride), packed += bytes)
        if (back)
            proa_copy(there, packed, bytes);
        else
            proa_copy(packed, there, bytes);
}

/* Returns how many bytes; 0 if the present one is none, or not whole. */
static uint64_t copy_short_loops(const struct proa_rows *rows, struct proa_rows_at *at, char *base,
                                 char *packed, int back, uint64_t most,
                                 const struct proa_rows_bounds *bounds)
{
    const struct proa_item *item = &rows->items[at->item], *behind = &rows->items[rows->count];
    const uint64_t longest = bounds->longest;
    const int64_t end = bounds->end;
    uint64_t done = 0;

    for (; at->row == 0 && item < behind && item->count <= SHORT_LOOP; item++) {
        const uint64_t bytes = item->bytes * item->count;

        if (item->bytes > longest || bytes > most - done ||
            item->offset + (int64_t)(item->count - 1) * item->stride + (int64_t)item->bytes > end)
            break;
        copy_item(item, base, packed + done, back);
        done += bytes;
    }
    at->item = (uint32_t)(item - rows->items);
    return done;
}

/* ---- single runs of one size ---- */

static inline __attribute__((always_inline)) void even_run(char *there, char *packed,
                                                           uint64_t bytes, int back)
{
    if (back)
        memcpy(there, packed, bytes);
    else
        memcpy(packed, there, bytes);
}

#define COPY_EVEN(type)                                      \
    for (uint64_t i = 0; i < n; i++, packed += sizeof(type)) \
        even_run(proa_at(base, items[i].offset), packed, sizeof(type), back);

/* back: a constant where this is inlined. */
static inline __attribute__((always_inline)) void even_copy(const struct proa_item *items,
                                                            uint64_t n, uint64_t bytes, char *base,
                                                            char *packed, int back)
{
    switch (bytes) {
    case 4:
        COPY_EVEN(int32_t)
        break;
    case 8:
        COPY_EVEN(int64_t)
        break;
    case 16:
        COPY_EVEN(char[16])
        break;
    default:
        for (uint64_t i = 0; i < n; i++, packed += bytes)
            even_run(proa_at(base, items[i].offset), packed, bytes, back);
    }
}

/* How many from the present one on keep to the bounds. */
static uint64_t even_within(const struct proa_rows *rows, const struct proa_rows_at *at,
                            const struct proa_rows_bounds *bounds)
{
    const struct proa_item *items = &rows->items[at->item];
    uint64_t left = rows->count - at->item, fit = bounds->bytes / rows->even;

    if (rows->even > bounds->longest)
        return 0;
    left = left < fit ? left : fit;
    if (bounds->end == INT64_MAX)
        return left;
    /* else they ascend */
    while (left > 0 && items[left - 1].offset + (int64_t)rows->even > bounds->end)
        left--;
    return left;
}

static uint64_t copy_even(const struct proa_rows *rows, struct proa_rows_at *at, char *base,
                          char *packed, int back, const struct proa_rows_bounds *bounds)
{
    const struct proa_item *items = &rows->items[at->item];
    uint64_t n = even_within(rows, at, bounds);

    if (back)
        even_copy(items, n, rows->even, base, packed, 1);
    else
        even_copy(items, n, rows->even, base, packed, 0);
    at->item += (uint32_t)n;
    return n * rows->even;
}

/* ---- any ---- */

static uint64_t copy_loop(const struct proa_rows *rows, struct proa_rows_at *at, char *base,
                          char *packed, int back, uint64_t most,
                          const struct proa_rows_bounds *bounds)
{
    const struct proa_item *item = &rows->items[at->item];
    int64_t offset = proa_rows_offset(rows, at), row = (int64_t)item->bytes;
    char *there = proa_at(base, offset);
    uint64_t n = rows_within(item, at, offset, most, bounds);

    if (n == 0)
        return 0;
    if (back)
        proa_runs_copy(there, item->stride, packed, row, item->bytes, n);
    else
        proa_runs_copy(packed, row, there, item->stride, item->bytes, n);
    proa_rows_step(rows, at, n);
    return n * item->bytes;
}

uint64_t proa_rows_copy(const struct proa_rows *rows, struct proa_rows_at *at, char *base,
                        char *packed, int back, const struct proa_rows_bounds *bounds)
{
    uint64_t done = 0, bytes = 1;

    if (rows->even)
        return copy_even(rows, at, base, packed, back, bounds);
    for (; bytes && at->item < rows->count; done += bytes) {
        const uint64_t most = bounds->bytes - done;

        bytes = copy_short_loops(rows, at, base, packed + done, back, most, bounds);
        if (bytes == 0)
            bytes = copy_loop(rows, at, base, packed + done, back, most, bounds);
    }
    return done;
}

/* ---- accumulating ---- */

/* Rows that are that short are brought together in a copy, so that the loop has something to run
 * over; that much of them at a time, on the stack. */
enum { SHORT_ROW = 32, COPY_BYTES = 1024 };

/* Do they lie side by side at the origin, or in the result? */
static int is_packed(const struct proa_rows *rows, int64_t stride)
{
    return rows->count > 1 || stride == (int64_t)rows->items[0].bytes;
}

/* How far runs of so many bytes reach there, of which each has `row`. */
static int64_t reach(const struct proa_rows *rows, int64_t stride, uint64_t row, uint64_t bytes)
{
    return is_packed(rows, stride) ? (int64_t)bytes : (int64_t)(bytes / row) * stride;
}

/* rows: of `row` bytes, if they are of one loop. */
static void advance(struct proa_elements *run, const struct proa_rows *rows, uint64_t row,
                    uint64_t bytes)
{
    if (run->origin)
        run->origin = proa_at(run->origin, reach(rows, rows->origin_stride, row, bytes));
    if (run->result)
        run->result = proa_at(run->result, reach(rows, rows->result_stride, row, bytes));
}

void proa_rows_next(struct proa_elements *run, const struct proa_rows *rows,
                    struct proa_rows_at *at)
{
    uint64_t bytes = rows->items[at->item].bytes;

    advance(run, rows, bytes, bytes);
    proa_rows_step(rows, at, 1);
}

/* The packed copy holds the old elements at entry, and the new ones at return. */
static void apply_packed(const struct proa_elements *run, const struct proa_rows *rows, char *copy,
                         uint64_t row, uint64_t bytes)
{
    char origin[COPY_BYTES] __attribute__((aligned(32)));
    struct proa_elements all = *run;

    all.count = bytes / run->bytes;
    all.result = NULL;
    if (run->result && is_packed(rows, rows->result_stride))
        memcpy(run->result, copy, bytes);
    else if (run->result)
        proa_runs_copy(run->result, rows->result_stride, copy, (int64_t)row, row, bytes / row);
    if (run->origin && !is_packed(rows, rows->origin_stride)) {
        proa_runs_copy(origin, (int64_t)row, run->origin, rows->origin_stride, row, bytes / row);
        all.origin = origin;
    }
    proa_apply(&all, copy);
}

static uint64_t apply_short(struct proa_elements *run, char *base, const struct proa_rows *rows,
                            struct proa_rows_at *at, int64_t end)
{
    char copy[COPY_BYTES] __attribute__((aligned(32)));
    struct proa_rows_bounds bounds = {SHORT_ROW, COPY_BYTES, end};
    struct proa_rows_at start = *at;
    uint64_t row = rows->items[at->item].bytes;

    bounds.bytes = proa_rows_copy(rows, at, base, copy, 0, &bounds);
    if (bounds.bytes == 0)
        return 0;
    apply_packed(run, rows, copy, row, bounds.bytes);
    if (run->operation != PROA_OP_NO_OP)
        proa_rows_copy(rows, &start, base, copy, 1, &bounds);
    advance(run, rows, row, bounds.bytes);
    return bounds.bytes;
}

static uint64_t apply_long(struct proa_elements *run, char *base, const struct proa_rows *rows,
                           struct proa_rows_at *at, int64_t end)
{
    uint64_t bytes = rows->items[at->item].bytes;
    int64_t offset = proa_rows_offset(rows, at);

    if (offset + (int64_t)bytes > end)
        return 0;
    run->count = bytes / run->bytes;
    proa_apply(run, proa_at(base, offset));
    proa_rows_next(run, rows, at);
    return bytes;
}

/* All of a list of one size, in place. Origin and result lie in a row. */
static uint64_t apply_in_place(struct proa_elements *run, char *base, const struct proa_rows *rows,
                               struct proa_rows_at *at)
{
    struct proa_elements c = *run;
    uint32_t first = at->item;

    c.count = rows->even / c.bytes;
    for (; at->item < rows->count; at->item++, proa_elements_advance(&c, c.count)) {
        char *there = proa_at(base, rows->items[at->item].offset);

        if (c.result)
            proa_apply(&c, there);
        else
            c.kernel(there, c.origin, c.count);
    }
    run->origin = c.origin;
    run->result = c.result;
    return (at->item - first) * rows->even;
}

/* Rows that may have bytes in common are worked on one by one. That is the program's mistake
 * (MPI-4.1, 13.3.1), but both hosts add to such bytes as often as they are named. */
uint64_t proa_rows_apply(struct proa_elements *run, char *base, const struct proa_rows *rows,
                         struct proa_rows_at *at, int64_t end)
{
    uint64_t done = 0, bytes = 1;

    if (rows->even && !rows->apart)
        return apply_in_place(run, base, rows, at);
    for (; bytes && at->item < rows->count; done += bytes)
        bytes = rows->apart && rows->items[at->item].bytes <= SHORT_ROW
                    ? apply_short(run, base, rows, at, end)
                    : apply_long(run, base, rows, at, end);
    return done;
}

/* ---- guarding ---- */

/* Rows that are farther apart than that part of what may be held are guarded one by one. */
enum { FEW = 4 };

/* From the row at *at to the start of the one behind it, or its own end. */
static uint64_t to_next(const struct proa_rows *rows, const struct proa_rows_at *at)
{
    struct proa_rows_at next = *at;

    proa_rows_step(rows, &next, 1);
    return next.item < rows->count
               ? (uint64_t)(proa_rows_offset(rows, &next) - proa_rows_offset(rows, at))
               : rows->items[at->item].bytes;
}

/* Rows that do not ascend are guarded all at once, or not at all: the place of the next one is not
 * known. */
static int64_t guard_all(struct proa_combine *combine, struct proa_peer *owner, uint64_t key,
                         const struct proa_rows *rows, uint64_t most)
{
    uint64_t reaches = (uint64_t)(rows->high - rows->low), first = key + (uint64_t)rows->low;

    if (!proa_guard_may_cover(first, reaches, most))
        return INT64_MIN;
    if (combine->guarded.guard != PROA_GUARD_PLAIN)
        proa_guard_stripes(&combine->guarded, owner, first, reaches);
    return INT64_MAX;
}

int64_t proa_rows_guard(struct proa_combine *combine, struct proa_peer *owner, uint64_t key,
                        const struct proa_rows *rows, const struct proa_rows_at *at, uint64_t most)
{
    int64_t offset = proa_rows_offset(rows, at);
    uint64_t reaches = (uint64_t)(rows->high - offset), covered = most;

    if (!rows->ascends)
        return guard_all(combine, owner, key, rows, most);
    if (combine->guarded.guard != PROA_GUARD_PLAIN) {
        if (to_next(rows, at) > most / FEW)
            reaches = rows->items[at->item].bytes;
        covered = proa_guard_stripes(&combine->guarded, owner, key + (uint64_t)offset,
                                     reaches < most ? reaches : most);
    }
    /* an element belongs to the stripe of its first byte */
    return offset + (int64_t)(covered + combine->run.bytes - 1);
}
