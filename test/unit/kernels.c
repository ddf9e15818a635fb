/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of kernels (type/basic.h): which operation is defined on which type, and each against
 * one element at a time done otherwise. */
#include "world.h"

#include "type/basic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef proa_float128 quad;
typedef _Complex float complex_quad __attribute__((mode(TC)));

/* ---- what the standard says (MPI-4.1, 6.9.2 and 6.9.4, 13.3.4), written down once more ---- */

enum family { INTEGER, REAL, COMPLEX, LOGICAL, BYTES, CHARACTER, PAIRS };

struct row {
    enum proa_basic basic;
    enum family family;
    size_t bytes;
    int is_signed; /* integers */
};

static const struct row rows[] = {
    {PROA_I8, INTEGER, 1, 1},
    {PROA_I16, INTEGER, 2, 1},
    {PROA_I32, INTEGER, 4, 1},
    {PROA_I64, INTEGER, 8, 1},
    {PROA_U8, INTEGER, 1, 0},
    {PROA_U16, INTEGER, 2, 0},
    {PROA_U32, INTEGER, 4, 0},
    {PROA_U64, INTEGER, 8, 0},
    {PROA_I128, INTEGER, 16, 1},
    {PROA_F16, REAL, 2, 0},
    {PROA_BF16, REAL, 2, 0},
    {PROA_C16, COMPLEX, 4, 0},
    {PROA_F32, REAL, 4, 0},
    {PROA_F64, REAL, 8, 0},
    {PROA_FLD, REAL, sizeof(long double), 0},
    {PROA_F128, REAL, 16, 0},
    {PROA_C32, COMPLEX, 8, 0},
    {PROA_C64, COMPLEX, 16, 0},
    {PROA_CLD, COMPLEX, 2 * sizeof(long double), 0},
    {PROA_C128, COMPLEX, 32, 0},
    {PROA_BOOL, LOGICAL, 1, 0},
    {PROA_L8, LOGICAL, 1, 1},
    {PROA_L16, LOGICAL, 2, 1},
    {PROA_L32, LOGICAL, 4, 1},
    {PROA_L64, LOGICAL, 8, 1},
    {PROA_L128, LOGICAL, 16, 1},
    {PROA_BYTE, BYTES, 1, 0},
    {PROA_CHAR8, CHARACTER, 1, 0},
    {PROA_CHAR16, CHARACTER, 2, 0},
    {PROA_CHAR32, CHARACTER, 4, 0},
    {PROA_TWO_C32, CHARACTER, 16, 0},
    {PROA_TWO_C64, CHARACTER, 32, 0},
    {PROA_FLOAT_INT, PAIRS, 8, 0},
    {PROA_DOUBLE_INT, PAIRS, 16, 0},
    {PROA_LONG_INT, PAIRS, 16, 0},
    {PROA_INT_INT, PAIRS, 8, 0},
    {PROA_SHORT_INT, PAIRS, 8, 0},
    {PROA_LD_INT, PAIRS, sizeof(struct proa_pair_ld_int), 0},
    {PROA_FLOAT_FLOAT, PAIRS, 8, 0},
    {PROA_DOUBLE_DOUBLE, PAIRS, 16, 0},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static int is_defined(enum family family, enum proa_operation operation)
{
    switch (operation) {
    case PROA_OP_REPLACE:
    case PROA_OP_NO_OP:
        return 1;
    case PROA_OP_SUM:
    case PROA_OP_PROD:
        return family == INTEGER || family == REAL || family == COMPLEX;
    case PROA_OP_MAX:
    case PROA_OP_MIN:
        return family == INTEGER || family == REAL;
    case PROA_OP_LAND:
    case PROA_OP_LOR:
    case PROA_OP_LXOR:
        return family == INTEGER || family == LOGICAL;
    case PROA_OP_BAND:
    case PROA_OP_BOR:
    case PROA_OP_BXOR:
        return family == INTEGER || family == BYTES;
    case PROA_OP_MAXLOC:
    case PROA_OP_MINLOC:
        return family == PAIRS;
    default:
        return 0;
    }
}

static void defined_body(struct world *world)
{
    (void)world;
    CHECK_EQUAL(ROWS, PROA_BASIC_COUNT);
    for (int i = 0; i < ROWS; i++) {
        CHECK_EQUAL(rows[i].basic, i);
        CHECK_EQUAL(proa_basic_bytes(rows[i].basic), rows[i].bytes);
        CHECK_EQUAL(proa_basic_compares(rows[i].basic), rows[i].family == INTEGER ||
                                                            rows[i].family == LOGICAL ||
                                                            rows[i].family == BYTES);
        CHECK(strlen(proa_basic_name(rows[i].basic)) >= 2);
        for (enum proa_operation op = 0; op < PROA_OP_COUNT; op++)
            CHECK_EQUAL(proa_kernel_find(op, rows[i].basic) != NULL,
                        is_defined(rows[i].family, op));
    }
    for (enum proa_operation op = 0; op < PROA_OP_COUNT; op++) {
        CHECK(!proa_kernel_find(op, PROA_MIXED));
        CHECK_EQUAL(strncmp(proa_operation_name(op), "MPI_", 4), 0);
    }
    CHECK_EQUAL(strcmp(proa_operation_name(PROA_OP_NO_OP), "MPI_NO_OP"), 0);
    CHECK_EQUAL(strcmp(proa_basic_name(PROA_DOUBLE_DOUBLE), "DOUBLE_DOUBLE"), 0);
}

WORLD_TEST(defined, 1)

/* ---- one element of any type: numbers wide enough for all of them ---- */

/* Reals hold small whole numbers only, so that no type rounds them and the order of work does not
 * matter. */
struct number {
    __int128 whole;     /* integers, logicals, bytes, characters; a pair's index */
    long double re, im; /* reals, complex; a pair's value in re */
};

/* Floating numbers of 16 bits, by the book: the sign, some bits of exponent, and the rest. No
 * infinities. */
static long double half_value(unsigned bits, int exponent_bits)
{
    int mantissa_bits = 15 - exponent_bits, exponent = (int)((bits & 0x7fff) >> mantissa_bits),
        least = 2 - (1 << (exponent_bits - 1));
    long mantissa =
        (long)(bits & ((1u << mantissa_bits) - 1)) + (exponent ? 1l << mantissa_bits : 0);
    long double size =
        ldexpl((long double)mantissa, least + (exponent ? exponent - 1 : 0) - mantissa_bits);

    return bits & 0x8000 ? -size : size;
}

/* The nearest, of two the even one; infinity where the next one after the largest would be. Sizes
 * grow with their bits. */
static uint16_t half_nearest(long double value, int exponent_bits)
{
    unsigned low = 0, high = ((1u << exponent_bits) - 1) << (15 - exponent_bits); /* infinity */
    long double size = value < 0 ? -value : value;

    while (low + 1 < high) {
        unsigned middle = (low + high) / 2;
        if (half_value(middle, exponent_bits) <= size)
            low = middle;
        else
            high = middle;
    }
    long double below = size - half_value(low, exponent_bits),
                above = half_value(high, exponent_bits) - size;
    if (above < below || (above == below && low % 2 == 1))
        low = high;
    return (uint16_t)(low | (value < 0 ? 0x8000 : 0));
}

enum { BITS_OF_F16 = 5, BITS_OF_BF16 = 8 }; /* of their exponents */

/* The place of a whole number's byte, from the lowest on. */
static size_t place(const struct row *row, size_t i)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : row->bytes - 1 - i;
}

static __int128 load_whole(const struct row *row, const unsigned char *at)
{
    unsigned __int128 bits = 0;

    /* bytes that are too many are folded in */
    for (size_t i = 0; i < row->bytes; i++)
        bits ^= (unsigned __int128)at[place(row, i)] << (8 * (i % sizeof bits));
    if (row->is_signed && row->bytes < sizeof bits && at[place(row, row->bytes - 1)] & 0x80)
        bits |= ~(unsigned __int128)0 << (8 * row->bytes);
    return (__int128)bits;
}

#define LOAD_AS(ctype, expression) \
    {                              \
        ctype v;                   \
        memcpy(&v, at, sizeof v);  \
        expression;                \
    }                              \
    break;

#define LOAD_REAL(ctype) LOAD_AS(ctype, n.re = (long double)v)
#define LOAD_COMPLEX(ctype) \
    LOAD_AS(ctype, n.re = (long double)__real__ v; n.im = (long double)__imag__ v)
#define LOAD_HALF(kind) LOAD_AS(uint16_t, n.re = half_value(v, BITS_OF_##kind))
#define LOAD_PAIR(tag) \
    LOAD_AS(struct proa_pair_##tag, n.re = (long double)v.value; n.whole = (__int128)v.index)

static struct number load(const struct row *row, const unsigned char *at)
{
    struct number n = {0};

    switch (row->basic) {
    case PROA_F16:
        LOAD_HALF(F16)
    case PROA_BF16:
        LOAD_HALF(BF16)
    case PROA_C16:
        LOAD_AS(struct proa_half_complex, n.re = half_value(v.re, BITS_OF_F16);
                n.im = half_value(v.im, BITS_OF_F16))
    case PROA_F32:
        LOAD_REAL(float)
    case PROA_F64:
        LOAD_REAL(double)
    case PROA_FLD:
        LOAD_REAL(long double)
    case PROA_F128:
        LOAD_REAL(quad)
    case PROA_C32:
        LOAD_COMPLEX(float _Complex)
    case PROA_C64:
        LOAD_COMPLEX(double _Complex)
    case PROA_CLD:
        LOAD_COMPLEX(long double _Complex)
    case PROA_C128:
        LOAD_COMPLEX(complex_quad)
    case PROA_FLOAT_INT:
        LOAD_PAIR(float_int)
    case PROA_DOUBLE_INT:
        LOAD_PAIR(double_int)
    case PROA_LONG_INT:
        LOAD_PAIR(long_int)
    case PROA_INT_INT:
        LOAD_PAIR(int_int)
    case PROA_SHORT_INT:
        LOAD_PAIR(short_int)
    case PROA_LD_INT:
        LOAD_PAIR(ld_int)
    case PROA_FLOAT_FLOAT:
        LOAD_PAIR(float_float)
    case PROA_DOUBLE_DOUBLE:
        LOAD_PAIR(double_double)
    default:
        n.whole = load_whole(row, at);
    }
    return n;
}

#define STORE_AS(ctype, first, second) \
    {                                  \
        ctype v;                       \
        memcpy(&v, at, sizeof v);      \
        first;                         \
        second;                        \
        memcpy(at, &v, sizeof v);      \
    }                                  \
    break;

#define STORE_REAL(ctype) STORE_AS(ctype, v = (ctype)a, (void)b)
#define STORE_COMPLEX(ctype) STORE_AS(ctype, __real__ v = a, __imag__ v = b)
#define STORE_HALF(kind) STORE_AS(uint16_t, v = half_nearest(a, BITS_OF_##kind), (void)b)
#define STORE_PAIR(tag, vtype, itype) \
    STORE_AS(struct proa_pair_##tag, v.value = (vtype)a, v.index = (itype)b)

/* An element made of two small whole numbers (reals, complex, pairs) or of random bits (all
 * others). */
static void store_random(const struct row *row, unsigned char *at, uint64_t *seed)
{
    int a = (int)world_below(seed, 17) - 8, b = (int)world_below(seed, 17) - 8;

    switch (row->basic) {
    case PROA_F16:
        STORE_HALF(F16)
    case PROA_BF16:
        STORE_HALF(BF16)
    case PROA_C16:
        STORE_AS(struct proa_half_complex, v.re = half_nearest(a, BITS_OF_F16),
                 v.im = half_nearest(b, BITS_OF_F16))
    case PROA_F32:
        STORE_REAL(float)
    case PROA_F64:
        STORE_REAL(double)
    case PROA_FLD:
        STORE_REAL(long double)
    case PROA_F128:
        STORE_REAL(quad)
    case PROA_C32:
        STORE_COMPLEX(float _Complex)
    case PROA_C64:
        STORE_COMPLEX(double _Complex)
    case PROA_CLD:
        STORE_COMPLEX(long double _Complex)
    case PROA_C128:
        STORE_COMPLEX(complex_quad)
    case PROA_FLOAT_INT:
        STORE_PAIR(float_int, float, int)
    case PROA_DOUBLE_INT:
        STORE_PAIR(double_int, double, int)
    case PROA_LONG_INT:
        STORE_PAIR(long_int, long, int)
    case PROA_INT_INT:
        STORE_PAIR(int_int, int, int)
    case PROA_SHORT_INT:
        STORE_PAIR(short_int, short, int)
    case PROA_LD_INT:
        STORE_PAIR(ld_int, long double, int)
    case PROA_FLOAT_FLOAT:
        STORE_PAIR(float_float, float, float)
    case PROA_DOUBLE_DOUBLE:
        STORE_PAIR(double_double, double, double)
    default:
        for (size_t i = 0; i < row->bytes; i++)
            /* many 0 and extremes */
            at[i] = (unsigned char)(world_below(seed, 4) ? world_random(seed)
                                                         : world_below(seed, 2) * 0xff);
        if (world_below(seed, 4) == 0)
            memset(at, 0, row->bytes);
    }
}

/* A whole number cut to so many bytes. */
static __int128 narrow(const struct row *row, __int128 n)
{
    unsigned char bytes[32] = {0};

    for (size_t i = 0; i < row->bytes && i < sizeof n; i++)
        bytes[place(row, i)] = (unsigned char)((unsigned __int128)n >> (8 * i));
    return load_whole(row, bytes);
}

static struct number whole_expected(const struct row *row, enum proa_operation op, __int128 t,
                                    __int128 o)
{
    struct number n = {0};

    switch (op) {
    case PROA_OP_SUM:
        n.whole = narrow(row, (__int128)((unsigned __int128)t + (unsigned __int128)o));
        break;
    case PROA_OP_PROD:
        n.whole = narrow(row, (__int128)((unsigned __int128)t * (unsigned __int128)o));
        break;
    case PROA_OP_MAX:
        n.whole = t > o ? t : o;
        break;
    case PROA_OP_MIN:
        n.whole = t < o ? t : o;
        break;
    case PROA_OP_LAND:
        n.whole = t != 0 && o != 0;
        break;
    case PROA_OP_LOR:
        n.whole = t != 0 || o != 0;
        break;
    case PROA_OP_LXOR:
        n.whole = (t != 0) != (o != 0);
        break;
    case PROA_OP_BAND:
        n.whole = t & o;
        break;
    case PROA_OP_BOR:
        n.whole = t | o;
        break;
    default:
        n.whole = t ^ o;
    }
    return n;
}

static struct number real_expected(enum proa_operation op, struct number t, struct number o)
{
    struct number n = {0};

    switch (op) {
    case PROA_OP_SUM:
        n.re = t.re + o.re;
        n.im = t.im + o.im;
        break;
    case PROA_OP_PROD:
        n.re = t.re * o.re - t.im * o.im;
        n.im = t.re * o.im + t.im * o.re;
        break;
    case PROA_OP_MAX:
        n.re = t.re > o.re ? t.re : o.re;
        break;
    default:
        n.re = t.re < o.re ? t.re : o.re;
    }
    return n;
}

static struct number expected(const struct row *row, enum proa_operation op, struct number t,
                              struct number o)
{
    if (op == PROA_OP_REPLACE)
        return o;
    if (op == PROA_OP_NO_OP)
        return t;
    if (row->family == PAIRS) {
        if (t.re == o.re)
            return t.whole <= o.whole ? t : o;
        return (op == PROA_OP_MAXLOC) == (t.re > o.re) ? t : o;
    }
    if (row->family == REAL || row->family == COMPLEX)
        return real_expected(op, t, o);
    return whole_expected(row, op, t.whole, o.whole);
}

/* ---- many elements, anywhere ---- */

enum { ELEMENTS = 70, EDGE = 64, PATTERN = 0xa5 };

struct field {
    unsigned char bytes[EDGE + ELEMENTS * 32 + EDGE];
};

static void check_edges(const struct field *field, size_t start, size_t bytes)
{
    for (size_t i = 0; i < start; i++)
        CHECK_EQUAL(field->bytes[i], PATTERN);
    for (size_t i = start + bytes; i < sizeof field->bytes; i++)
        CHECK_EQUAL(field->bytes[i], PATTERN);
}

static void try_kernel(const struct row *row, enum proa_operation op, size_t count, size_t shift,
                       uint64_t *seed)
{
    static struct field target, origin, before, origin_before;
    size_t t = EDGE + shift, o = EDGE + (size_t)world_below(seed, 16);

    memset(&target, PATTERN, sizeof target);
    memset(&origin, PATTERN, sizeof origin);
    for (size_t i = 0; i < count; i++) {
        store_random(row, target.bytes + t + i * row->bytes, seed);
        store_random(row, origin.bytes + o + i * row->bytes, seed);
    }
    before = target;
    origin_before = origin;
    proa_kernel_find(op, row->basic)(target.bytes + t, origin.bytes + o, count);
    CHECK_EQUAL(memcmp(&origin, &origin_before, sizeof origin), 0);
    check_edges(&target, t, count * row->bytes);
    for (size_t i = 0; i < count; i++) {
        struct number want = expected(row, op, load(row, before.bytes + t + i * row->bytes),
                                      load(row, origin.bytes + o + i * row->bytes));
        struct number got = load(row, target.bytes + t + i * row->bytes);
        if (want.whole != got.whole || want.re != got.re || want.im != got.im)
            world_failed(
                __FILE__, __LINE__,
                "%s on %s, element %zu of %zu, shifted %zu: %lld %Lg %Lg, not %lld %Lg %Lg",
                proa_operation_name(op), proa_basic_name(row->basic), i, count, shift,
                (long long)got.whole, got.re, got.im, (long long)want.whole, want.re, want.im);
    }
}

static void try_table(uint64_t seed)
{
    static const size_t counts[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70};

    for (int i = 0; i < ROWS; i++)
        for (enum proa_operation op = 0; op < PROA_OP_COUNT; op++)
            for (size_t k = 0;
                 proa_kernel_find(op, rows[i].basic) && k < sizeof counts / sizeof counts[0]; k++)
                for (size_t shift = 0; shift < 16; shift += 1 + k % 3)
                    try_kernel(&rows[i], op, counts[k], shift, &seed);
}

static void all_kernels_body(struct world *world)
{
    (void)world;
    proa_kernels = proa_kernels_any;
    try_table(5);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        proa_kernels = proa_kernels_avx2;
        try_table(7);
    }
#endif
    proa_kernels_choose();
    try_table(6);
}

WORLD_TEST(all_kernels, 1)

/* Ranks on processors of several kinds come to the same bits: a product and a sum are two
 * roundings, also where one instruction does both. */
static void round_alike_body(struct world *world)
{
    enum { COUNT = 64 };
    double numbers[2][2 * COUNT], any[2 * COUNT];
    uint64_t seed = 11;

    (void)world;
    for (int i = 0; i < 4 * COUNT; i++)
        numbers[i & 1][i / 2] = (double)(world_random(&seed) >> 11) * 0x1p-53 + 1;
    memcpy(any, numbers[0], sizeof any);
    proa_kernels_any[PROA_C64][PROA_OP_PROD](any, numbers[1], COUNT);
    proa_kernels_choose();
    proa_kernel_find(PROA_OP_PROD, PROA_C64)(numbers[0], numbers[1], COUNT);
    CHECK_EQUAL(memcmp(any, numbers[0], sizeof any), 0);
}

WORLD_TEST(round_alike, 1)

/* ---- floating numbers of 16 bits: rounded as IEEE 754 says, and what is no number stays none
 * ---- */

static void try_rounding(enum proa_basic basic, int exponent_bits, uint16_t a, uint16_t b)
{
    static const enum proa_operation operations[] = {PROA_OP_SUM, PROA_OP_PROD};
    long double x = half_value(a, exponent_bits), y = half_value(b, exponent_bits);

    for (int i = 0; i < 2; i++) {
        uint16_t got = a, want = half_nearest(i ? x * y : x + y, exponent_bits);
        proa_kernel_find(operations[i], basic)(&got, &b, 1);
        if (got != want && ((got | want) & 0x7fff) != 0)
            world_failed(__FILE__, __LINE__, "%s of %#x and %#x in %s: %#x, not %#x",
                         proa_operation_name(operations[i]), a, b, proa_basic_name(basic), got,
                         want);
    }
}

/* All that F16 has, but infinities and what is no number. */
static uint16_t random_F16(uint64_t *seed)
{
    return (uint16_t)(world_below(seed, 2) * 0x8000 + world_below(seed, 0x7c00));
}

/* Exponents that long double still adds without rounding. */
static uint16_t random_BF16(uint64_t *seed)
{
    return (uint16_t)(world_below(seed, 2) * 0x8000 + (100 + world_below(seed, 50)) * 0x80 +
                      world_below(seed, 0x80));
}

static void halves_body(struct world *world)
{
    static const uint16_t infinite = 0x7c00, nan = 0x7c01, one = 0x3c00, largest = 0x7bff;
    static const uint16_t brain_nan = 0x7f81, brain_one = 0x3f80;
    proa_kernel *sum = proa_kernel_find(PROA_OP_SUM, PROA_F16);
    uint64_t seed = 16;
    uint16_t t;
    (void)world;

    for (long i = 0; i < world_rounds(200000); i++) {
        uint16_t a = random_F16(&seed),
                 near = (uint16_t)((a ^ 0x8000) + (int)world_below(&seed, 5) - 2);
        try_rounding(PROA_F16, BITS_OF_F16, a, random_F16(&seed));
        /* differences that cancel */
        try_rounding(PROA_F16, BITS_OF_F16, a, (near & 0x7fff) < 0x7c00 ? near : a);
        try_rounding(PROA_BF16, BITS_OF_BF16, random_BF16(&seed), random_BF16(&seed));
    }
    sum((t = infinite, &t), &one, 1);
    CHECK_EQUAL(t, infinite);
    sum((t = largest, &t), &largest, 1);
    CHECK_EQUAL(t, infinite);
    sum((t = nan, &t), &one, 1);
    CHECK((t & 0x7fff) > 0x7c00);
    proa_kernel_find(PROA_OP_SUM, PROA_BF16)((t = brain_nan, &t), &brain_one, 1);
    CHECK((t & 0x7fff) > 0x7f80);
}

WORLD_TEST(halves, 1)

/* MINLOC and MAXLOC leave the padding of the target alone: something else may live there. */
static void padding_body(struct world *world)
{
    struct proa_pair_short_int target = {0}, origin = {0};
    unsigned char *gap = (unsigned char *)&target + sizeof(short);
    (void)world;

    memset(&origin, 0xff, sizeof origin);
    for (int i = 0; i < 100; i++) {
        memset(gap, i, offsetof(struct proa_pair_short_int, index) - sizeof(short));
        target.value = (short)i;
        origin.value = (short)(i + 1);
        target.index = origin.index = i;
        proa_kernel_find(PROA_OP_MAXLOC, PROA_SHORT_INT)(&target, &origin, 1);
        CHECK_EQUAL(target.value, i + 1);
        CHECK_EQUAL(gap[0], i);
        CHECK_EQUAL(gap[1], i);
    }
}

WORLD_TEST(padding, 1)

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defined), cmocka_unit_test(all_kernels),
                                       cmocka_unit_test(round_alike), cmocka_unit_test(halves),
                                       cmocka_unit_test(padding)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
