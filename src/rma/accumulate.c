/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accumulate, get_accumulate, fetch_and_op, compare_and_swap. rma/combine.h has the operations on
 * elements. type/walk.c finds the runs of derived types; rma/apply.c guards them and passes them to
 * their road.
 */
#include "base/fail.h"
#include "rma/place.h"
#include "rma/guard.h"
#include "rma/combine.h"
#include "type/walk.h"
#include "window/strict.h"

/* ---- contiguous elements that are mapped here ---- */

/* Elements within one stripe, as nearly all short ones are. */
static void one_stripe(const struct proa_elements *c, struct proa_proc_ctl *owner, uint64_t key,
                       char *at)
{
    uint64_t stripe = proa_guard_stripe_of(key);

    proa_guard_stripe_take(owner, stripe);
    proa_apply(c, at);
    proa_guard_stripe_give(owner, stripe);
}

/* Elements within the bytes that are guarded at a time. */
static void several_stripes(const struct proa_elements *c, struct proa_proc_ctl *owner,
                            uint64_t key, uint64_t bytes, char *at)
{
    struct proa_wide_range range = proa_guard_wide_over(key, bytes);

    proa_guard_wide_take(owner, range);
    proa_apply(c, at);
    proa_guard_wide_give(owner, range);
}

static int striped_plain(struct proa_win *win, const struct proa_target *target,
                         const struct proa_elements *c, char *at)
{
    uint64_t key = proa_span_key_at(&target->only, at),
             bytes = (c->count - 1) * c->bytes + 1; /* up to the first byte of the last element */

    if (key % PROA_STRIPE_BYTES + bytes <= PROA_STRIPE_BYTES)
        one_stripe(c, target->only.owner->ctl, key, at);
    else if (proa_guard_may_cover(key, bytes, proa_guard_most(target->only.owner->ctl)))
        several_stripes(c, target->only.owner->ctl, key, bytes, at);
    else
        proa_combine_row(
            &(struct proa_combine){
                .win = win, .rank = (int)(target - win->targets), .total = c->count, .run = *c},
            target->only.first + (uint64_t)(at - target->only.here));
    proa_touch_store(win);
    return 1;
}

/* The fast path, without a walk or a general place. */
int proa_accumulate_plain(struct proa_win *win, const void *origin, void *result,
                          const void *compare, uint64_t count, const struct proa_type *type,
                          int rank, int64_t displacement, enum proa_operation operation)
{
    const struct proa_elements c = {proa_kernel_find(operation, (enum proa_basic)type->basic),
                                    operation,
                                    (enum proa_basic)type->basic,
                                    (size_t)type->extent,
                                    count,
                                    operation == PROA_OP_NO_OP ? NULL : origin,
                                    result,
                                    compare};
    const struct proa_target *target = &win->targets[rank];
    struct proa_slot *slot;
    char *at;

    if (!c.kernel || !type->plain_units || !(origin || operation == PROA_OP_NO_OP))
        return 0;
    at = proa_fast_address(win, rank, displacement, count * c.bytes);
    if (!at)
        return 0;
    switch (proa_guard_choose(win, rank, &target->only, (uintptr_t)at, count, c.bytes, &slot)) {
    case PROA_GUARD_PLAIN:
        proa_apply(&c, at);
        proa_touch_store(win);
        return 1;
    case PROA_GUARD_STRIPES:
        return striped_plain(win, target, &c, at);
    default:
        break;
    }
    if (count == 1)
        proa_apply_atomic_one(&c, at);
    else
        proa_apply_atomic(&c, at);
    proa_guard_slot_leave(slot);
    if (win->epoch_all & PROA_EPOCH_FENCE)
        proa_touch_load(win);
    return 1;
}

/* ---- the runs of a layout ---- */

enum { TARGET, FIRST, SECOND }; /* FIRST: the origin if there is one, else the result */

/* An operation and its state. */
struct operation {
    const struct proa_there *there;
    struct proa_place place;
    struct proa_combine combine;
    int has_origin, has_result; /* no origin for MPI_NO_OP; no result if it fetches none */
    const char *origin;         /* either may be NULL, with a type of absolute addresses */
    char *result;
};

static struct proa_runs runs_of(const struct operation *o, const struct proa_stretch *s)
{
    const int second = o->has_origin ? SECOND : FIRST;
    struct proa_runs runs = {.count = s->count,
                             .bytes = s->bytes,
                             .position = o->place.at + (uint64_t)s->offset[TARGET],
                             .stride = s->stride[TARGET],
                             .run = s->list ? s->list->runs : NULL,
                             .list = s->list};

    if (o->has_origin) {
        runs.origin = proa_at(o->origin, s->offset[FIRST]);
        runs.origin_stride = s->stride[FIRST];
    }
    if (o->has_result) {
        runs.result = proa_at(o->result, s->offset[second]);
        runs.result_stride = s->stride[second];
    }
    return proa_runs_merged(&runs);
}

/* Returns whether runs may be processed together: no accessor uses processor atomics for so many
 * elements. */
static int are_together(const struct operation *o)
{
    return o->combine.total > o->combine.win->atomics_most && !proa_is_padded(o->combine.run.basic);
}

/* Returns whether the runs of a loop do not overlap, so that their order does not matter. */
static int are_beside(const struct proa_runs *runs)
{
    return runs->stride >= (int64_t)runs->bytes || runs->stride <= -(int64_t)runs->bytes;
}

/* Reverses the order of the runs. */
static void turn(struct proa_runs *runs)
{
    const uint64_t count = runs->count;

    proa_runs_skip(runs, count - 1);
    runs->count = count;
    runs->stride = -runs->stride;
    runs->origin_stride = -runs->origin_stride;
    runs->result_stride = -runs->result_stride;
}

static int apply(struct operation *o, const struct proa_runs *runs)
{
    return o->place.scattered ? proa_combine_runs(&o->combine, runs)
                              : proa_combine_in(&o->combine, &o->place.span, runs);
}

static int apply_singly(struct operation *o, struct proa_runs *runs)
{
    int error = PROA_OK;

    for (; runs->count && !error; proa_runs_skip(runs, 1)) {
        struct proa_runs run = *runs;

        run.count = 1;
        error = apply(o, &run);
    }
    return error;
}

static int apply_stretch(struct operation *o, const struct proa_stretch *s)
{
    struct proa_runs runs = runs_of(o, s);

    if (runs.count > 1 && !runs.list) {
        if (!are_together(o) || !are_beside(&runs))
            return apply_singly(o, &runs);
        if (runs.stride < 0)
            turn(&runs);
    }
    return apply(o, &runs);
}

static int walk_begin(struct proa_walk *walk, const struct proa_there *there,
                      const struct proa_buffer *origin, const struct proa_buffer *result)
{
    const struct proa_type *types[PROA_WALK_SIDES] = {there->type};
    uint64_t counts[PROA_WALK_SIDES] = {there->count};
    int sides = 1;

    if (origin) {
        types[sides] = origin->type;
        counts[sides++] = origin->count;
    }
    if (result) {
        types[sides] = result->type;
        counts[sides++] = result->count;
    }
    return proa_walk_begin(walk, sides, types, counts, 1);
}

static int combine(struct operation *o, const struct proa_buffer *origin,
                   const struct proa_buffer *result)
{
    struct proa_walk walk;
    struct proa_stretch stretch;
    const int lists = are_together(o) ? TARGET + 1 : 0;
    int error = walk_begin(&walk, o->there, origin, result);

    if (error)
        return error;
    while (!error && proa_walk_goes_on(&walk)) {
        proa_walk_next(&walk, lists, &stretch);
        error = apply_stretch(o, &stretch);
    }
    proa_guard_leave(&o->combine.guarded);
    proa_walk_end(&walk);
    proa_touch_store(o->combine.win);
    return error;
}

/* ---- the operations ---- */

static int is_plain_row(const struct proa_type *type)
{
    return type->dense && !type->data_pairs && type->basic != PROA_MIXED;
}

/* Checks that the basic type of this side is the target's. If elements are only copied and
 * contiguous, their type does not matter, and their bytes count as elements of the target's type.
 * copied: 1 if copied, by MPI_REPLACE or as the old value. which: "origin" or "result". */
static int check_basic(struct proa_win *win, const struct proa_buffer *side,
                       const struct proa_there *there, int copied, const char *which)
{
    const char *mine = proa_basic_name((enum proa_basic)side->type->basic),
               *its = proa_basic_name((enum proa_basic)there->type->basic);

    if (side->type->basic == there->type->basic)
        return PROA_OK;
    if (copied && is_plain_row(side->type) && !there->type->data_pairs)
        return proa_lax(win, PROA_LAX_BASIC, PROA_ERR_TYPE, there->call,
                        "the %s's basic type (%s) is not the target's (%s)", which, mine, its);
    return proa_fail(PROA_ERR_TYPE, "the %s's basic type (%s) is not the target's (%s)", which,
                     mine, its);
}

static int set_operation(struct proa_win *win, const struct proa_there *there,
                         enum proa_operation operation, struct proa_elements *c)
{
    c->basic = (enum proa_basic)there->type->basic;
    c->operation = operation;
    c->kernel = proa_kernel_find(operation, c->basic);
    c->bytes = proa_basic_bytes(c->basic);
    if (c->kernel)
        return PROA_OK;
    /* none for MPI_MAXLOC and MPI_MINLOC, which are for pairs */
    c->kernel = proa_kernel_of_bytes(operation, c->basic);
    if (c->kernel)
        return proa_lax(win, PROA_LAX_BYTES, PROA_ERR_OP, there->call,
                        "%s is not defined on this datatype (%s)", proa_operation_name(operation),
                        proa_basic_name(c->basic));
    return proa_fail(PROA_ERR_OP, "%s is not defined on this datatype (%s)",
                     proa_operation_name(operation), proa_basic_name(c->basic));
}

static int check_operation(struct proa_win *win, const struct proa_buffer *origin,
                           const struct proa_buffer *result, const struct proa_there *there,
                           enum proa_operation operation, struct proa_elements *c)
{
    int error = PROA_OK;

    if (there->type->basic == PROA_MIXED)
        return proa_fail(PROA_ERR_TYPE,
                         "the target datatype mixes basic types: an accumulate takes only one");
    if (origin)
        error = check_basic(win, origin, there, operation == PROA_OP_REPLACE, "origin");
    if (!error)
        error = set_operation(win, there, operation, c);
    if (!error && result)
        error = check_basic(win, result, there, 1, "result");
    return error;
}

static int accumulate_any(struct proa_win *win, const struct proa_buffer *origin,
                          const struct proa_buffer *result, const struct proa_there *there,
                          enum proa_operation operation, const void *compare)
{
    struct operation o = {.there = there,
                          .combine = {.win = win, .rank = there->rank, .run.compare = compare},
                          .has_origin = origin != NULL,
                          .has_result = result != NULL};
    int error = PROA_OK;

    if (result)
        error = proa_check_types(result, there, "result");
    if (!error && origin)
        error = proa_check_types(origin, there, "origin");
    if (!error && there->count * there->type->size == 0) /* no element, of any type */
        return proa_begin(win, there->rank);
    if (!error)
        error = check_operation(win, origin, result, there, operation, &o.combine.run);
    if (error)
        return error;
    o.combine.total = there->count * there->type->elements;
    o.origin = origin ? origin->address : NULL;
    o.result = result ? result->address : NULL;
    error = proa_begin_at(win, there, &o.place);
    return error ? error : combine(&o, origin, result);
}

int proa_accumulate(struct proa_win *win, const struct proa_buffer *origin,
                    const struct proa_there *there, enum proa_operation operation)
{
    if (operation == PROA_OP_NO_OP)
        return proa_fail(PROA_ERR_OP,
                         "MPI_NO_OP is for MPI_Get_accumulate and MPI_Fetch_and_op only");
    return accumulate_any(win, origin, NULL, there, operation, NULL);
}

int proa_get_accumulate(struct proa_win *win, const struct proa_buffer *origin,
                        const struct proa_buffer *result, const struct proa_there *there,
                        enum proa_operation operation)
{
    return accumulate_any(win, operation == PROA_OP_NO_OP ? NULL : origin, result, there, operation,
                          NULL);
}

int proa_fetch_and_op(struct proa_win *win, const void *origin, void *result,
                      const struct proa_there *there, enum proa_operation operation)
{
    const struct proa_type *type = there->type;
    struct proa_buffer from = {(void *)(uintptr_t)origin, 1, type}, to = {result, 1, type};

    if (!type->trouble && !type->predefined)
        return proa_fail(
            PROA_ERR_TYPE,
            "MPI_Fetch_and_op takes one element of a predefined datatype, not a derived one");
    return accumulate_any(win, operation == PROA_OP_NO_OP ? NULL : &from, &to, there, operation,
                          NULL);
}

static int check_compare(const void *origin, const void *compare, const void *result,
                         const struct proa_type *type)
{
    if (type->trouble)
        return proa_fail(PROA_ERR_TYPE, "the datatype %s", type->trouble);
    if (!type->predefined || !proa_basic_compares((enum proa_basic)type->basic))
        return proa_fail(PROA_ERR_TYPE,
                         "MPI_Compare_and_swap takes one integer, logical or byte, not %s",
                         type->predefined ? proa_basic_name((enum proa_basic)type->basic)
                                          : "a derived datatype");
    if (!origin || !compare || !result)
        return proa_fail(PROA_ERR_BUFFER, "the %s buffer is NULL",
                         !origin    ? "origin"
                         : !compare ? "compare"
                                    : "result");
    return PROA_OK;
}

int proa_compare_and_swap(struct proa_win *win, const void *origin, const void *compare,
                          void *result, const struct proa_there *there)
{
    const struct proa_type *type = there->type;
    struct proa_buffer from = {(void *)(uintptr_t)origin, 1, type}, to = {result, 1, type};
    int error = check_compare(origin, compare, result, type);

    return error ? error : accumulate_any(win, &from, &to, there, PROA_OP_REPLACE, compare);
}
