/* Put and get off the fast path: waiting for a post, derived types, cma, dynamic windows, errors. */
#include "core/op.h"
#include "base/fail.h"
#include "core/begin.h"
#include "core/cma.h"
#include "core/strict.h"

enum direction { PUT, GET };
enum { TARGET, ORIGIN, SIDES };

/* An operation in progress. */
struct move {
    struct proa_win *win;
    const struct proa_there *there;
    char *origin;
    struct proa_place place;
    enum direction direction;
};

/* Runs of one size at regular distances: the sizes of basic types get a loop that the compiler can unroll. */
#define COPY_RUNS(type)                                                                                                                    \
    for (uint64_t i = 0; i < count; i++, to = proa_at(to, to_stride), from = proa_at(from, from_stride))                                   \
        memcpy(to, from, sizeof(type));

static void copy_runs(char *to, int64_t to_stride, const char *from, int64_t from_stride, uint64_t bytes, uint64_t count)
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
        for (uint64_t i = 0; i < count; i++, to = proa_at(to, to_stride), from = proa_at(from, from_stride))
            memcpy(to, from, bytes);
    }
}

static void move_here(const struct move *move, const struct proa_stretch *s)
{
    char *target = proa_at(move->place.here, s->offset[TARGET]), *origin = proa_at(move->origin, s->offset[ORIGIN]);

    if (move->direction == PUT)
        copy_runs(target, s->stride[TARGET], origin, s->stride[ORIGIN], s->bytes, s->count);
    else
        copy_runs(origin, s->stride[ORIGIN], target, s->stride[TARGET], s->bytes, s->count);
}

/* Each run where it is: dynamic windows, a type over several regions. */
static int move_scattered(struct move *move, const struct proa_stretch *s)
{
    for (uint64_t i = 0; i < s->count; i++) {
        int64_t target = s->offset[TARGET] + (int64_t)i * s->stride[TARGET];
        char *origin = proa_at(move->origin, s->offset[ORIGIN] + (int64_t)i * s->stride[ORIGIN]);
        int error = proa_place_of_run(move->win, move->there, target, s->bytes, &move->place);

        if (!error && move->place.here)
            memcpy(move->direction == PUT ? move->place.here : origin, move->direction == PUT ? origin : move->place.here, s->bytes);
        else if (!error)
            error = move->direction == PUT ? proa_cma_write(move->place.peer, move->place.there, origin, s->bytes)
                                           : proa_cma_read(move->place.peer, move->place.there, origin, s->bytes);
        if (error)
            return error;
    }
    return PROA_OK;
}

static int move_by_cma(const struct move *move, struct proa_cma_batch *batch, const struct proa_stretch *s)
{
    int error = PROA_OK;

    for (uint64_t i = 0; i < s->count && !error; i++)
        error = proa_cma_add(batch, proa_at(move->origin, s->offset[ORIGIN] + (int64_t)i * s->stride[ORIGIN]),
                             move->place.there + (uint64_t)(s->offset[TARGET] + (int64_t)i * s->stride[TARGET]), s->bytes);
    return error;
}

static int move_layouts(struct move *move, struct proa_walk *walk)
{
    struct proa_stretch stretch;
    struct proa_cma_batch batch;
    int scattered = move->place.scattered, error = PROA_OK;

    proa_cma_begin(&batch, move->place.peer, move->direction == PUT);
    while (!error && proa_walk_next(walk, &stretch)) {
        if (scattered)
            error = move_scattered(move, &stretch);
        else if (move->place.here)
            move_here(move, &stretch);
        else
            error = move_by_cma(move, &batch, &stretch);
    }
    return error ? error : proa_cma_end(&batch);
}

static int move(struct proa_win *win, const struct proa_buffer *origin, const struct proa_there *there, enum direction direction)
{
    struct move move = {.win = win, .there = there, .origin = origin->address, .direction = direction};
    const struct proa_type *types[SIDES] = {[TARGET] = there->type, [ORIGIN] = origin->type};
    const uint64_t counts[SIDES] = {[TARGET] = there->count, [ORIGIN] = origin->count};
    struct proa_walk walk;
    int error = proa_check_types(origin, there, "origin");

    if (!error)
        error = proa_there_bytes(there) ? proa_begin_at(win, there, &move.place) : proa_begin(win, there->rank);
    if (!error)
        error = proa_walk_begin(&walk, SIDES, types, counts, 0);
    if (error)
        return error;
    if (direction == PUT)
        proa_touch_store(win);
    else
        proa_touch_load(win);
    if (proa_there_bytes(there))
        error = move_layouts(&move, &walk);
    proa_walk_end(&walk);
    return error;
}

/* An origin that is shorter than its target: both hosts put what it has, if both lie in a row, and get nothing where it has none. Makes *there as
 * long as the origin; all else is for move to judge. */
static int shorten(struct proa_win *win, const struct proa_buffer *origin, enum direction direction, struct proa_there *there)
{
    const struct proa_type *type = there->type;
    uint64_t bytes, target_bytes;

    if (origin->type->trouble || type->trouble || !origin->type->dense || !type->dense || type->size == 0 ||
        __builtin_mul_overflow(origin->count, origin->type->size, &bytes) || __builtin_mul_overflow(there->count, type->size, &target_bytes))
        return PROA_OK;
    if (bytes >= target_bytes || bytes % type->size || (direction == GET && bytes))
        return PROA_OK;
    there->count = bytes / type->size;
    return proa_lax(win, PROA_LAX_SHORT, PROA_ERR_TYPE, there->call,
                    "the origin side is %llu bytes, the target side %llu", (unsigned long long)bytes, (unsigned long long)target_bytes);
}

int proa_put(struct proa_win *win, const struct proa_buffer *origin, const struct proa_there *there)
{
    struct proa_there shorter = *there;
    int error = shorten(win, origin, PUT, &shorter);

    return error ? error : move(win, origin, &shorter, PUT);
}

int proa_get(struct proa_win *win, const struct proa_buffer *origin, const struct proa_there *there)
{
    struct proa_there shorter = *there;
    int error = shorten(win, origin, GET, &shorter);

    return error ? error : move(win, origin, &shorter, GET);
}
