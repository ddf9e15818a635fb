/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Types that only some hosts have: integers, logicals and floating numbers of 16 bytes and of 2,
 * pairs of complex numbers, and structs with the markers MPI_LB and MPI_UB of MPI-1. Every operator
 * on them that the standard defines for their kind, and no other. Types that a host lacks are left
 * out.
 */
#include "types.h"
#include "window.h"

enum { count = 5, max_bytes = 32 };

#ifdef MPI_INTEGER16
typedef __int128 int128;
INTEGER(int128, int128)
#endif
#ifdef MPI_LOGICAL16
typedef __int128 logical128;
LOGICAL(logical128, logical128)
#endif
#if (defined(MPI_REAL2) || defined(MPIX_C_FLOAT16)) && defined(__FLT16_MANT_DIG__)
#define HAS_HALF
FLOATING(half, _Float16)
#endif
#if defined(MPI_COMPLEX4) && defined(__FLT16_MANT_DIG__)
#define HAS_HALF_COMPLEX
COMPLEX(half_complex, _Float16 _Complex)
#endif
#ifdef MPIX_BFLOAT16
/* Small whole numbers only, which need no rounding: the upper half of a float. */
static void set_bfloat(void *at, int value)
{
    float v = (float)value;
    memcpy(at, (char *)&v + 2, 2);
}
static bool equal_bfloat(const void *a, const void *b)
{
    return memcmp(a, b, 2) == 0;
}
static void apply_bfloat(enum op op, const void *in, void *inout)
{
    float x = 0, y = 0;
    if (moved(op, in, inout, 2))
        return;
    memcpy((char *)&x + 2, in, 2);
    memcpy((char *)&y + 2, inout, 2);
    y = op == op_sum    ? x + y
        : op == op_prod ? x * y
        : op == op_max  ? (x > y ? x : y)
        : x < y         ? x
                        : y;
    memcpy(inout, (char *)&y + 2, 2);
}
#endif
#ifdef MPI_2COMPLEX
#define TWO(name, T)                                                  \
    static void set_##name(void *at, int value)                       \
    {                                                                 \
        T v[2] = {(T)value, (T)(value + 100)};                        \
        memcpy(at, v, sizeof v);                                      \
    }                                                                 \
    static bool equal_##name(const void *a, const void *b)            \
    {                                                                 \
        return memcmp(a, b, 2 * sizeof(T)) == 0;                      \
    }                                                                 \
    static void apply_##name(enum op op, const void *in, void *inout) \
    {                                                                 \
        moved(op, in, inout, 2 * sizeof(T));                          \
    }
TWO(two_complex, cfloat)
TWO(two_double_complex, cdouble)
#endif

static const struct basic rows[] = {
#ifdef MPI_INTEGER16
    {"MPI_INTEGER16", MPI_INTEGER16, 16, c_integer, true, set_int128, apply_int128, equal_int128},
#endif
#ifdef MPI_LOGICAL16
    {"MPI_LOGICAL16", MPI_LOGICAL16, 16, logical, true, set_logical128, apply_logical128,
     equal_logical128},
#endif
#if defined(MPI_REAL2) && defined(HAS_HALF)
    {"MPI_REAL2", MPI_REAL2, 2, floating, false, set_half, apply_half, equal_half},
#endif
#if defined(MPIX_C_FLOAT16) && defined(HAS_HALF)
    {"MPIX_C_FLOAT16", MPIX_C_FLOAT16, 2, floating, false, set_half, apply_half, equal_half},
#endif
#ifdef HAS_HALF_COMPLEX
    {"MPI_COMPLEX4", MPI_COMPLEX4, 4, complex_number, false, set_half_complex, apply_half_complex,
     equal_half_complex},
#endif
#ifdef MPIX_BFLOAT16
    {"MPIX_BFLOAT16", MPIX_BFLOAT16, 2, floating, false, set_bfloat, apply_bfloat, equal_bfloat},
#endif
#ifdef MPI_2COMPLEX
    {"MPI_2COMPLEX", MPI_2COMPLEX, 16, any, false, set_two_complex, apply_two_complex,
     equal_two_complex},
    {"MPI_2DOUBLE_COMPLEX", MPI_2DOUBLE_COMPLEX, 32, any, false, set_two_double_complex,
     apply_two_double_complex, equal_two_double_complex},
#endif
};

enum { nrows = sizeof rows / sizeof rows[0] };

/* A name may stand for MPI_DATATYPE_NULL, or for a handle without a size. */
static bool exists(const struct basic *t)
{
    int size = 0;
    return t->type != MPI_DATATYPE_NULL && MPI_Type_size(t->type, &size) == MPI_SUCCESS &&
           size == (int)t->bytes;
}

static void set_row(const struct basic *t, char *at, int first)
{
    for (int i = 0; i < count; i++)
        t->set(at + (size_t)i * t->bytes, (first + i) % 5);
}

static void expect_row(const struct area *a, const struct basic *t, enum op op, const char *where,
                       const char *found, const char *expected)
{
    for (int i = 0; i < count; i++)
        CHECK(t->equal(found + (size_t)i * t->bytes, expected + (size_t)i * t->bytes),
              "%s: %s with %s, %s: element %d", kind_names[a->kind], t->name, op_names[op], where,
              i);
}

/* Put, one element by fetch_and_op, all by get_accumulate, get. The target's memory is this rank's
 * alone. */
static void operate(const struct area *a, const struct basic *t, enum op op, int target,
                    bool exclusive)
{
    _Alignas(16) char start[count * max_bytes], in[count * max_bytes], first[max_bytes],
        out[count * max_bytes], now[count * max_bytes];
    MPI_Aint at = disp_at(a, target, 0);
    set_row(t, start, 1);
    set_row(t, in, 2 + rank);
    MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, a->win);
    MPI_Put(start, count, t->type, target, at, count, t->type, a->win);
    MPI_Win_flush(target, a->win);
    MPI_Fetch_and_op(in, first, t->type, target, at, op_handle(op), a->win);
    MPI_Get_accumulate(in, count, t->type, out, count, t->type, target, at, count, t->type,
                       op_handle(op), a->win);
    MPI_Win_flush(target, a->win);
    MPI_Get(now, count, t->type, target, at, count, t->type, a->win);
    MPI_Win_unlock(target, a->win);
    CHECK(t->equal(first, start), "%s: %s with %s: fetch_and_op's result", kind_names[a->kind],
          t->name, op_names[op]);
    t->apply(op, in, start);
    expect_row(a, t, op, "result", out, start);
    for (int i = 0; i < count; i++)
        t->apply(op, in + (size_t)i * t->bytes, start + (size_t)i * t->bytes);
    expect_row(a, t, op, "target", now, start);
}

static void swap(const struct area *a, const struct basic *t, int target)
{
    _Alignas(16) char zero[max_bytes], one[max_bytes], found[2][max_bytes];
    MPI_Aint at = disp_at(a, target, 0);
    t->set(zero, 0);
    t->set(one, 1);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
    MPI_Accumulate(zero, 1, t->type, target, at, 1, t->type, MPI_REPLACE, a->win);
    MPI_Compare_and_swap(one, zero, found[0], t->type, target, at, a->win);
    MPI_Compare_and_swap(zero, zero, found[1], t->type, target, at, a->win);
    MPI_Win_unlock(target, a->win);
    CHECK(t->equal(found[0], zero) && t->equal(found[1], one), "%s: compare_and_swap on %s",
          kind_names[a->kind], t->name);
}

static void refused(const struct area *a, const struct basic *t, enum op op, int target)
{
    _Alignas(16) char in[max_bytes];
    t->set(in, 3);
    int class = error_class(MPI_Accumulate(in, 1, t->type, target, disp_at(a, target, 0), 1,
                                           t->type, op_handle(op), a->win));
    CHECK(class == MPI_ERR_OP, "%s on %s gives class %d", op_names[op], t->name, class);
}

static void one_type(const struct area *a, const struct basic *t)
{
    int target = (rank + 1) % nranks;
    for (enum op op = 0; op < nops; op++)
        for (int exclusive = 0; exclusive < 2 && defined(t, op); exclusive++)
            operate(a, t, op, target, exclusive);
    if (t->swaps)
        swap(a, t, target);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, a->win);
    for (enum op op = 0; op < nops; op++)
        if (!defined(t, op))
            refused(a, t, op, target);
    MPI_Win_unlock(target, a->win);
}

/* ---- markers ---- */

#if defined(MPI_UB) && (!defined(OPEN_MPI) || OMPI_ENABLE_MPI1_COMPAT)
#define HAS_MARKERS

/* Two ints, 4 and 12 bytes behind the start of 24; three of these behind each other, and one inside
 * another. */
static void markers(const struct area *a)
{
    int sent[6] = {1, 2, 3, 4, 5, 6}, got[20], target = (rank + 1) % nranks,
        lengths[4] = {1, 1, 1, 1};
    MPI_Aint displacements[4] = {0, 4, 12, 24}, at = disp_at(a, target, 0);
    MPI_Datatype parts[4] = {MPI_LB, MPI_INT, MPI_INT, MPI_UB}, type, outer;
    MPI_Type_create_struct(4, lengths, displacements, parts, &type);
    MPI_Type_contiguous(3, type, &outer);
    MPI_Type_commit(&type);
    MPI_Type_commit(&outer);
    memset(got, 0, sizeof got);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, a->win);
    MPI_Put(got, 20, MPI_INT, target, at, 20, MPI_INT, a->win);
    MPI_Win_flush(target, a->win);
    MPI_Put(sent, 6, MPI_INT, target, at, 3, type, a->win);
    MPI_Win_flush(target, a->win);
    MPI_Accumulate(sent, 6, MPI_INT, target, at, 1, outer, MPI_SUM, a->win);
    MPI_Win_flush(target, a->win);
    MPI_Get(got, 20, MPI_INT, target, at, 20, MPI_INT, a->win);
    MPI_Win_unlock(target, a->win);
    for (int i = 0; i < 20; i++) {
        int expected = i < 18 && i % 6 == 1   ? 2 * (i / 6 * 2 + 1)
                       : i < 18 && i % 6 == 3 ? 2 * (i / 6 * 2 + 2)
                                              : 0;
        CHECK(got[i] == expected, "%s: a struct with MPI_LB and MPI_UB: %d at %d instead of %d",
              kind_names[a->kind], got[i], i, expected);
    }
    MPI_Type_free(&outer);
    MPI_Type_free(&type);
}
#endif

int main(int argc, char **argv)
{
    start(&argc, &argv);
    for (int kind = 0; kind < nkinds; kind++) {
        struct area a = open_area(kind, count * max_bytes, 1, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(a.win, MPI_ERRORS_RETURN);
        for (int i = 0; i < nrows; i++)
            if (exists(&rows[i])) {
                if (rank == 0 && kind == 0)
                    printf("%s\n", rows[i].name);
                one_type(&a, &rows[i]);
            }
#ifdef HAS_MARKERS
        markers(&a);
#endif
        MPI_Barrier(MPI_COMM_WORLD);
        close_area(&a);
    }
    return finish("op_rare");
}
