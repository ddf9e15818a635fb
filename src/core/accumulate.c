/*
 * Accumulate, get_accumulate, fetch_and_op, compare_and_swap: one function, combine(), applies an operation to a run of elements in a
 * target's memory; how it is kept atomic is the business of core/guard.c.
 */
#include "base/fail.h"
#include "core/begin.h"
#include "core/cma.h"
#include "core/guard.h"

/* An operation on `count` elements in a row. origin and result advance with the elements; either may be NULL. compare: not NULL for
 * compare_and_swap, which has one element and stores origin if the target holds *compare. */
struct combine {
    proa_kernel *kernel;
    enum proa_operation operation;
    enum proa_basic basic;
    size_t bytes;             /* of an element */
    uint64_t count;
    const char *origin;
    char *result;
    const void *compare;
};

/* The ordinary loop: nobody else works on these elements meanwhile. */
static void apply(const struct combine *c, char *target)
{
    if (c->result)
        proa_copy(c->result, target, c->count * c->bytes);
    if (!c->compare)
        c->kernel(target, c->origin, c->count);
    else if (memcmp(target, c->compare, c->bytes) == 0)
        memcpy(target, c->origin, c->bytes);
}

/* ---- processor atomics ---- */

/* One element of a size that the processor can exchange. `old` starts as what the element probably holds. Sequentially consistent, so a
 * flush after it has nothing left to do. */
#define ATOMIC_ELEMENT(ctype)                                                                                                              \
    static void atomic_##ctype(const struct combine *c, void *at)                                                                          \
    {                                                                                                                                      \
        ctype old, new, *target = at;                                                                                                      \
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
            old = __atomic_load_n(target, __ATOMIC_RELAXED);                                                                               \
            do {                                                                                                                           \
                new = old;                                                                                                                 \
                c->kernel(&new, &value, 1);                                                                                                \
            } while (!__atomic_compare_exchange_n(target, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));                              \
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

static void apply_atomic(const struct combine *run, char *target)
{
    struct combine c = *run;

    for (uint64_t i = 0; i < run->count; i++, target += c.bytes, advance(&c, 1)) {
        switch (c.bytes) {
        case 8:
            atomic_uint64_t(&c, target);
            break;
        case 4:
            atomic_uint32_t(&c, target);
            break;
        case 2:
            atomic_uint16_t(&c, target);
            break;
        default:
            atomic_uint8_t(&c, target);
        }
    }
}

/* ---- stripes ---- */

/* The target's memory is read, changed here and written back; the stripe is held, so nobody else does the same meanwhile. */
static int apply_by_cma(const struct combine *c, const struct proa_place *place, uint64_t at)
{
    char copy[PROA_STRIPE_BYTES + 64];
    int error = proa_cma_read(place->peer, place->there + at, copy, c->count * c->bytes);

    if (error)
        return error;
    apply(c, copy);
    if (c->operation == PROA_OP_NO_OP)
        return PROA_OK;
    return proa_cma_write(place->peer, place->there + at, copy, c->count * c->bytes);
}

/* Stripe by stripe. An element belongs to the stripe of its first byte, whoever works on it. */
static int apply_striped(const struct combine *run, const struct proa_place *place)
{
    struct combine c = *run;
    int error = PROA_OK;

    for (uint64_t done = 0; done < run->count && !error; done += c.count, advance(&c, c.count)) {
        uint64_t at = done * c.bytes, key = place->key + at, covered = proa_stripe_take(place->owner, key);

        c.count = (covered + c.bytes - 1) / c.bytes;
        if (c.count > run->count - done)
            c.count = run->count - done;
        if (place->here)
            apply(&c, place->here + at);
        else
            error = apply_by_cma(&c, place, at);
        proa_stripe_release(place->owner, key);
    }
    return error;
}

/* ---- all three ---- */

/* Nobody else is there: in pieces only where the memory is not at hand. */
static int apply_plain(const struct combine *run, const struct proa_place *place)
{
    struct combine c = *run;
    int error = PROA_OK;

    if (place->here) {
        apply(run, place->here);
        return PROA_OK;
    }
    for (uint64_t done = 0; done < run->count && !error; done += c.count, advance(&c, c.count)) {
        c.count = PROA_STRIPE_BYTES / c.bytes;
        if (c.count > run->count - done)
            c.count = run->count - done;
        error = apply_by_cma(&c, place, done * c.bytes);
    }
    return error;
}

static int combine(struct proa_win *win, int rank, const struct combine *run, const struct proa_place *place)
{
    struct proa_guarded guarded;
    int error = PROA_OK;

    proa_guard_enter(win, rank, place, run->count, run->bytes, &guarded);
    if (guarded.guard == PROA_GUARD_PLAIN)
        error = apply_plain(run, place);
    else if (guarded.guard == PROA_GUARD_ATOMICS)
        apply_atomic(run, place->here);
    else
        error = apply_striped(run, place);
    proa_guard_leave(&guarded);
    if (guarded.guard != PROA_GUARD_ATOMICS || win->epoch_all & PROA_EPOCH_FENCE)
        proa_touch(win);
    return error;
}

/* ---- the operations ---- */

static int check_operation(const struct proa_buffer *origin, const struct proa_there *there, enum proa_operation operation,
                           struct combine *c)
{
    c->basic = there->type->basic;
    if (c->basic == PROA_MIXED)
        return proa_fail(PROA_ERR_TYPE, "the target datatype mixes basic types: an accumulate takes only one");
    if (operation != PROA_OP_NO_OP && origin->type->basic != c->basic && origin->count)
        return proa_fail(PROA_ERR_TYPE, "the origin's basic type (%s) is not the target's (%s)", proa_basic_name(origin->type->basic),
                         proa_basic_name(c->basic));
    c->kernel = proa_kernel_find(operation, c->basic);
    if (!c->kernel)
        return proa_fail(PROA_ERR_OP, "%s is not defined on this datatype (%s)", proa_operation_name(operation), proa_basic_name(c->basic));
    c->operation = operation;
    c->bytes = proa_basic_bytes(c->basic);
    c->count = there->count * there->type->size / c->bytes;
    c->origin = operation == PROA_OP_NO_OP ? NULL : origin->address;
    return PROA_OK;
}

static int accumulate(struct proa_win *win, struct combine *c, const struct proa_there *there)
{
    struct proa_place place;
    int error;

    if (c->count == 0)
        return proa_begin(win, there->rank);
    error = proa_begin_at(win, there, &place);
    return error ? error : combine(win, there->rank, c, &place);
}

int proa_accumulate(struct proa_win *win, const struct proa_buffer *origin, const struct proa_there *there, enum proa_operation operation)
{
    struct combine c = {0};
    int error = proa_check_types(origin, there, "origin");

    if (!error && operation == PROA_OP_NO_OP)
        error = proa_fail(PROA_ERR_OP, "MPI_NO_OP is for MPI_Get_accumulate and MPI_Fetch_and_op only");
    if (!error)
        error = check_operation(origin, there, operation, &c);
    return error ? error : accumulate(win, &c, there);
}

int proa_get_accumulate(struct proa_win *win, const struct proa_buffer *origin, const struct proa_buffer *result,
                        const struct proa_there *there, enum proa_operation operation)
{
    struct combine c = {.result = result->address};
    int error = proa_check_types(result, there, "result");

    if (!error && operation != PROA_OP_NO_OP)
        error = proa_check_types(origin, there, "origin");
    if (!error)
        error = check_operation(origin, there, operation, &c);
    return error ? error : accumulate(win, &c, there);
}

int proa_fetch_and_op(struct proa_win *win, const void *origin, void *result, const struct proa_there *there, enum proa_operation operation)
{
    struct proa_buffer from = {(void *)(uintptr_t)origin, 1, there->type}, to = {result, 1, there->type};

    return proa_get_accumulate(win, &from, &to, there, operation);
}

int proa_compare_and_swap(struct proa_win *win, const void *origin, const void *compare, void *result, const struct proa_there *there)
{
    struct combine c = {.basic = there->type->basic, .count = 1, .origin = origin, .result = result, .compare = compare};

    if (there->type->trouble)
        return proa_fail(PROA_ERR_TYPE, "the datatype %s", there->type->trouble);
    if (!proa_basic_compares(c.basic) || there->type->size != proa_basic_bytes(c.basic))
        return proa_fail(PROA_ERR_TYPE, "MPI_Compare_and_swap takes one integer, logical or byte, not %s", proa_basic_name(c.basic));
    if (!origin || !compare || !result)
        return proa_fail(PROA_ERR_BUFFER, "the %s buffer is NULL", !origin ? "origin" : !compare ? "compare" : "result");
    c.operation = PROA_OP_REPLACE;
    c.bytes = there->type->size;
    return accumulate(win, &c, there);
}
