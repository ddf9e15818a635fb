/* SPDX-License-Identifier: BSD-3-Clause */
/* The road of load and store, to memory that is mapped here. See road.h. */
#include "rma/road_store.h"
#include "base/fail.h"

/* ---- put and get ---- */

static int move(struct proa_carry *carry, const struct proa_span *span,
                const struct proa_runs *runs)
{
    char *target = proa_span_here(span, runs->position);

    if (carry->put)
        proa_runs_copy(target, runs->stride, runs->origin, runs->origin_stride, runs->bytes,
                       runs->count);
    else
        proa_runs_copy(runs->origin, runs->origin_stride, target, runs->stride, runs->bytes,
                       runs->count);
    return PROA_OK;
}

static int move_list(struct proa_carry *carry, const struct proa_span *span,
                     const struct proa_listed *listed)
{
    char *target = proa_span_here(span, listed->position),
         *base = listed->at_origin ? listed->origin : target,
         *packed = listed->at_origin ? target : listed->origin;

    proa_rows_copy(&listed->rows, &(struct proa_rows_at){0, 0}, base, packed,
                   carry->put != listed->at_origin, &proa_rows_all);
    return PROA_OK;
}

/* ---- accumulates ---- */

void proa_store_striped(const struct proa_elements *run, struct proa_peer *owner, uint64_t key,
                        char *at, struct proa_guarded *guarded)
{
    struct proa_elements c = *run;

    for (uint64_t done = 0; done < run->count;
         done += c.count, proa_elements_advance(&c, c.count)) {
        uint64_t left = (run->count - done - 1) * c.bytes + 1; /* to the last one's first byte */

        c.count = proa_guard_elements(guarded, owner, key + done * c.bytes, c.bytes,
                                      run->count - done, left);
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

/* A row that goes over more than is guarded at a time. */
static void combine_long_row(struct proa_combine *c, const struct proa_span *span, uint64_t key,
                             char *base, const struct proa_rows *rows, struct proa_rows_at *at)
{
    int64_t offset = proa_rows_offset(rows, at);

    c->run.count = rows->items[at->item].bytes / c->run.bytes;
    proa_store_striped(&c->run, span->owner, key + (uint64_t)offset, proa_at(base, offset),
                       &c->guarded);
    proa_rows_next(&c->run, rows, at);
}

/* The number of rows in any order that are guarded at a time: many, as most of them share their
 * stripe with others then. */
enum { ROWS_AT_ONCE = 1024 };

/* Some that have one size, and do not ascend. */
static void combine_scattered(struct proa_combine *c, const struct proa_span *span, uint64_t key,
                              char *base, const struct proa_rows *rows, struct proa_rows_at *at)
{
    struct proa_stripe_set set = {{0}};
    struct proa_rows some = *rows;

    some.items += at->item;
    some.count = rows->count - at->item < ROWS_AT_ONCE ? rows->count - at->item : ROWS_AT_ONCE;
    for (uint32_t i = 0; i < some.count; i++) { /* by the elements' first bytes */
        uint64_t first = key + (uint64_t)some.items[i].offset;

        proa_guard_set_add(&set, first);
        proa_guard_set_add(&set, first + rows->even - c->run.bytes);
    }
    proa_guard_leave(&c->guarded);
    proa_guard_set_take(span->owner->ctl, &set);
    proa_rows_apply(&c->run, base, &some, &(struct proa_rows_at){0, 0}, INT64_MAX);
    proa_guard_set_give(span->owner->ctl, &set);
    at->item += some.count;
}

/* Those that could not be guarded together. */
static void combine_singly(struct proa_combine *c, const struct proa_span *span, uint64_t key,
                           char *base, const struct proa_rows *rows, struct proa_rows_at *at)
{
    int is_scattered = !rows->ascends && rows->even && rows->even <= PROA_STRIPE_BYTES;

    (is_scattered ? combine_scattered : combine_long_row)(c, span, key, base, rows, at);
}

/* All of them are guarded as aligned ones are, which is right for the others too: so many elements
 * go under stripes, or no other process has access. */
static int combine_rows(struct proa_combine *c, const struct proa_span *span, uint64_t position,
                        const struct proa_rows *rows, struct proa_rows_at *at)
{
    uint64_t key = proa_span_key(span, position);
    char *base = proa_span_here(span, position);
    int64_t inside = rows->ascends ? (int64_t)(span->end - position) : INT64_MAX, end = inside;

    proa_guard_enter(c->win, c->rank, span, 0, c->total, c->run.bytes, &c->guarded);
    while (at->item < rows->count && proa_rows_row_end(rows, at) <= inside) {
        if (c->guarded.guard != PROA_GUARD_PLAIN)
            end = proa_rows_guard(c, span->owner, key, rows, at, PROA_GUARD_AT_ONCE);
        if (end == INT64_MIN ||
            !proa_rows_apply(&c->run, base, rows, at, end < inside ? end : inside))
            combine_singly(c, span, key, base, rows, at);
    }
    return PROA_OK;
}

const struct proa_road proa_road_store = {
    .move = move, .move_list = move_list, .combine = combine, .combine_rows = combine_rows};
