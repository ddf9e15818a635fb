/* SPDX-License-Identifier: BSD-3-Clause */
/* Put and get off the fast path: waiting for a post, derived types, cma, regions that have
 * not been found yet, errors. */
#include "rma/op.h"
#include "base/fail.h"
#include "rma/begin.h"
#include "rma/road.h"
#include "window/strict.h"

enum { TARGET, ORIGIN, SIDES };

/* An operation in progress. */
struct move {
    struct proa_win *win;
    int rank;
    char *origin;
    struct proa_place place;
    struct proa_carry carry;
};

static struct proa_runs runs_of(const struct move *move, const struct proa_stretch *s)
{
    return (struct proa_runs){.position = move->place.at + (uint64_t)s->offset[TARGET],
                              .stride = s->stride[TARGET],
                              .origin = proa_at(move->origin, s->offset[ORIGIN]),
                              .origin_stride = s->stride[ORIGIN],
                              .bytes = s->bytes,
                              .count = s->count};
}

/* How many of the runs, from the first on, lie in the span. */
static uint64_t runs_in(const struct proa_span *span, const struct proa_runs *runs)
{
    uint64_t behind, fit;

    if (!proa_span_holds(span, runs->position, runs->bytes))
        return 0;
    behind = span->end - runs->position - runs->bytes;
    fit = runs->stride <= 0 ? 1 : behind / (uint64_t)runs->stride + 1;
    return fit < runs->count ? fit : runs->count;
}

/* Over several spans: those together that lie in the same, which is the last one mostly. */
static int move_scattered(struct move *move, const struct proa_runs *all)
{
    struct proa_span *span = &move->place.span;
    struct proa_runs runs = *all;
    uint64_t left = all->count;
    int error = PROA_OK;

    for (; left > 0 && !error; left -= runs.count) {
        runs.count = left;
        if (!proa_span_holds(span, runs.position, 1))
            error = proa_span_find(move->win, &move->win->targets[move->rank], runs.position,
                                   runs.bytes, span);
        if (error)
            break;
        runs.count = runs_in(span, &runs);
        if (runs.count > 0) {
            error = proa_carry_runs(&move->carry, span, &runs);
        } else {
            runs.count = 1;
            error = proa_carry_bytes(&move->carry, runs.position, runs.origin, runs.bytes);
        }
        runs.position += (uint64_t)((int64_t)runs.count * runs.stride);
        runs.origin = proa_at(runs.origin, (int64_t)runs.count * runs.origin_stride);
    }
    return error;
}

/* The next piece of the layout, if it is a list on either side. */
static int next_list(const struct move *move, struct proa_walk *walk, struct proa_listed *listed)
{
    struct proa_list list;

    listed->at_origin = !proa_walk_list(walk, TARGET, &list);
    if (listed->at_origin && !proa_walk_list(walk, ORIGIN, &list))
        return 0;
    listed->rows = proa_rows_of_list(&list);
    listed->position = move->place.at + (uint64_t)list.offset[TARGET];
    listed->origin = proa_at(move->origin, list.offset[ORIGIN]);
    return 1;
}

static int move_next(struct move *move, struct proa_walk *walk, int *more)
{
    struct proa_stretch stretch;
    struct proa_listed listed;
    struct proa_runs runs;

    if ((proa_walk_may_list(walk, TARGET) || proa_walk_may_list(walk, ORIGIN)) &&
        !move->place.scattered && next_list(move, walk, &listed))
        return proa_carry_list(&move->carry, &move->place.span, &listed);
    *more = proa_walk_next(walk, &stretch);
    if (!*more)
        return PROA_OK;
    runs = runs_of(move, &stretch);
    return move->place.scattered ? move_scattered(move, &runs)
                                 : proa_carry_runs(&move->carry, &move->place.span, &runs);
}

static int move_layouts(struct move *move, struct proa_walk *walk, enum proa_direction direction)
{
    int more = 1, error = PROA_OK;

    proa_carry_begin(&move->carry, move->win, move->rank, direction == PROA_PUT);
    while (more && !error)
        error = move_next(move, walk, &more);
    return error ? error : proa_carry_end(&move->carry);
}

static int move(struct proa_win *win, const struct proa_buffer *origin,
                const struct proa_there *there, enum proa_direction direction)
{
    struct move move;
    const struct proa_type *types[SIDES] = {[TARGET] = there->type, [ORIGIN] = origin->type};
    const uint64_t counts[SIDES] = {[TARGET] = there->count, [ORIGIN] = origin->count};
    struct proa_walk walk;
    int error = proa_check_types(origin, there, "origin");

    if (!error && proa_there_bytes(there) == 0)
        return proa_begin(win, there->rank);
    if (!error)
        error = proa_begin_at(win, there, &move.place);
    if (!error)
        error = proa_walk_begin(&walk, SIDES, types, counts, 0);
    if (error)
        return error;
    if (direction == PROA_PUT)
        proa_touch_store(win);
    else
        proa_touch_load(win);
    move.win = win;
    move.rank = there->rank;
    move.origin = origin->address;
    error = move_layouts(&move, &walk, direction);
    proa_walk_end(&walk);
    return error;
}

/* An origin that is shorter than its target: both hosts put the data that it has, if both lie in a
 * row, and get nothing where it has none. Makes *there as long as the origin; move judges all other
 * cases. */
static int shorten(struct proa_win *win, const struct proa_buffer *origin,
                   enum proa_direction direction, struct proa_there *there)
{
    const struct proa_type *type = there->type;
    uint64_t bytes, target_bytes;

    if (origin->type->trouble || type->trouble || !origin->type->dense || !type->dense ||
        type->size == 0 || __builtin_mul_overflow(origin->count, origin->type->size, &bytes) ||
        __builtin_mul_overflow(there->count, type->size, &target_bytes))
        return PROA_OK;
    if (bytes >= target_bytes || bytes % type->size || (direction == PROA_GET && bytes))
        return PROA_OK;
    there->count = bytes / type->size;
    return proa_lax(win, PROA_LAX_SHORT, PROA_ERR_TYPE, there->call,
                    "the origin side is %llu bytes, the target side %llu",
                    (unsigned long long)bytes, (unsigned long long)target_bytes);
}

static inline int move_shortened(struct proa_win *win, const struct proa_buffer *origin,
                                 const struct proa_there *there, enum proa_direction direction)
{
    struct proa_there shorter = *there;
    int error = shorten(win, origin, direction, &shorter);

    return error ? error : move(win, origin, &shorter, direction);
}

int proa_put(struct proa_win *win, const struct proa_buffer *origin, const struct proa_there *there)
{
    return move_shortened(win, origin, there, PROA_PUT);
}

int proa_get(struct proa_win *win, const struct proa_buffer *origin, const struct proa_there *there)
{
    return move_shortened(win, origin, there, PROA_GET);
}
