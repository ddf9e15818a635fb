/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A datatype may be freed as soon as the call that uses it has returned, the epoch still open; the
 * host then gives its handle to the next type, of another shape. Nothing that was known of the old
 * type may be used for the new one. The same for types inside types.
 */
#include "window.h"
#include <stdbool.h>

#ifdef __SANITIZE_ADDRESS__
/* Open MPI's handles are addresses; AddressSanitizer keeps freed memory back for a while, and then
 * no handle comes again. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}
#endif

enum { rounds = 1000, parts = 4, ints = 400, per_round = 3 };

/* Which ints, from the buffer's address, a type covers. */
struct shape {
    MPI_Datatype type;
    int at[parts];
};

static uint64_t seed = 99;
static long reused; /* handles that came back at once */

static void choose_places(struct shape *s)
{
    int at = random_below(&seed, 5);
    for (int i = 0; i < parts; i++) {
        s->at[i] = at;
        at += 1 + random_below(&seed, 9);
    }
}

static void regular_places(struct shape *s, int stride)
{
    for (int i = 0; i < parts; i++)
        s->at[i] = i * stride;
}

static struct shape make_shape(void)
{
    struct shape s;
    int ones[parts] = {1, 1, 1, 1}, stride = 1 + random_below(&seed, 9);
    MPI_Aint bytes[parts];
    choose_places(&s);
    for (int i = 0; i < parts; i++)
        bytes[i] = s.at[i] * (MPI_Aint)sizeof(int);
    switch (random_below(&seed, 4)) {
    case 0:
        MPI_Type_create_indexed_block(parts, 1, s.at, MPI_INT, &s.type);
        break;
    case 1:
        MPI_Type_create_hindexed(parts, ones, bytes, MPI_INT, &s.type);
        break;
    case 2:
        regular_places(&s, stride);
        MPI_Type_vector(parts, 1, stride, MPI_INT, &s.type);
        break;
    default:
        regular_places(&s, 1);
        MPI_Type_contiguous(parts, MPI_INT, &s.type);
    }
    return s;
}

static void count_reuse(MPI_Datatype type, MPI_Datatype old)
{
    reused += type == old;
}

/* The target's ints `from` on, as they have to be. */
static void expect_put(int *expected, const struct shape *s, int from, const int *values)
{
    for (int i = 0; i < parts; i++)
        expected[from + s->at[i]] = values[i];
}

static void verify(const struct area *a, const int *expected, const char *what, int round)
{
    const int *found = a->base;
    int wrong = -1;
    for (int i = ints - 1; i >= 0; i--)
        if (found[i] != expected[i])
            wrong = i;
    CHECK(wrong < 0, "%s, round %d: %s: element %d is %d instead of %d", kind_names[a->kind], round,
          what, wrong, found[wrong < 0 ? 0 : wrong], expected[wrong < 0 ? 0 : wrong]);
}

static void clear(struct area *a, int *expected)
{
    memset(a->base, 0, ints * sizeof(int));
    memset(expected, 0, ints * sizeof(int));
}

/* Several types, one after the other under the same handle, in one epoch; as target type, as origin
 * type, and as both. */
static void in_turn(struct area *a, int target, int round)
{
    static int expected[ints], values[per_round][parts], spread[per_round][parts * 12];
    MPI_Datatype old = MPI_DATATYPE_NULL;
    clear(a, expected);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win);
    for (int k = 0; k < per_round; k++) {
        struct shape s = make_shape();
        MPI_Aint disp = disp_at(a, target, k * 100);
        count_reuse(s.type, old);
        old = s.type;
        MPI_Type_commit(&s.type);
        for (int i = 0; i < parts; i++)
            spread[k][s.at[i]] = values[k][i] = 1 + random_below(&seed, 1000);
        if (k == 0)
            MPI_Put(values[k], parts, MPI_INT, target, disp, 1, s.type, a->win);
        else if (k == 1)
            MPI_Put(spread[k], 1, s.type, target, disp, 1, s.type, a->win);
        else
            MPI_Accumulate(spread[k], 1, s.type, target, disp, 1, s.type, MPI_SUM, a->win);
        MPI_Type_free(&s.type);
        expect_put(expected, &s, k * 100, values[k]);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win);
    verify(a, expected, "types in turn", round);
}

/* The inner type is freed, after it was used by itself or before; its handle may be taken while the
 * outer type lives. */
static void inner_freed(struct area *a, int target, int round)
{
    static int expected[ints], values[2 * parts], other[parts];
    struct shape inner = make_shape(), next;
    MPI_Datatype outer, old = inner.type;
    bool used = random_below(&seed, 2);
    clear(a, expected);
    MPI_Type_create_hvector(2, 1, 100 * sizeof(int), inner.type, &outer);
    MPI_Type_commit(&outer);
    MPI_Type_commit(&inner.type);
    for (int i = 0; i < 2 * parts; i++)
        values[i] = 1 + random_below(&seed, 1000);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win);
    if (used)
        MPI_Put(values, parts, MPI_INT, target, disp_at(a, target, 200), 1, inner.type, a->win);
    MPI_Type_free(&inner.type);
    next = make_shape();
    count_reuse(next.type, old);
    MPI_Type_commit(&next.type);
    for (int i = 0; i < parts; i++)
        other[i] = -values[i];
    MPI_Put(other, parts, MPI_INT, target, disp_at(a, target, 300), 1, next.type, a->win);
    MPI_Put(values, 2 * parts, MPI_INT, target, disp_at(a, target, 0), 1, outer, a->win);
    MPI_Type_free(&outer);
    MPI_Type_free(&next.type);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win);
    if (used)
        expect_put(expected, &inner, 200, values);
    expect_put(expected, &next, 300, other);
    expect_put(expected, &inner, 0, values);
    expect_put(expected, &inner, 100, values + parts);
    verify(a, expected, "inner type freed", round);
}

/* The new type is not committed: knowledge of the old one does not count. */
static void not_committed(struct area *a, int target, int round)
{
    static int expected[ints], value[parts] = {1, 2, 3, 4};
    struct shape s = make_shape(), next;
    clear(a, expected);
    MPI_Type_commit(&s.type);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, a->win);
    MPI_Put(value, parts, MPI_INT, target, disp_at(a, target, 0), 1, s.type, a->win);
    MPI_Datatype old = s.type;
    MPI_Type_free(&s.type);
    next = make_shape();
    count_reuse(next.type, old);
    int class = error_class(
        MPI_Put(value, parts, MPI_INT, target, disp_at(a, target, 100), 1, next.type, a->win));
    CHECK(class == MPI_ERR_TYPE, "%s, round %d: a type that is not committed gives class %d",
          kind_names[a->kind], round, class);
    MPI_Type_commit(&next.type);
    MPI_Put(value, parts, MPI_INT, target, disp_at(a, target, 100), 1, next.type, a->win);
    MPI_Type_free(&next.type);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, a->win);
    expect_put(expected, &s, 0, value);
    expect_put(expected, &next, 100, value);
    verify(a, expected, "not committed at first", round);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, ints * sizeof(int), sizeof(int), MPI_COMM_WORLD);
        MPI_Win_set_errhandler(a.win, MPI_ERRORS_RETURN);
        for (int round = 0; round < rounds / nkinds; round++) {
            int target = (rank + round) % nranks;
            in_turn(&a, target, round);
            inner_freed(&a, target, round);
            not_committed(&a, target, round);
        }
        close_area(&a);
    }
    CHECK(reused > rounds / 10, "the host gave a handle again only %ld times: nothing was tested",
          reused);
    return finish("datatype_reuse");
}
