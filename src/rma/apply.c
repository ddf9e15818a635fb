/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations on elements, and accumulates on runs of them, in one span or several: guards as
 * many at a time as allowed. The roads do the accesses. See combine.h. */
#include "rma/combine.h"
#include "base/fail.h"
#include "rma/place.h"
#include "rma/road.h"

/* ---- elements ---- */

size_t proa_padding_of(enum proa_basic basic)
{
    size_t value, index, at;

    return proa_basic_pair(basic, &value, &index, &at) ? proa_basic_bytes(basic) - at - index : 0;
}

int proa_is_padded(enum proa_basic basic)
{
    size_t value, index, at;

    return proa_basic_pair(basic, &value, &index, &at) && value + index < proa_basic_bytes(basic);
}

proa_kernel *proa_kernel_of_bytes(enum proa_operation operation, enum proa_basic basic)
{
    int is_byte = basic == PROA_BYTE || basic == PROA_CHAR8;

    return is_byte && operation != PROA_OP_MAX && operation != PROA_OP_MIN
               ? proa_kernel_find(operation, PROA_U8)
               : NULL;
}

/* Fetches the old value, without the padding of pairs. */
static void fetch(const struct proa_elements *c, const char *target)
{
    size_t value, index, at;

    if (proa_basic_pair(c->basic, &value, &index, &at))
        proa_kernel_find(PROA_OP_REPLACE, c->basic)(c->result, target, c->count);
    else
        proa_copy(c->result, target, c->count * c->bytes);
}

void proa_apply(const struct proa_elements *c, char *target)
{
    if (c->result)
        fetch(c, target);
    if (!c->compare)
        c->kernel(target, c->origin, c->count);
    else if (memcmp(target, c->compare, c->bytes) == 0)
        /* a compare_and_swap has an origin */
        memcpy(target, c->origin, c->bytes); /* NOLINT(clang-analyzer-core.NonNullParamChecker) */
}

static void advance(struct proa_elements *c)
{
    if (c->origin)
        c->origin += c->bytes;
    if (c->result)
        c->result += c->bytes;
}

void proa_apply_atomic(const struct proa_elements *run, char *target)
{
    struct proa_elements c = *run;

    for (uint64_t i = 0; i < run->count; i++, target += c.bytes, advance(&c))
        proa_apply_atomic_one(&c, target);
}

/* The same for pairs of 4 or 8 bytes with padding, which does not change. Fields are copied one by
 * one, also by MPI_REPLACE and into the result. */
static void apply_atomic_fields(const struct proa_elements *run, char *target)
{
    struct proa_elements c = *run;

    for (uint64_t i = 0; i < run->count; i++, target += c.bytes, advance(&c)) {
        union {
            uint64_t of8;
            uint32_t of4;
        } old;

        if (c.bytes == 8)
            old.of8 = proa_atomic_kernel_uint64_t(&c, (uint64_t *)(void *)target, c.origin);
        else
            old.of4 = proa_atomic_kernel_uint32_t(&c, (uint32_t *)(void *)target, c.origin);
        if (c.result)
            proa_kernel_find(PROA_OP_REPLACE, c.basic)(c.result, &old, 1);
    }
}

/* ---- under stripes ---- */

/* Runs farther apart than this fraction of the bytes that may be guarded are guarded one by one. */
enum { FEW = 4 };

static int is_alone(const struct proa_runs *runs)
{
    int64_t next;

    if (runs->count == 1)
        return 1;
    next = runs->run ? runs->run[1].offset - runs->run[0].offset : runs->stride;
    return next > PROA_GUARD_AT_ONCE / FEW && proa_runs_ascend(runs);
}

/* Only contiguous runs are guarded for the longest piece of an accumulate. Runs that do not ascend
 * are guarded all at once or not at all, as the place of the next one is unknown. */
uint64_t proa_combine_guard(struct proa_combine *c, struct proa_peer *owner, uint64_t key,
                            const struct proa_runs *runs)
{
    const uint64_t most = PROA_GUARD_AT_ONCE;
    const uint64_t rest = c->run.bytes - 1; /* an element belongs to the stripe of its first byte */
    uint64_t first, bytes;

    if (is_alone(runs)) {
        first = key + (uint64_t)proa_runs_offset(runs);
        bytes = proa_runs_bytes(runs) - rest;
        return proa_guard_stripes(&c->guarded, owner, first, bytes) >= bytes;
    }
    first = key + (uint64_t)proa_runs_low(runs);
    bytes = (uint64_t)(proa_runs_high(runs) - proa_runs_low(runs)) - rest;
    if (!proa_runs_ascend(runs) && !proa_guard_may_cover(first, bytes, most))
        return 0;
    if (runs->stride != (int64_t)runs->bytes && bytes > most)
        bytes = most;
    return proa_runs_within(runs, proa_guard_stripes(&c->guarded, owner, first, bytes) + rest);
}

/* Applies the first run, in pieces of the elements that are guarded at a time. */
static int apply_pieces(struct proa_combine *c, const struct proa_span *span,
                        const struct proa_runs *runs)
{
    struct proa_runs row = proa_runs_row(runs, c->run.bytes);
    int error = PROA_OK;

    while (row.count && !error) {
        uint64_t n = proa_combine_guard(c, span->owner, proa_span_key(span, row.position), &row);
        struct proa_runs piece = proa_runs_joined(&row, n);

        error = proa_road_of(span)->apply(c, span, &piece);
        proa_runs_skip(&row, n);
    }
    return error;
}

/* The number of unordered runs that are guarded at a time: many, so that most of them share their
 * stripe with others. */
enum { SCATTERED_MOST = 1024 };

/* Returns whether they are guarded in that way. Not through the kernel, which takes long for so
 * many. */
static int are_scattered(const struct proa_span *span, const struct proa_runs *runs)
{
    return span->here && !proa_runs_ascend(runs) && runs->bytes && runs->bytes <= PROA_STRIPE_BYTES;
}

static int apply_scattered(struct proa_combine *c, const struct proa_span *span,
                           struct proa_runs *runs)
{
    struct proa_stripe_set set = {{0}};
    uint64_t key = proa_span_key(span, runs->position);
    int error;

    runs->count = runs->count < SCATTERED_MOST ? runs->count : SCATTERED_MOST;
    for (uint64_t i = 0; i < runs->count; i++) { /* by the elements' first bytes */
        uint64_t first = key + (uint64_t)runs->run[i].offset;

        proa_guard_set_add(&set, first);
        proa_guard_set_add(&set, first + runs->bytes - c->run.bytes);
    }
    proa_guard_leave(&c->guarded);
    proa_guard_set_take(span->owner->ctl, &set);
    error = proa_road_of(span)->apply(c, span, runs);
    proa_guard_set_give(span->owner->ctl, &set);
    return error;
}

/* Applies as many runs as possible, at least one, and sets runs->count to their number. guarded:
 * number of runs already guarded. */
static int apply_some(struct proa_combine *c, const struct proa_span *span, struct proa_runs *runs,
                      uint64_t guarded)
{
    if (!guarded && are_scattered(span, runs))
        return apply_scattered(c, span, runs);
    runs->count = guarded ? guarded : 1;
    return guarded ? proa_road_of(span)->apply(c, span, runs) : apply_pieces(c, span, runs);
}

static int apply_striped(struct proa_combine *c, const struct proa_span *span,
                         const struct proa_runs *all)
{
    uint64_t guarded = proa_combine_guard(c, span->owner, proa_span_key(span, all->position), all);
    struct proa_runs runs, part;
    int error;

    if (guarded == all->count)
        return proa_road_of(span)->apply(c, span, all);
    runs = part = *all;
    for (;;) {
        error = apply_some(c, span, &part, guarded);
        proa_runs_skip(&runs, part.count);
        if (error || !runs.count)
            return error;
        part = runs;
        guarded = proa_combine_guard(c, span->owner, proa_span_key(span, runs.position), &runs);
    }
}

/* ---- in one span ---- */

static void apply_atomics(struct proa_combine *c, const struct proa_span *span,
                          const struct proa_runs *run)
{
    char *at = proa_span_here(span, run->position);

    proa_runs_first(run, &c->run);
    (proa_is_padded(c->run.basic) ? apply_atomic_fields : proa_apply_atomic)(&c->run, at);
}

/* Several runs are guarded like aligned ones. This is right for unaligned ones too: so many
 * elements use stripes, or no other process has access. */
int proa_combine_in(struct proa_combine *c, const struct proa_span *span,
                    const struct proa_runs *runs)
{
    uint64_t key = proa_span_key(span, runs->position + (uint64_t)proa_runs_offset(runs));

    if (!span->owner) /* on another node */
        return proa_road_of(span)->apply(c, span, runs);
    if (runs->count > 1)
        key = 0;
    proa_guard_enter(c->win, c->rank, span, key, c->total, c->run.bytes, &c->guarded);
    if (c->guarded.guard == PROA_GUARD_PLAIN)
        return proa_road_of(span)->apply(c, span, runs);
    if (c->guarded.guard == PROA_GUARD_STRIPES)
        return apply_striped(c, span, runs);
    apply_atomics(c, span, runs);
    return PROA_OK;
}

/* ---- over several spans ---- */

/* Copies an element between its places in the target's memory, in any spans, and a copy here,
 * without padding. put: 1 to copy to the target. */
static int carry_element(const struct proa_combine *c, uint64_t position, char *copy, int put)
{
    size_t bytes = c->run.bytes, index = 0, index_at = 0;
    struct proa_carry carry;
    int error;

    proa_basic_pair(c->run.basic, &bytes, &index, &index_at);
    proa_carry_begin(&carry, c->win, c->rank, put);
    error = proa_carry_bytes(&carry, position, copy, bytes);
    if (!error)
        error = proa_carry_bytes(&carry, position + index_at, copy + index_at, index);
    return error ? error : proa_carry_end(&carry);
}

enum { ELEMENT_BYTES_MOST = 32 }; /* of all basic types */

/* Applies an element whose bytes cross the end of its span. No accessor uses processor atomics for
 * such an element (rma/guard.h). */
static int apply_border(struct proa_combine *c, const struct proa_span *span,
                        const struct proa_runs *element)
{
    char copy[ELEMENT_BYTES_MOST] __attribute__((aligned(16))) = {0};
    int error;

    if (!proa_guard_is_alone(c->win, c->rank))
        proa_guard_stripes(&c->guarded, span->owner, proa_span_key(span, element->position), 1);
    error = carry_element(c, element->position, copy, 0);
    if (error)
        return error;
    proa_runs_first(element, &c->run);
    proa_apply(&c->run, copy);
    return c->run.operation == PROA_OP_NO_OP ? PROA_OK
                                             : carry_element(c, element->position, copy, 1);
}

int proa_combine_row(struct proa_combine *c, uint64_t position)
{
    return proa_combine_runs(c, &(struct proa_runs){.count = 1,
                                                    .bytes = c->run.count * c->run.bytes,
                                                    .position = position,
                                                    .origin = (char *)(uintptr_t)c->run.origin,
                                                    .result = c->run.result});
}

int proa_combine_runs(struct proa_combine *c, const struct proa_runs *all)
{
    struct proa_runs runs = *all, part;
    struct proa_span span = {0};
    int error = PROA_OK;

    for (; runs.count && !error; proa_runs_skip(&runs, part.count)) {
        error = proa_span_next(c->win, c->rank, &runs, &span, &part);
        if (error)
            break;
        if (part.count) {
            struct proa_runs whole = proa_runs_merged(&part);

            error = proa_combine_in(c, &span, &whole);
        } else {
            struct proa_runs row = proa_runs_row(&runs, c->run.bytes);

            error = row.count > 1 ? proa_combine_runs(c, &row) : apply_border(c, &span, &row);
            part.count = 1;
        }
        proa_guard_leave(&c->guarded);
    }
    return error;
}
