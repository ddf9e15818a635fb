/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Basic types and predefined operations, as core knows them.
 *
 * Basics are named by representation: MPI_INT and MPI_INTEGER are both I32. host/types.c maps each
 * host's predefined datatypes to these rows by size and kind; the rows themselves, and which
 * operation is defined on which class (MPI-4.1, 6.9.2), are this one table.
 */
#ifndef PROA_TYPE_BASIC_H
#define PROA_TYPE_BASIC_H

#include "base/hidden.h"

#include <stddef.h>
#include <stdint.h>

/* Marks types through which a kernel accesses a program's memory, which may have any type. */
#define PROA_ANY_MEMORY __attribute__((may_alias))

/* 128 bits by IEEE 754. Compilers have __float128 only where long double is another format. */
#if __LDBL_MANT_DIG__ == 113
typedef long double proa_float128;
#else
typedef __float128 proa_float128;
#endif

/* A value and an index. */
#define PROA_PAIR(name, value_type, index_type) \
    struct PROA_ANY_MEMORY proa_pair_##name {   \
        value_type value;                       \
        index_type index;                       \
    };
PROA_PAIR(float_int, float, int)
PROA_PAIR(double_int, double, int)
PROA_PAIR(long_int, long, int)
PROA_PAIR(int_int, int, int)
PROA_PAIR(short_int, short, int)
PROA_PAIR(ld_int, long double, int)
PROA_PAIR(float_float, float, float)
PROA_PAIR(double_double, double, double)
#undef PROA_PAIR

/* There is no C type for it that all compilers have: kernel_loops.h works on these values as float.
 */
struct proa_half_complex {
    uint16_t re, im;
};

/* Two complex numbers, for which only MPI_REPLACE is defined. */
struct proa_two_c32 {
    float _Complex first, second;
};
struct proa_two_c64 {
    double _Complex first, second;
};

/* X(name, C type, class). HALF: a floating type of 16 bits. BITS: bitwise operations, but no
 * arithmetic. OPAQUE: neither. */
#define PROA_WHOLES(X)                             \
    X(I8, int8_t, INTEGER)                         \
    X(I16, int16_t, INTEGER)                       \
    X(I32, int32_t, INTEGER)                       \
    X(I64, int64_t, INTEGER)                       \
    X(U8, uint8_t, INTEGER)                        \
    X(U16, uint16_t, INTEGER)                      \
    X(U32, uint32_t, INTEGER)                      \
    X(U64, uint64_t, INTEGER)                      \
    X(I128, proa_int128, INTEGER)                  \
    X(F16, uint16_t, HALF)                         \
    X(BF16, uint16_t, HALF)                        \
    X(C16, struct proa_half_complex, HALF_COMPLEX) \
    X(F32, float, FLOATING)                        \
    X(F64, double, FLOATING)                       \
    X(FLD, long double, FLOATING)                  \
    X(F128, proa_float128, FLOATING)               \
    X(C32, float _Complex, COMPLEX)                \
    X(C64, double _Complex, COMPLEX)               \
    X(CLD, long double _Complex, COMPLEX)          \
    X(C128, proa_complex128, COMPLEX)              \
    X(BOOL, uint8_t, LOGICAL)                      \
    X(L8, int8_t, LOGICAL)                         \
    X(L16, int16_t, LOGICAL)                       \
    X(L32, int32_t, LOGICAL)                       \
    X(L64, int64_t, LOGICAL)                       \
    X(L128, proa_int128, LOGICAL)                  \
    X(BYTE, uint8_t, BITS)                         \
    X(CHAR8, uint8_t, OPAQUE)                      \
    X(CHAR16, uint16_t, OPAQUE)                    \
    X(CHAR32, uint32_t, OPAQUE)                    \
    X(TWO_C32, struct proa_two_c32, OPAQUE)        \
    X(TWO_C64, struct proa_two_c64, OPAQUE)

/* The pair types of MINLOC and MAXLOC (MPI-4.1, 6.9.4). */
#define PROA_PAIRS(X)                                  \
    X(FLOAT_INT, struct proa_pair_float_int, PAIR)     \
    X(DOUBLE_INT, struct proa_pair_double_int, PAIR)   \
    X(LONG_INT, struct proa_pair_long_int, PAIR)       \
    X(INT_INT, struct proa_pair_int_int, PAIR)         \
    X(SHORT_INT, struct proa_pair_short_int, PAIR)     \
    X(LD_INT, struct proa_pair_ld_int, PAIR)           \
    X(FLOAT_FLOAT, struct proa_pair_float_float, PAIR) \
    X(DOUBLE_DOUBLE, struct proa_pair_double_double, PAIR)

#define PROA_BASICS(X) \
    PROA_WHOLES(X)     \
    PROA_PAIRS(X)

enum proa_basic {
#define PROA_BASIC_NUMBER(name, ctype, class) PROA_##name,
    PROA_BASICS(PROA_BASIC_NUMBER)
#undef PROA_BASIC_NUMBER
        PROA_BASIC_COUNT,
    PROA_MIXED = PROA_BASIC_COUNT /* a derived type of several basics */
};

/* X(name, the MPI name of the operation) */
#define PROA_OPERATIONS(X)  \
    X(SUM, MPI_SUM)         \
    X(PROD, MPI_PROD)       \
    X(MAX, MPI_MAX)         \
    X(MIN, MPI_MIN)         \
    X(LAND, MPI_LAND)       \
    X(LOR, MPI_LOR)         \
    X(LXOR, MPI_LXOR)       \
    X(BAND, MPI_BAND)       \
    X(BOR, MPI_BOR)         \
    X(BXOR, MPI_BXOR)       \
    X(MAXLOC, MPI_MAXLOC)   \
    X(MINLOC, MPI_MINLOC)   \
    X(REPLACE, MPI_REPLACE) \
    X(NO_OP, MPI_NO_OP)

enum proa_operation {
#define PROA_OPERATION_NUMBER(name, mpi) PROA_OP_##name,
    PROA_OPERATIONS(PROA_OPERATION_NUMBER)
#undef PROA_OPERATION_NUMBER
        PROA_OP_COUNT
};

/* Computes target[i] = target[i] op origin[i] for count elements. Neither array needs to be
 * aligned; they do not overlap. */
typedef void proa_kernel(void *target, const void *origin, uint64_t count);

/* The tables, one for each instruction set (type/kernel_loops.h). The last row, of PROA_MIXED, is
 * empty. proa_kernels is the table in use. */
extern PROA_HIDDEN proa_kernel *const proa_kernels_any[PROA_BASIC_COUNT + 1][PROA_OP_COUNT];
#if defined(__x86_64__)
extern PROA_HIDDEN proa_kernel *const proa_kernels_avx2[PROA_BASIC_COUNT + 1][PROA_OP_COUNT];
extern PROA_HIDDEN proa_kernel *const proa_kernels_avx512[PROA_BASIC_COUNT + 1][PROA_OP_COUNT];
#endif
extern PROA_HIDDEN proa_kernel *const (*proa_kernels)[PROA_OP_COUNT];

/* Switches to the best table for this processor. Until then proa_kernels is the table that works on
 * any processor. */
void proa_kernels_choose(void);

/* Returns NULL if the operation is not defined on the type. */
static inline proa_kernel *proa_kernel_find(enum proa_operation operation, enum proa_basic basic)
{
    return proa_kernels[basic][operation];
}

/* For messages: "MPI_SUM", "F64". */
const char *proa_operation_name(enum proa_operation operation);
const char *proa_basic_name(enum proa_basic basic);

/* Returns the bytes from one element to the next. */
size_t proa_basic_bytes(enum proa_basic basic);

/* For a pair type, sets the bytes of the value and of the index, and the offset of the index, and
 * returns 1. For any other type, sets nothing and returns 0. */
int proa_basic_pair(enum proa_basic basic, size_t *value, size_t *index, size_t *index_at);

/* Returns whether a type is integer, logical or byte: the types for compare_and_swap (MPI-4.1,
 * 13.3.4). Only these have logical or bitwise operations. */
static inline int proa_basic_compares(enum proa_basic basic)
{
    return proa_kernel_find(PROA_OP_LAND, basic) || proa_kernel_find(PROA_OP_BAND, basic);
}

#endif
