/*
 * Accumulate, get_accumulate, fetch_and_op, compare_and_swap: apply() works on a run of elements in a target's memory; how that is kept
 * atomic is the business of core/guard.c; where the runs of derived types lie is that of type/walk.c.
 */
#include "base/fail.h"
#include "core/begin.h"
#include "core/cma.h"
#include "core/guard.h"
#include "core/strict.h"

#include <stdlib.h>

/* An operation on `count` elements in a row. compare: not NULL for compare_and_swap, which has one element and stores origin if the target
 * holds *compare. */
struct combine {
    proa_kernel *kernel;
    enum proa_operation operation;
    enum proa_basic basic;
    size_t bytes;             /* from one element to the next */
    uint64_t count;
    const char *origin;       /* NULL for MPI_NO_OP */
    char *result;             /* NULL if nobody wants to know what was there */
    const void *compare;
};

static int is_pair(enum proa_basic basic)
{
    size_t value, index, at;

    return proa_basic_pair(basic, &value, &index, &at);
}

/* Bytes behind the data of a pair, up to the next one; 0 for all other types. */
static size_t padding_of(enum proa_basic basic)
{
    size_t value, index, at;

    return proa_basic_pair(basic, &value, &index, &at) ? proa_basic_bytes(basic) - at - index : 0;
}

/* Are there bytes, inside or behind the data, that are not the element's? */
static int is_padded(enum proa_basic basic)
{
    size_t value, index, at;

    return proa_basic_pair(basic, &value, &index, &at) && value + index < proa_basic_bytes(basic);
}

/* What was there, without the padding of pairs. */
static void fetch(const struct combine *c, const char *target)
{
    if (is_pair(c->basic))
        proa_kernel_find(PROA_OP_REPLACE, c->basic)(c->result, target, c->count);
    else
        proa_copy(c->result, target, c->count * c->bytes);
}

/* The ordinary loop: nobody else works on these elements meanwhile. */
static void apply(const struct combine *c, char *target)
{
    if (c->result)
        fetch(c, target);
    if (!c->compare)
        c->kernel(target, c->origin, c->count);
    else if (memcmp(target, c->compare, c->bytes) == 0)
        memcpy(target, c->origin, c->bytes); /* NOLINT(clang-analyzer-core.NonNullParamChecker): who compares has an origin */
}

/* ---- processor atomics ---- */

/* One element of a size that the processor can exchange. Sequentially consistent, so a flush after it has nothing left to do. */
#define ATOMIC_ELEMENT(ctype)                                                                                                              \
    /* What the kernel leaves alone, such as padding, stays as it is. */                                                                   \
    static inline ctype atomic_kernel_##ctype(const struct combine *c, ctype *target, const void *origin)                                  \
    {                                                                                                                                      \
        ctype new, old = __atomic_load_n(target, __ATOMIC_RELAXED);                                                                        \
        do {                                                                                                                               \
            new = old;                                                                                                                     \
            c->kernel(&new, origin, 1);                                                                                                    \
        } while (!__atomic_compare_exchange_n(target, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));                                  \
        return old;                                                                                                                        \
    }                                                                                                                                      \
    static void atomic_##ctype(const struct combine *c, void *at)                                                                          \
    {                                                                                                                                      \
        ctype old, *target = at;                                                                                                           \
        ctype value = 0;                                                                                                                   \
        if (c->origin)                                                                                                                     \
            memcpy(&value, c->origin, sizeof value);                                                                                       \
        if (c->compare) {                                                                                                                  \
            memcpy(&old, c->compare, sizeof old);                                                                                          \
            __atomic_compare_exchange_n(target, &old, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                                       \
        } else if (c->operation == PROA_OP_SUM && c->basic <= PROA_U64) {                                                                  \
            old = __atomic_fetch_add(target, value, __ATOMIC_SEQ_CST);                                                                     \
        } else if (c->operation == PROA_OP_REPLACE) {                                                                                      \
            old = __atomic_exchange_n(target, value, __ATOMIC_SEQ_CST);                                                                    \
        } else if (c->operation == PROA_OP_NO_OP) {                                                                                        \
            old = __atomic_load_n(target, __ATOMIC_SEQ_CST);                                                                               \
        } else {                                                                                                                           \
            old = atomic_kernel_##ctype(c, target, &value);                                                                                \
        }                                                                                                                                  \
        if (c->result)                                                                                                                     \
            memcpy(c->result, &old, sizeof old);                                                                                           \
    }

ATOMIC_ELEMENT(uint8_t)
ATOMIC_ELEMENT(uint16_t)
ATOMIC_ELEMENT(uint32_t)
ATOMIC_ELEMENT(uint64_t)

static void advance(struct combine *c, uint64_t elements)
{
    if (c->origin)
        c->origin += elements * c->bytes;
    if (c->result)
        c->result += elements * c->bytes;
}

static inline void apply_atomic_one(const struct combine *c, char *target)
{
    switch (c->bytes) {
    case 8:
        atomic_uint64_t(c, target);
        break;
    case 4:
        atomic_uint32_t(c, target);
        break;
    case 2:
        atomic_uint16_t(c, target);
        break;
    default:
        atomic_uint8_t(c, target);
    }
}

static void apply_atomic(const struct combine *run, char *target)
{
    struct combine c = *run;

    for (uint64_t i = 0; i < run->count; i++, target += c.bytes, advance(&c, 1))
        apply_atomic_one(&c, target);
}

/* Pairs with padding, of 4 or 8 bytes: MPI_REPLACE too goes by the kernel, field by field, and so does what was there into the result. */
static void apply_atomic_fields(const struct combine *run, char *target)
{
    struct combine c = *run;

    for (uint64_t i = 0; i < run->count; i++, target += c.bytes, advance(&c, 1)) {
        uint64_t old = c.bytes == 8 ? atomic_kernel_uint64_t(&c, (uint64_t *)(void *)target, c.origin)
                                    : atomic_kernel_uint32_t(&c, (uint32_t *)(void *)target, c.origin); /* little-endian: in front */
        if (c.result)
            proa_kernel_find(PROA_OP_REPLACE, c.basic)(c.result, &old, 1);
    }
}

/* ---- everything else ---- */

/* Room for a piece of a neighbour's memory: on the stack where it is short, as a user's thread may have little. */
struct piece {
    char *copy;
    uint64_t bytes;
    char few[512];
};

static int piece_room(struct piece *piece, uint64_t bytes)
{
    piece->bytes = bytes < PROA_GUARD_AT_ONCE ? bytes : PROA_GUARD_AT_ONCE;
    piece->copy = bytes <= sizeof piece->few ? piece->few : malloc(piece->bytes);
    return piece->copy ? PROA_OK : proa_fail(PROA_ERR_NO_MEM, "no memory for a copy of %llu bytes", (unsigned long long)piece->bytes);
}

/* Value and index of each pair, in few system calls; its padding is not written, as it may have changed since it was read. */
static int write_fields(const struct combine *c, struct proa_peer *peer, uint64_t at, char *copy)
{
    struct proa_cma_batch batch;
    size_t value, index, index_at;
    int error = PROA_OK;

    proa_basic_pair(c->basic, &value, &index, &index_at);
    proa_cma_begin(&batch, peer, 1);
    for (uint64_t i = 0; i < c->count && !error; i++, at += c->bytes, copy += c->bytes) {
        error = proa_cma_add(&batch, copy, at, index_at == value ? value + index : value);
        if (!error && index_at != value)
            error = proa_cma_add(&batch, copy + index_at, at + index_at, index);
    }
    return error ? error : proa_cma_end(&batch);
}

static int apply_to_copy(const struct combine *c, struct proa_peer *peer, uint64_t at, char *copy)
{
    int error = proa_cma_read(peer, at, copy, c->count * c->bytes - padding_of(c->basic));

    if (error)
        return error;
    apply(c, copy);
    if (c->operation == PROA_OP_NO_OP)
        return PROA_OK;
    return is_padded(c->basic) ? write_fields(c, peer, at, copy) : proa_cma_write(peer, at, copy, c->count * c->bytes);
}

/* Memory that is not at hand is read, changed here and written back, in pieces. Whoever may disturb is kept out by the caller. */
static int apply_by_cma(const struct combine *run, const struct proa_place *place, int64_t offset)
{
    uint64_t at = place->there + (uint64_t)offset;
    struct combine c = *run;
    struct piece piece;
    int error = piece_room(&piece, c.count * c.bytes);

    for (uint64_t done = 0; done < run->count && !error; done += c.count, advance(&c, c.count)) {
        c.count = run->count - done < piece.bytes / c.bytes ? run->count - done : piece.bytes / c.bytes;
        error = apply_to_copy(&c, place->peer, at + done * c.bytes, piece.copy);
    }
    if (piece.copy != piece.few)
        free(piece.copy);
    return error;
}

static int apply_alone(const struct combine *c, const struct proa_place *place, int64_t offset)
{
    if (!place->here)
        return apply_by_cma(c, place, offset);
    apply(c, proa_at(place->here, offset));
    return PROA_OK;
}

/* Stripe by stripe, or several at once where the memory is not at hand. An element belongs to the stripe of its first byte, whoever works on
 * it. */
static int apply_striped(const struct combine *run, const struct proa_place *place, int64_t offset, struct proa_guarded *guarded)
{
    struct combine c = *run;
    int error = PROA_OK;

    for (uint64_t done = 0; done < run->count && !error; done += c.count, advance(&c, c.count)) {
        int64_t at = offset + (int64_t)(done * c.bytes);
        uint64_t wanted = place->here ? 1 : (run->count - done) * c.bytes;
        uint64_t covered = proa_guard_stripes(guarded, place->owner, place->key + (uint64_t)at, wanted);

        c.count = (covered + c.bytes - 1) / c.bytes;
        if (c.count > run->count - done)
            c.count = run->count - done;
        error = apply_alone(&c, place, at);
    }
    return error;
}

/* offset: of the run from place. */
static int apply_guarded(const struct combine *c, const struct proa_place *place, int64_t offset, struct proa_guarded *guarded)
{
    switch (guarded->guard) {
    case PROA_GUARD_PLAIN:
        return apply_alone(c, place, offset);
    case PROA_GUARD_ATOMICS:
        (is_padded(c->basic) ? apply_atomic_fields : apply_atomic)(c, proa_at(place->here, offset));
        return PROA_OK;
    default:
        return apply_striped(c, place, offset, guarded);
    }
}

/* ---- elements in a row, at hand ---- */

static int striped_plain(struct proa_win *win, const struct proa_target *target, const struct combine *c, char *at)
{
    struct proa_place place = {.here = at, .owner = target->owner, .key = target->key + (uint64_t)(at - target->base)};
    struct proa_guarded guarded = PROA_GUARD_NONE;

    proa_guard_stripes_only(target->owner->ctl);
    apply_striped(c, &place, 0, &guarded);
    proa_guard_leave(&guarded);
    proa_touch_store(win);
    return 1;
}

/* The fast path: no walk, no general place. The choice of the guard is that of core/guard.c. */
int proa_accumulate_plain(struct proa_win *win, const void *origin, void *result, const void *compare, uint64_t count,
                          const struct proa_type *type, int rank, int64_t displacement, enum proa_operation operation)
{
    const struct combine c = {proa_kernel_find(operation, (enum proa_basic)type->basic), operation, (enum proa_basic)type->basic,
                              type->size, count, operation == PROA_OP_NO_OP ? NULL : origin, result, compare};
    const struct proa_target *target = &win->targets[rank];
    struct proa_slot *slot = NULL;
    char *at;

    if (count - 1 >= INT32_MAX || !c.kernel || !type->predefined || !type->dense || target->private_memory ||
        !(origin || operation == PROA_OP_NO_OP))
        return 0;
    at = proa_fast_address(win, rank, displacement, count * c.bytes);
    if (!at)
        return 0;
    if (proa_guard_is_alone(win, rank)) {
        apply(&c, at);
        proa_touch_store(win);
        return 1;
    }
    if (!proa_guard_atomics_fit(c.bytes) || (uintptr_t)at & (c.bytes - 1))
        return 0;
    if (count <= win->atomics_most)
        slot = proa_guard_slot_enter(target->owner);
    if (!slot)
        return striped_plain(win, target, &c, at);
    if (count == 1)
        apply_atomic_one(&c, at);
    else
        apply_atomic(&c, at);
    proa_guard_slot_leave(slot);
    if (win->epoch_all & PROA_EPOCH_FENCE)
        proa_touch_load(win);
    return 1;
}

/* ---- any layout ---- */

enum { TARGET, FIRST, SECOND }; /* FIRST: the origin if there is one, else the result */

/* An operation with what it needs on the way. */
struct operation {
    struct proa_win *win;
    const struct proa_there *there;
    struct combine combine;
    int has_origin, has_result; /* no origin: MPI_NO_OP; no result: not a get */
    const char *origin;         /* either may be NULL, with a type of absolute addresses */
    char *result;
    uint64_t total;     /* elements */
    struct proa_guarded guarded;
};

static int apply_run(struct operation *o, const struct proa_place *place, int64_t offset)
{
    proa_guard_enter(o->win, o->there->rank, place, place->key + (uint64_t)offset, o->total, o->combine.bytes, &o->guarded);
    return apply_guarded(&o->combine, place, offset, &o->guarded);
}

/* A type over several regions of a dynamic window: each run has its own place, and its own guard. */
static int apply_scattered(struct operation *o, int64_t offset)
{
    struct proa_place place;
    uint64_t bytes = o->combine.count * o->combine.bytes - padding_of(o->combine.basic);
    int error = proa_place_of_run(o->win, o->there, offset, bytes, &place);

    if (!error)
        error = apply_run(o, &place, 0);
    proa_guard_leave(&o->guarded);
    return error;
}

static int apply_stretch(struct operation *o, const struct proa_place *place, const struct proa_stretch *s)
{
    int result_side = o->has_origin ? SECOND : FIRST, error = PROA_OK;
    int row = s->stride[TARGET] == (int64_t)s->bytes && (!o->has_origin || s->stride[FIRST] == (int64_t)s->bytes) &&
              (!o->has_result || s->stride[result_side] == (int64_t)s->bytes);
    uint64_t runs = row ? 1 : s->count;

    o->combine.count = s->bytes / o->combine.bytes * (row ? s->count : 1);
    for (uint64_t i = 0; i < runs && !error; i++) {
        int64_t offset = s->offset[TARGET] + (int64_t)i * s->stride[TARGET];

        o->combine.origin = o->has_origin ? proa_at(o->origin, s->offset[FIRST] + (int64_t)i * s->stride[FIRST]) : NULL;
        o->combine.result = o->has_result ? proa_at(o->result, s->offset[result_side] + (int64_t)i * s->stride[result_side]) : NULL;
        error = place->scattered ? apply_scattered(o, offset) : apply_run(o, place, offset);
    }
    return error;
}

static int walk_begin(struct proa_walk *walk, const struct proa_there *there, const struct proa_buffer *origin,
                      const struct proa_buffer *result)
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

static int combine(struct operation *o, const struct proa_buffer *origin, const struct proa_buffer *result, const struct proa_place *place)
{
    struct proa_stretch stretch = {0};
    struct proa_walk walk;
    int error = walk_begin(&walk, o->there, origin, result);

    if (error)
        return error;
    while (!error && proa_walk_next(&walk, &stretch))
        error = apply_stretch(o, place, &stretch);
    proa_guard_leave(&o->guarded);
    proa_walk_end(&walk);
    proa_touch_store(o->win);
    return error;
}

/* ---- the operations ---- */

static int is_plain_row(const struct proa_type *type)
{
    return type->dense && !type->data_pairs && type->basic != PROA_MIXED;
}

/* Is the basic type of this side the target's? Where its elements are only copied (copied: by MPI_REPLACE, or as what was there) and lie in a
 * row, it does not matter which they are: their bytes are taken for the target's elements. which: "origin" or "result". */
static int check_basic(struct proa_win *win, const struct proa_buffer *side, const struct proa_there *there, int copied,
                       const char *which)
{
    const char *mine = proa_basic_name((enum proa_basic)side->type->basic), *its = proa_basic_name((enum proa_basic)there->type->basic);

    if (side->type->basic == there->type->basic)
        return PROA_OK;
    if (copied && is_plain_row(side->type) && !there->type->data_pairs)
        return proa_lax(win, PROA_LAX_BASIC, PROA_ERR_TYPE, there->call, "the %s's basic type (%s) is not the target's (%s)", which, mine,
                        its);
    return proa_fail(PROA_ERR_TYPE, "the %s's basic type (%s) is not the target's (%s)", which, mine, its);
}

/* Both hosts take bytes and characters for numbers. Whether those have a sign they do not agree on, so what depends on it is refused. */
static proa_kernel *kernel_of_bytes(enum proa_operation operation, enum proa_basic basic)
{
    int is_byte = basic == PROA_BYTE || basic == PROA_CHAR8;

    return is_byte && operation != PROA_OP_MAX && operation != PROA_OP_MIN ? proa_kernel_find(operation, PROA_U8) : NULL;
}

static int set_operation(struct proa_win *win, const struct proa_there *there, enum proa_operation operation, struct combine *c)
{
    c->basic = (enum proa_basic)there->type->basic;
    c->operation = operation;
    c->kernel = proa_kernel_find(operation, c->basic);
    c->bytes = proa_basic_bytes(c->basic);
    if (c->kernel)
        return PROA_OK;
    c->kernel = kernel_of_bytes(operation, c->basic); /* none of MPI_MAXLOC and MPI_MINLOC, which are for pairs */
    if (c->kernel)
        return proa_lax(win, PROA_LAX_BYTES, PROA_ERR_OP, there->call, "%s is not defined on this datatype (%s)",
                        proa_operation_name(operation), proa_basic_name(c->basic));
    return proa_fail(PROA_ERR_OP, "%s is not defined on this datatype (%s)", proa_operation_name(operation), proa_basic_name(c->basic));
}

static int check_operation(struct proa_win *win, const struct proa_buffer *origin, const struct proa_buffer *result,
                           const struct proa_there *there, enum proa_operation operation, struct combine *c)
{
    int error = PROA_OK;

    if (there->type->basic == PROA_MIXED)
        return proa_fail(PROA_ERR_TYPE, "the target datatype mixes basic types: an accumulate takes only one");
    if (origin)
        error = check_basic(win, origin, there, operation == PROA_OP_REPLACE, "origin");
    if (!error)
        error = set_operation(win, there, operation, c);
    if (!error && result)
        error = check_basic(win, result, there, 1, "result");
    return error;
}

static int accumulate_any(struct proa_win *win, const struct proa_buffer *origin, const struct proa_buffer *result,
                           const struct proa_there *there, enum proa_operation operation, const void *compare)
{
    struct operation o = {.win = win, .there = there, .combine.compare = compare, .has_origin = origin != NULL,
                          .has_result = result != NULL, .guarded = PROA_GUARD_NONE};
    struct proa_place place;
    int error = PROA_OK;

    if (result)
        error = proa_check_types(result, there, "result");
    if (!error && origin)
        error = proa_check_types(origin, there, "origin");
    if (!error && proa_there_bytes(there) == 0) /* nothing of any type */
        return proa_begin(win, there->rank);
    if (!error)
        error = check_operation(win, origin, result, there, operation, &o.combine);
    if (error)
        return error;
    o.total = there->count * there->type->elements;
    o.origin = origin ? origin->address : NULL;
    o.result = result ? result->address : NULL;
    error = proa_begin_at(win, there, &place);
    return error ? error : combine(&o, origin, result, &place);
}

int proa_accumulate(struct proa_win *win, const struct proa_buffer *origin, const struct proa_there *there, enum proa_operation operation)
{
    if (operation == PROA_OP_NO_OP)
        return proa_fail(PROA_ERR_OP, "MPI_NO_OP is for MPI_Get_accumulate and MPI_Fetch_and_op only");
    return accumulate_any(win, origin, NULL, there, operation, NULL);
}

int proa_get_accumulate(struct proa_win *win, const struct proa_buffer *origin, const struct proa_buffer *result,
                        const struct proa_there *there, enum proa_operation operation)
{
    return accumulate_any(win, operation == PROA_OP_NO_OP ? NULL : origin, result, there, operation, NULL);
}

int proa_fetch_and_op(struct proa_win *win, const void *origin, void *result, const struct proa_there *there, enum proa_operation operation)
{
    const struct proa_type *type = there->type;
    struct proa_buffer from = {(void *)(uintptr_t)origin, 1, type}, to = {result, 1, type};

    if (!type->trouble && !type->predefined)
        return proa_fail(PROA_ERR_TYPE, "MPI_Fetch_and_op takes one element of a predefined datatype, not a derived one");
    return accumulate_any(win, operation == PROA_OP_NO_OP ? NULL : &from, &to, there, operation, NULL);
}

static int check_compare(const void *origin, const void *compare, const void *result, const struct proa_type *type)
{
    if (type->trouble)
        return proa_fail(PROA_ERR_TYPE, "the datatype %s", type->trouble);
    if (!type->predefined || !proa_basic_compares((enum proa_basic)type->basic))
        return proa_fail(PROA_ERR_TYPE, "MPI_Compare_and_swap takes one integer, logical or byte, not %s",
                         type->predefined ? proa_basic_name((enum proa_basic)type->basic) : "a derived datatype");
    if (!origin || !compare || !result)
        return proa_fail(PROA_ERR_BUFFER, "the %s buffer is NULL", !origin ? "origin" : !compare ? "compare" : "result");
    return PROA_OK;
}

int proa_compare_and_swap(struct proa_win *win, const void *origin, const void *compare, void *result, const struct proa_there *there)
{
    const struct proa_type *type = there->type;
    struct proa_buffer from = {(void *)(uintptr_t)origin, 1, type}, to = {result, 1, type};
    int error = check_compare(origin, compare, result, type);

    return error ? error : accumulate_any(win, &from, &to, there, PROA_OP_REPLACE, compare);
}
