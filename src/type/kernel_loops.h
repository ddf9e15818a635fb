/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels of basic.h: one loop per operation and class, instantiated for each row of the table,
 * vectorized by the compiler. This file is included once for each instruction set that the kernels
 * are compiled for, with PROA_KERNEL_TABLE defined as the name of the table to define.
 *
 * Elements are accessed through types of alignment 1, because a window displacement may be
 * anything. Integer sums and products are done on unsigned values: they wrap as in the hosts, and
 * signed overflow is not undefined behaviour here.
 */
#ifndef PROA_TYPE_KERNEL_LOOPS_H
#define PROA_TYPE_KERNEL_LOOPS_H

#include "type/basic.h"

#include <string.h>

typedef _Complex float __attribute__((mode(TC))) proa_complex128;
typedef __int128 proa_int128;

/* ---- floating numbers of 16 bits: computed as float, which holds sums and products of two of them
 * with enough precision that they are rounded only once ---- */

static inline float float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* IEEE binary16: 5 bits of exponent, 10 of mantissa. */
static inline float float_of_F16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 0x1f,
             mantissa = half & 0x3ff;

    if (exponent == 0) /* zero, or subnormal: units of 2^-24 */
        return float_of_bits(sign | bits_of_float((float)mantissa * 0x1p-24f));
    return float_of_bits(sign | (exponent == 0x1f ? 0xff : exponent + 127 - 15) << 23 |
                         mantissa << 13);
}

/* Rounds to nearest, ties to even. */
static inline uint16_t F16_of_float(float value)
{
    uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;

    if (size > 0x7f800000) /* NaN: always the same quiet one */
        return (uint16_t)(sign | 0x7e00 | (size >> 13 & 0x3ff));
    /* from half way between 65504, the largest number, and 65536 on: infinity */
    if (size >= 0x477ff000)
        return (uint16_t)(sign | 0x7c00);
    /* below 2^-14: added to 1/2, so that the processor rounds it to units of 2^-24 */
    if (size < 0x38800000)
        return (uint16_t)(sign | (bits_of_float(float_of_bits(size) + 0.5f) - bits_of_float(0.5f)));
    return (uint16_t)(sign | (size - ((127 - 15) << 23) + 0xfff + (size >> 13 & 1)) >> 13);
}

/* bfloat16: the upper half of a float. */
static inline float float_of_BF16(uint16_t half)
{
    return float_of_bits((uint32_t)half << 16);
}

static inline uint16_t BF16_of_float(float value)
{
    uint32_t bits = bits_of_float(value);

    if ((bits & 0x7fffffff) > 0x7f800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* ---- the loops ----
 *
 * The operations of each class, as X(type, operation, C type, the loop's expression): X defines the
 * loops, or the rows of the table. */

#define LOOP(name, operation, ctype, expression)                                              \
    static void kernel_##operation##_##name(void *target, const void *origin, uint64_t count) \
    {                                                                                         \
        typedef ctype element __attribute__((aligned(1), may_alias));                         \
        element *restrict t = target;                                                         \
        const element *restrict o = origin;                                                   \
        for (uint64_t i = 0; i < count; i++)                                                  \
            t[i] = (expression);                                                              \
    }

#define UNSIGNED(ctype, a) \
    __builtin_choose_expr(sizeof(ctype) > sizeof(uint64_t), (unsigned __int128)(a), (uint64_t)(a))
#define WRAP(ctype, a, sign, b) (ctype)(UNSIGNED(ctype, a) sign UNSIGNED(ctype, b))

#define LOGICAL_OPERATIONS(X, name, ctype)          \
    X(name, LAND, ctype, (t[i] != 0) & (o[i] != 0)) \
    X(name, LOR, ctype, (t[i] | o[i]) != 0)         \
    X(name, LXOR, ctype, !t[i] != !o[i])

#define BITS_OPERATIONS(X, name, ctype)        \
    X(name, BAND, ctype, (ctype)(t[i] & o[i])) \
    X(name, BOR, ctype, (ctype)(t[i] | o[i]))  \
    X(name, BXOR, ctype, (ctype)(t[i] ^ o[i]))

#define INTEGER_OPERATIONS(X, name, ctype)           \
    X(name, SUM, ctype, WRAP(ctype, t[i], +, o[i]))  \
    X(name, PROD, ctype, WRAP(ctype, t[i], *, o[i])) \
    X(name, MAX, ctype, t[i] > o[i] ? t[i] : o[i])   \
    X(name, MIN, ctype, t[i] < o[i] ? t[i] : o[i])   \
    LOGICAL_OPERATIONS(X, name, ctype)               \
    BITS_OPERATIONS(X, name, ctype)

#define COMPLEX_OPERATIONS(X, name, ctype) \
    X(name, SUM, ctype, t[i] + o[i])       \
    X(name, PROD, ctype, t[i] * o[i])

#define FLOATING_OPERATIONS(X, name, ctype)        \
    COMPLEX_OPERATIONS(X, name, ctype)             \
    X(name, MAX, ctype, t[i] > o[i] ? t[i] : o[i]) \
    X(name, MIN, ctype, t[i] < o[i] ? t[i] : o[i])

/* Computes as float: a is the element of the target, b that of the origin. */
#define HALF_LOOP(name, operation, ctype, expression)                                         \
    static void kernel_##operation##_##name(void *target, const void *origin, uint64_t count) \
    {                                                                                         \
        typedef uint16_t element __attribute__((aligned(1), may_alias));                      \
        element *t = target;                                                                  \
        const element *o = origin;                                                            \
        for (uint64_t i = 0; i < count; i++) {                                                \
            float a = float_of_##name(t[i]), b = float_of_##name(o[i]);                       \
            t[i] = name##_of_float(expression);                                               \
        }                                                                                     \
    }

#define HALF_OPERATIONS(X, name, ctype) \
    X(name, SUM, ctype, a + b)          \
    X(name, PROD, ctype, a *b)          \
    X(name, MAX, ctype, a > b ? a : b)  \
    X(name, MIN, ctype, a < b ? a : b)

#define HALF_COMPLEX_LOOP(name, operation, ctype, real, imaginary)                            \
    static void kernel_##operation##_##name(void *target, const void *origin, uint64_t count) \
    {                                                                                         \
        typedef uint16_t element __attribute__((aligned(1), may_alias));                      \
        element *t = target;                                                                  \
        const element *o = origin;                                                            \
        for (uint64_t i = 0; i < count; i++, t += 2, o += 2) {                                \
            float a = float_of_F16(t[0]), ai = float_of_F16(t[1]), b = float_of_F16(o[0]),    \
                  bi = float_of_F16(o[1]);                                                    \
            t[0] = F16_of_float(real);                                                        \
            t[1] = F16_of_float(imaginary);                                                   \
        }                                                                                     \
    }

#define HALF_COMPLEX_OPERATIONS(X, name, ctype) \
    X(name, SUM, ctype, a + b, ai + bi)         \
    X(name, PROD, ctype, a *b - ai * bi, a * bi + ai * b)

#define OPAQUE_OPERATIONS(X, name, ctype)

/* Equal values: the lower index (MPI-4.1, 6.9.4). The fields are stored one by one, so padding
 * between elements stays as it is. The loop has no branch, as no processor could predict it. */
#define PAIR_LOOP(name, operation, ctype, wins)                                               \
    static void kernel_##operation##_##name(void *target, const void *origin, uint64_t count) \
    {                                                                                         \
        typedef ctype pair __attribute__((aligned(1)));                                       \
        pair *restrict t = target;                                                            \
        const pair *restrict o = origin;                                                      \
        for (uint64_t i = 0; i < count; i++) {                                                \
            int takes = (o[i].value wins t[i].value) |                                        \
                        ((o[i].value == t[i].value) & (o[i].index < t[i].index));             \
            t[i].value = takes ? o[i].value : t[i].value;                                     \
            t[i].index = takes ? o[i].index : t[i].index;                                     \
        }                                                                                     \
    }

#define PAIR_OPERATIONS(X, name, ctype) \
    X(name, MAXLOC, ctype, >)           \
    X(name, MINLOC, ctype, <)

#define INTEGER_LOOP LOOP
#define FLOATING_LOOP LOOP
#define COMPLEX_LOOP LOOP
#define LOGICAL_LOOP LOOP
#define BITS_LOOP LOOP
#define KERNELS(name, ctype, class) class##_OPERATIONS(class##_LOOP, name, ctype)
PROA_BASICS(KERNELS)

/* MPI_REPLACE is defined on every type, and copies it whole. Of a pair it copies value and index
 * but not the padding, which may hold other data of the program. */
#define WHOLE_REPLACE(name, ctype, class)                                               \
    static void kernel_REPLACE_##name(void *target, const void *origin, uint64_t count) \
    {                                                                                   \
        memcpy(target, origin, count * sizeof(ctype));                                  \
    }
#define PAIR_REPLACE(name, ctype, class)                                                \
    static void kernel_REPLACE_##name(void *target, const void *origin, uint64_t count) \
    {                                                                                   \
        char *t = target;                                                               \
        const char *o = origin;                                                         \
        for (uint64_t i = 0; i < count; i++, t += sizeof(ctype), o += sizeof(ctype)) {  \
            memcpy(t, o, sizeof((ctype *)0)->value);                                    \
            memcpy(t + offsetof(ctype, index), o + offsetof(ctype, index),              \
                   sizeof((ctype *)0)->index);                                          \
        }                                                                               \
    }
PROA_WHOLES(WHOLE_REPLACE)
PROA_PAIRS(PAIR_REPLACE)

static void kernel_no_op(void *target, const void *origin, uint64_t count)
{
    (void)target;
    (void)origin;
    (void)count;
}

#define ROW(name, operation, ...) [PROA_##name][PROA_OP_##operation] = kernel_##operation##_##name,
/* clang-format off */
#define ROWS(name, ctype, class) \
    class##_OPERATIONS(ROW, name, ctype) ROW(name, REPLACE) [PROA_##name][PROA_OP_NO_OP] = kernel_no_op,
/* clang-format on */

proa_kernel *const PROA_KERNEL_TABLE[PROA_BASIC_COUNT + 1][PROA_OP_COUNT] = {PROA_BASICS(ROWS)};

#endif
