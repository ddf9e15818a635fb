/* SPDX-License-Identifier: BSD-3-Clause */
/* Put and get off the fast path: waiting for a post, derived types, CMA, regions not found yet,
 * errors. */
#include "rma/op.h"
#include "base/fail.h"
#include "rma/place.h"
#include "rma/road.h"
#include "type/walk.h"
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
    return (struct proa_runs){.count = s->count,
                              .bytes = s->bytes,
                              .position = move->place.at + (uint64_t)s->offset[TARGET],
                              .stride = s->stride[TARGET],
                              .origin = proa_at(move->origin, s->offset[ORIGIN]),
                              .origin_stride = s->stride[ORIGIN],
                              .run = s->list ? s->list->runs : NULL,
                              .list = s->list,
                              .at_origin = s->list && s->side == ORIGIN};
}

/* Over the network a step of a regular walk is one message; with a list each run would be one. */
static int lists_on(const struct move *move)
{
    if (proa_is_remote(&move->win->targets[move->rank]))
        return 0;
    return move->place.scattered ? TARGET + 1 : SIDES;
}

static int move_layouts(struct move *move, struct proa_walk *walk, enum proa_direction direction)
{
    const int lists = lists_on(move);
    const struct proa_span *span = &move->place.span;
    struct proa_stretch stretch;
    int error = PROA_OK;

    proa_carry_begin(&move->carry, move->win, move->rank, direction == PROA_PUT);
    while (!error && proa_walk_goes_on(walk)) {
        struct proa_runs runs;

        proa_walk_next(walk, lists, &stretch);
        runs = runs_of(move, &stretch);
        error = move->place.scattered ? proa_carry_runs(&move->carry, &runs)
                                      : proa_road_of(span)->move(&move->carry, span, &runs);
    }
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

    if (!error && there->count * there->type->size == 0)
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

/* Handles an origin shorter than its target. If both are contiguous, both hosts put only the
 * origin's data, and get nothing if the origin is empty. Shortens *there to the origin; move checks
 * all other cases. */
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
