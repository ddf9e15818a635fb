/* SPDX-License-Identifier: BSD-3-Clause */
/* The roads of load and store, to memory that is mapped here. See road.h. */
#include "core/road_store.h"
#include "base/fail.h"

/* ---- put and get ---- */

/* Runs of one size at regular distances: the sizes of basic types get a loop that the compiler can
 * unroll. */
#define COPY_RUNS(type)                                                       \
    for (uint64_t i = 0; i < count;                                           \
         i++, to = proa_at(to, to_stride), from = proa_at(from, from_stride)) \
        memcpy(to, from, sizeof(type));

static void copy_runs(char *to, int64_t to_stride, const char *from, int64_t from_stride,
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

static int move(struct proa_carry *carry, const struct proa_span *span,
                const struct proa_runs *runs)
{
    char *target = proa_span_here(span, runs->position);

    if (carry->put)
        copy_runs(target, runs->stride, runs->origin, runs->origin_stride, runs->bytes,
                  runs->count);
    else
        copy_runs(runs->origin, runs->origin_stride, target, runs->stride, runs->bytes,
                  runs->count);
    return PROA_OK;
}

/* ---- accumulates ---- */

/* Stripes are taken several at a time: each of these atomics waits for all stores before it. But
 * few, as others wait for them meanwhile. */
enum { AT_ONCE = 4 * PROA_STRIPE_BYTES };

void proa_store_striped(const struct proa_elements *run, struct proa_peer *owner, uint64_t key,
                        char *at, struct proa_guarded *guarded)
{
    struct proa_elements c = *run;

    for (uint64_t done = 0; done < run->count;
         done += c.count, proa_elements_advance(&c, c.count)) {
        uint64_t left = (run->count - done - 1) * c.bytes + 1; /* to the last one's first byte */

        c.count = proa_guard_elements(guarded, owner, key + done * c.bytes, c.bytes,
                                      run->count - done, left < AT_ONCE ? left : AT_ONCE);
        proa_apply(&c, at + done * c.bytes);
    }
}

static int combine(struct proa_combine *combine, const struct proa_span *span, uint64_t position)
{
    const struct proa_elements *run = &combine->run;
    uint64_t key = proa_span_key(span, position);
    char *at = proa_span_here(span, position);

    proa_guard_enter(combine->win, combine->rank, span, key, combine->total, run->bytes,
                     &combine->guarded);
    switch (combine->guarded.guard) {
    case PROA_GUARD_PLAIN:
        proa_apply(run, at);
        break;
    case PROA_GUARD_ATOMICS:
        (proa_is_padded(run->basic) ? proa_apply_atomic_fields : proa_apply_atomic)(run, at);
        break;
    default:
        proa_store_striped(run, span->owner, key, at, &combine->guarded);
    }
    return PROA_OK;
}

/* ---- accumulates on derived types ---- */

/* Rows that are that short are brought together in a copy, so that the loop has something to run
 * over; that much of them at a time, on the stack. */
enum { SHORT_ROW = 32, COPY_BYTES = 512, FEW = 4 };

static void rows_in_copy(const struct proa_elements *run, char *at, const struct proa_rows *rows,
                         uint64_t count)
{
    char copy[COPY_BYTES] __attribute__((aligned(32))),
        origin[COPY_BYTES] __attribute__((aligned(32)));
    struct proa_elements all = *run;
    uint64_t row = run->count * run->bytes;

    all.count *= count;
    all.result = NULL;
    copy_runs(copy, (int64_t)row, at, rows->stride, row, count);
    if (run->result)
        copy_runs(run->result, rows->result_stride, copy, (int64_t)row, row, count);
    if (run->origin && rows->origin_stride != (int64_t)row) {
        copy_runs(origin, (int64_t)row, run->origin, rows->origin_stride, row, count);
        all.origin = origin;
    }
    if (run->operation == PROA_OP_NO_OP)
        return;
    proa_apply(&all, copy);
    copy_runs(at, rows->stride, copy, (int64_t)row, row, count);
}

static void rows_in_place(const struct proa_elements *run, char *at, const struct proa_rows *rows,
                          uint64_t count)
{
    struct proa_elements c = *run;

    for (uint64_t i = 0; i < count; i++, at += rows->stride, proa_elements_next_row(&c, rows, 1))
        proa_apply(&c, at);
}

/* Are they worth it, and all aligned, and so guarded, alike? */
static int are_alike(const struct proa_elements *run, const struct proa_rows *rows)
{
    return rows->count >= FEW && rows->stride <= AT_ONCE / FEW &&
           (uint64_t)rows->stride % run->bytes == 0;
}

static int rows_by_themselves(struct proa_combine *c, const struct proa_span *span,
                              uint64_t position, const struct proa_rows *rows)
{
    for (uint64_t i = 0; i < rows->count; i++, position += (uint64_t)rows->stride) {
        combine(c, span, position);
        proa_elements_next_row(&c->run, rows, 1);
    }
    return PROA_OK;
}

/* How many of the rows, of which the first is guarded, are worked on at once; 0: it by itself. */
static uint64_t rows_at_once(struct proa_combine *combine, struct proa_peer *owner, uint64_t key,
                             const struct proa_rows *rows)
{
    uint64_t row = combine->run.count * combine->run.bytes, fit;

    if (combine->guarded.guard == PROA_GUARD_ATOMICS)
        return 0;
    fit = proa_combine_rows_guarded(combine, owner, key, rows, AT_ONCE);
    return row <= SHORT_ROW && fit > COPY_BYTES / row ? COPY_BYTES / row : fit;
}

static int combine_rows(struct proa_combine *c, const struct proa_span *span, uint64_t position,
                        const struct proa_rows *all)
{
    struct proa_rows rows = *all;
    uint64_t count, row = c->run.count * c->run.bytes;

    if (!are_alike(&c->run, all))
        return rows_by_themselves(c, span, position, all);
    for (; rows.count > 0; rows.count -= count, position += count * (uint64_t)rows.stride,
                           proa_elements_next_row(&c->run, &rows, count)) {
        uint64_t key = proa_span_key(span, position);
        char *at = proa_span_here(span, position);

        proa_guard_enter(c->win, c->rank, span, key, c->total, c->run.bytes, &c->guarded);
        count = rows_at_once(c, span->owner, key, &rows);
        if (count)
            (row <= SHORT_ROW ? rows_in_copy : rows_in_place)(&c->run, at, &rows, count);
        else
            combine(c, span, position);
        count = count ? count : 1;
    }
    return PROA_OK;
}

const struct proa_road proa_road_store = {
    .atomics = 1, .move = move, .combine = combine, .combine_rows = combine_rows};
const struct proa_road proa_road_adopted = {
    .atomics = 1, .move = move, .combine = combine, .combine_rows = combine_rows};
const struct proa_road proa_road_own = {
    .atomics = 0, .move = move, .combine = combine, .combine_rows = combine_rows};
