/*
 * The kernels of basic.h: one loop per operation and class, instantiated for each row of the table, vectorized by the compiler. To be included
 * once for each instruction set that they are compiled for, with PROA_KERNEL_TABLE, the name of the table to define.
 *
 * Elements are accessed through types of alignment 1, because a window displacement may be anything. Integer sums and products are done on
 * unsigned 64-bit values: they wrap like the hosts' do, and signed overflow is not undefined behaviour here.
 */
#ifndef PROA_CORE_KERNEL_LOOPS_H
#define PROA_CORE_KERNEL_LOOPS_H

#include "core/basic.h"

#include <string.h>

typedef __float128 proa_float128;
typedef _Complex float __attribute__((mode(TC))) proa_complex128;

#define LOOP(name, operation, ctype, expression)                                                                                           \
    static void kernel_##operation##_##name(void *target, const void *origin, uint64_t count)                                              \
    {                                                                                                                                      \
        typedef ctype element __attribute__((aligned(1), may_alias));                                                                      \
        element *restrict t = target;                                                                                                      \
        const element *restrict o = origin;                                                                                                \
        for (uint64_t i = 0; i < count; i++)                                                                                               \
            t[i] = (expression);                                                                                                           \
    }

#define WRAP(ctype, a, sign, b) (ctype)((uint64_t)(a)sign(uint64_t)(b))

#define INTEGER_KERNELS(name, ctype)                                                                                                       \
    LOOP(name, SUM, ctype, WRAP(ctype, t[i], +, o[i]))                                                                                     \
    LOOP(name, PROD, ctype, WRAP(ctype, t[i], *, o[i]))                                                                                    \
    LOOP(name, MAX, ctype, t[i] > o[i] ? t[i] : o[i])                                                                                      \
    LOOP(name, MIN, ctype, t[i] < o[i] ? t[i] : o[i])                                                                                      \
    LOOP(name, LAND, ctype, t[i] && o[i])                                                                                                  \
    LOOP(name, LOR, ctype, t[i] || o[i])                                                                                                   \
    LOOP(name, LXOR, ctype, !t[i] != !o[i])                                                                                                \
    LOOP(name, BAND, ctype, (ctype)(t[i] & o[i]))                                                                                          \
    LOOP(name, BOR, ctype, (ctype)(t[i] | o[i]))                                                                                           \
    LOOP(name, BXOR, ctype, (ctype)(t[i] ^ o[i]))

#define FLOATING_KERNELS(name, ctype)                                                                                                      \
    LOOP(name, SUM, ctype, t[i] + o[i])                                                                                                    \
    LOOP(name, PROD, ctype, t[i] * o[i])                                                                                                   \
    LOOP(name, MAX, ctype, t[i] > o[i] ? t[i] : o[i])                                                                                      \
    LOOP(name, MIN, ctype, t[i] < o[i] ? t[i] : o[i])

#define COMPLEX_KERNELS(name, ctype)                                                                                                       \
    LOOP(name, SUM, ctype, t[i] + o[i])                                                                                                    \
    LOOP(name, PROD, ctype, t[i] * o[i])

#define LOGICAL_KERNELS(name, ctype)                                                                                                       \
    LOOP(name, LAND, ctype, t[i] && o[i])                                                                                                  \
    LOOP(name, LOR, ctype, t[i] || o[i])                                                                                                   \
    LOOP(name, LXOR, ctype, !t[i] != !o[i])

#define BITS_KERNELS(name, ctype)                                                                                                          \
    LOOP(name, BAND, ctype, t[i] & o[i])                                                                                                   \
    LOOP(name, BOR, ctype, t[i] | o[i])                                                                                                    \
    LOOP(name, BXOR, ctype, t[i] ^ o[i])

#define OPAQUE_KERNELS(name, ctype)

/* Equal values: the lower index (MPI-4.1, 6.9.4). Fields are copied one by one: padding between elements stays as it is. */
#define PAIR_LOOP(name, operation, ctype, wins)                                                                                            \
    static void kernel_##operation##_##name(void *target, const void *origin, uint64_t count)                                              \
    {                                                                                                                                      \
        for (uint64_t i = 0; i < count; i++) {                                                                                             \
            ctype t, o;                                                                                                                    \
            memcpy(&t, (char *)target + i * sizeof t, offsetof(ctype, index) + sizeof t.index);                                            \
            memcpy(&o, (const char *)origin + i * sizeof o, offsetof(ctype, index) + sizeof o.index);                                      \
            if (!(o.value wins t.value || (o.value == t.value && o.index < t.index)))                                                      \
                continue;                                                                                                                  \
            memcpy((char *)target + i * sizeof t + offsetof(ctype, value), &o.value, sizeof o.value);                                      \
            memcpy((char *)target + i * sizeof t + offsetof(ctype, index), &o.index, sizeof o.index);                                      \
        }                                                                                                                                  \
    }

#define PAIR_KERNELS(name, ctype)                                                                                                          \
    PAIR_LOOP(name, MAXLOC, ctype, >)                                                                                                      \
    PAIR_LOOP(name, MINLOC, ctype, <)

#define KERNELS(name, ctype, class) class##_KERNELS(name, ctype)
PROA_BASICS(KERNELS)

/* MPI_REPLACE is defined on every type, and copies it whole; of a pair, value and index but not the padding, which may be somebody else's. */
#define WHOLE_REPLACE(name, ctype)                                                                                                         \
    static void kernel_REPLACE_##name(void *target, const void *origin, uint64_t count)                                                    \
    {                                                                                                                                      \
        memcpy(target, origin, count * sizeof(ctype));                                                                                     \
    }
#define PAIR_REPLACE(name, ctype)                                                                                                          \
    static void kernel_REPLACE_##name(void *target, const void *origin, uint64_t count)                                                    \
    {                                                                                                                                      \
        char *t = target;                                                                                                                  \
        const char *o = origin;                                                                                                            \
        for (uint64_t i = 0; i < count; i++, t += sizeof(ctype), o += sizeof(ctype)) {                                                     \
            memcpy(t, o, sizeof ((ctype *)0)->value);                                                                                      \
            memcpy(t + offsetof(ctype, index), o + offsetof(ctype, index), sizeof ((ctype *)0)->index);                                    \
        }                                                                                                                                  \
    }
#define INTEGER_REPLACE WHOLE_REPLACE
#define FLOATING_REPLACE WHOLE_REPLACE
#define COMPLEX_REPLACE WHOLE_REPLACE
#define LOGICAL_REPLACE WHOLE_REPLACE
#define BITS_REPLACE WHOLE_REPLACE
#define OPAQUE_REPLACE WHOLE_REPLACE
#define REPLACE_KERNEL(name, ctype, class) class##_REPLACE(name, ctype)
PROA_BASICS(REPLACE_KERNEL)

static void kernel_no_op(void *target, const void *origin, uint64_t count)
{
    (void)target;
    (void)origin;
    (void)count;
}

#define ROW(operation, name) [PROA_##name][PROA_OP_##operation] = kernel_##operation##_##name,
#define INTEGER_ROWS(name)                                                                                                                 \
    ROW(SUM, name) ROW(PROD, name) ROW(MAX, name) ROW(MIN, name) ROW(LAND, name) ROW(LOR, name) ROW(LXOR, name) ROW(BAND, name)            \
    ROW(BOR, name) ROW(BXOR, name)
#define FLOATING_ROWS(name) ROW(SUM, name) ROW(PROD, name) ROW(MAX, name) ROW(MIN, name)
#define COMPLEX_ROWS(name) ROW(SUM, name) ROW(PROD, name)
#define LOGICAL_ROWS(name) ROW(LAND, name) ROW(LOR, name) ROW(LXOR, name)
#define BITS_ROWS(name) ROW(BAND, name) ROW(BOR, name) ROW(BXOR, name)
#define OPAQUE_ROWS(name)
#define PAIR_ROWS(name) ROW(MAXLOC, name) ROW(MINLOC, name)
#define ROWS(name, ctype, class) class##_ROWS(name) ROW(REPLACE, name) [PROA_##name][PROA_OP_NO_OP] = kernel_no_op,

proa_kernel *const PROA_KERNEL_TABLE[PROA_BASIC_COUNT + 1][PROA_OP_COUNT] = {PROA_BASICS(ROWS)};

#endif
