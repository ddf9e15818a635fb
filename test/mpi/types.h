/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every predefined type and every operator that the standard defines for it (MPI-4.1, 6.9.2), with
 * the result computed here in C.
 *
 * A value is made from a small integer (set), combined (apply) and compared (equal): element by
 * element, so that padding in long double and in pair types does not count. Integers passed to set
 * are kept small enough for signed char and exact in float.
 */
#ifndef PROA_TEST_TYPES_H
#define PROA_TEST_TYPES_H

#include "check.h"
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <wchar.h>

enum op {
    op_max,
    op_min,
    op_sum,
    op_prod,
    op_land,
    op_lor,
    op_lxor,
    op_band,
    op_bor,
    op_bxor,
    op_maxloc,
    op_minloc,
    op_replace,
    op_no_op,
    nops
};

static const char *const op_names[nops] = {"MAX",    "MIN",    "SUM",     "PROD", "LAND",
                                           "LOR",    "LXOR",   "BAND",    "BOR",  "BXOR",
                                           "MAXLOC", "MINLOC", "REPLACE", "NO_OP"};

static inline MPI_Op op_handle(enum op op)
{
    const MPI_Op handles[nops] = {MPI_MAX,    MPI_MIN,    MPI_SUM,     MPI_PROD, MPI_LAND,
                                  MPI_LOR,    MPI_LXOR,   MPI_BAND,    MPI_BOR,  MPI_BXOR,
                                  MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP};
    return handles[op];
}

/* Operators by the standard's groups of types. */
enum {
    ordered = 1 << op_max | 1 << op_min,
    arithmetic = 1 << op_sum | 1 << op_prod,
    logic = 1 << op_land | 1 << op_lor | 1 << op_lxor,
    bits = 1 << op_band | 1 << op_bor | 1 << op_bxor,
    location = 1 << op_maxloc | 1 << op_minloc,
    any = 1 << op_replace | 1 << op_no_op,
    c_integer = ordered | arithmetic | logic | bits | any,
    fortran_integer = ordered | arithmetic | bits | any,
    multi_language = fortran_integer,
    floating = ordered | arithmetic | any,
    logical = logic | any,
    complex_number = arithmetic | any,
    byte = bits | any,
    pair = location | any,
};

struct basic {
    const char *name;
    MPI_Datatype type;
    size_t bytes;
    int ops;
    /* MPI_Compare_and_swap is defined for it: C and Fortran integer, logical, multi-language,
     * byte */
    bool swaps;
    void (*set)(void *at, int value);
    void (*apply)(enum op op, const void *in, void *inout);
    bool (*equal)(const void *a, const void *b);
};

/* What `in` does to `inout` for the operators that mean the same for all types. */
static inline bool moved(enum op op, const void *in, void *inout, size_t bytes)
{
    if (op == op_replace)
        memcpy(inout, in, bytes);
    return op == op_replace || op == op_no_op;
}

#define SET_AND_EQUAL(name, T)                             \
    static void set_##name(void *at, int value)            \
    {                                                      \
        T v = (T)value;                                    \
        memcpy(at, &v, sizeof v);                          \
    }                                                      \
    static bool equal_##name(const void *a, const void *b) \
    {                                                      \
        T x, y;                                            \
        memcpy(&x, a, sizeof x);                           \
        memcpy(&y, b, sizeof y);                           \
        return x == y;                                     \
    }

#define APPLY(name, T, CASES)                                         \
    static void apply_##name(enum op op, const void *in, void *inout) \
    {                                                                 \
        T x, y;                                                       \
        if (moved(op, in, inout, sizeof(T)))                          \
            return;                                                   \
        memcpy(&x, in, sizeof x);                                     \
        memcpy(&y, inout, sizeof y);                                  \
        switch (op) {                                                 \
            CASES(T)                                                  \
        default:                                                      \
            abort();                                                  \
        }                                                             \
        memcpy(inout, &y, sizeof y);                                  \
    }

#define ORDERED_CASES(T)   \
    case op_max:           \
        y = x > y ? x : y; \
        break;             \
    case op_min:           \
        y = x < y ? x : y; \
        break;
#define ARITHMETIC_CASES(T) \
    case op_sum:            \
        y = (T)(x + y);     \
        break;              \
    case op_prod:           \
        y = (T)(x * y);     \
        break;
#define LOGIC_CASES(T) \
    case op_land:      \
        y = x && y;    \
        break;         \
    case op_lor:       \
        y = x || y;    \
        break;         \
    case op_lxor:      \
        y = !x != !y;  \
        break;
#define BIT_CASES(T) \
    case op_band:    \
        y = x & y;   \
        break;       \
    case op_bor:     \
        y = x | y;   \
        break;       \
    case op_bxor:    \
        y = x ^ y;   \
        break;
#define INTEGER_CASES(T) ORDERED_CASES(T) ARITHMETIC_CASES(T) LOGIC_CASES(T) BIT_CASES(T)
#define FLOATING_CASES(T) ORDERED_CASES(T) ARITHMETIC_CASES(T)

#define INTEGER(name, T) SET_AND_EQUAL(name, T) APPLY(name, T, INTEGER_CASES)
#define FLOATING(name, T) SET_AND_EQUAL(name, T) APPLY(name, T, FLOATING_CASES)
#define COMPLEX(name, T) SET_AND_EQUAL(name, T) APPLY(name, T, ARITHMETIC_CASES)
#define LOGICAL(name, T) SET_AND_EQUAL(name, T) APPLY(name, T, LOGIC_CASES)

/* A value of a pair type has index value / 3, so that equal values with different indices occur:
 * then the smaller index wins. */
#define PAIR(name, T)                                                        \
    struct pair_##name {                                                     \
        T value;                                                             \
        int index;                                                           \
    };                                                                       \
    static void set_##name(void *at, int value)                              \
    {                                                                        \
        struct pair_##name v;                                                \
        memset(&v, 0, sizeof v);                                             \
        v.value = (T)(value % 3);                                            \
        v.index = value / 3;                                                 \
        memcpy(at, &v, sizeof v);                                            \
    }                                                                        \
    static bool equal_##name(const void *a, const void *b)                   \
    {                                                                        \
        struct pair_##name x, y;                                             \
        memcpy(&x, a, sizeof x);                                             \
        memcpy(&y, b, sizeof y);                                             \
        return x.value == y.value && x.index == y.index;                     \
    }                                                                        \
    static void apply_##name(enum op op, const void *in, void *inout)        \
    {                                                                        \
        struct pair_##name x, y;                                             \
        if (moved(op, in, inout, sizeof x))                                  \
            return;                                                          \
        memcpy(&x, in, sizeof x);                                            \
        memcpy(&y, inout, sizeof y);                                         \
        bool wins = op == op_maxloc ? x.value > y.value : x.value < y.value; \
        if (wins || (x.value == y.value && x.index < y.index))               \
            memcpy(inout, &x, sizeof x);                                     \
    }

typedef float complex cfloat;
typedef double complex cdouble;
typedef long double complex clongdouble;

INTEGER(schar, signed char)
INTEGER(short, short)
INTEGER(int, int)
INTEGER(long, long)
INTEGER(llong, long long)
INTEGER(uchar, unsigned char)
INTEGER(ushort, unsigned short)
INTEGER(unsigned, unsigned)
INTEGER(ulong, unsigned long)
INTEGER(ullong, unsigned long long)
INTEGER(aint, MPI_Aint)
INTEGER(offset, MPI_Offset)
INTEGER(count, MPI_Count)
INTEGER(char, char)
INTEGER(wchar, wchar_t)
FLOATING(float, float)
FLOATING(double, double)
FLOATING(longdouble, long double)
COMPLEX(cfloat, cfloat)
COMPLEX(cdouble, cdouble)
COMPLEX(clongdouble, clongdouble)
LOGICAL(truth, bool)
PAIR(float_int, float)
PAIR(double_int, double)
PAIR(long_int, long)
PAIR(2int, int)
PAIR(short_int, short)
PAIR(long_double_int, long double)

/* X(MPI type, functions' name, C type, operators, compare_and_swap) */
#define C_TYPES(X)                                                                \
    X(MPI_SIGNED_CHAR, schar, signed char, c_integer, true)                       \
    X(MPI_SHORT, short, short, c_integer, true)                                   \
    X(MPI_INT, int, int, c_integer, true)                                         \
    X(MPI_LONG, long, long, c_integer, true)                                      \
    X(MPI_LONG_LONG, llong, long long, c_integer, true)                           \
    X(MPI_UNSIGNED_CHAR, uchar, unsigned char, c_integer, true)                   \
    X(MPI_UNSIGNED_SHORT, ushort, unsigned short, c_integer, true)                \
    X(MPI_UNSIGNED, unsigned, unsigned, c_integer, true)                          \
    X(MPI_UNSIGNED_LONG, ulong, unsigned long, c_integer, true)                   \
    X(MPI_UNSIGNED_LONG_LONG, ullong, unsigned long long, c_integer, true)        \
    X(MPI_INT8_T, schar, int8_t, c_integer, true)                                 \
    X(MPI_INT16_T, short, int16_t, c_integer, true)                               \
    X(MPI_INT32_T, int, int32_t, c_integer, true)                                 \
    X(MPI_INT64_T, llong, int64_t, c_integer, true)                               \
    X(MPI_UINT8_T, uchar, uint8_t, c_integer, true)                               \
    X(MPI_UINT16_T, ushort, uint16_t, c_integer, true)                            \
    X(MPI_UINT32_T, unsigned, uint32_t, c_integer, true)                          \
    X(MPI_UINT64_T, ullong, uint64_t, c_integer, true)                            \
    X(MPI_AINT, aint, MPI_Aint, multi_language, true)                             \
    X(MPI_OFFSET, offset, MPI_Offset, multi_language, true)                       \
    X(MPI_COUNT, count, MPI_Count, multi_language, true)                          \
    X(MPI_FLOAT, float, float, floating, false)                                   \
    X(MPI_DOUBLE, double, double, floating, false)                                \
    X(MPI_LONG_DOUBLE, longdouble, long double, floating, false)                  \
    X(MPI_C_FLOAT_COMPLEX, cfloat, cfloat, complex_number, false)                 \
    X(MPI_C_COMPLEX, cfloat, cfloat, complex_number, false)                       \
    X(MPI_C_DOUBLE_COMPLEX, cdouble, cdouble, complex_number, false)              \
    X(MPI_C_LONG_DOUBLE_COMPLEX, clongdouble, clongdouble, complex_number, false) \
    X(MPI_C_BOOL, truth, bool, logical, true)                                     \
    X(MPI_BYTE, uchar, unsigned char, byte, true)                                 \
    X(MPI_CHAR, char, char, any, false)                                           \
    X(MPI_WCHAR, wchar, wchar_t, any, false)                                      \
    X(MPI_FLOAT_INT, float_int, struct pair_float_int, pair, false)               \
    X(MPI_DOUBLE_INT, double_int, struct pair_double_int, pair, false)            \
    X(MPI_LONG_INT, long_int, struct pair_long_int, pair, false)                  \
    X(MPI_2INT, 2int, struct pair_2int, pair, false)                              \
    X(MPI_SHORT_INT, short_int, struct pair_short_int, pair, false)               \
    X(MPI_LONG_DOUBLE_INT, long_double_int, struct pair_long_double_int, pair, false)

/* Fortran's and C++'s types as they are seen from C. A host built without such a compiler has null
 * handles: those are left out. */
#define OTHER_TYPES(X)                                              \
    X(MPI_INTEGER, int, int, fortran_integer, true)                 \
    X(MPI_INTEGER1, schar, int8_t, fortran_integer, true)           \
    X(MPI_INTEGER2, short, int16_t, fortran_integer, true)          \
    X(MPI_INTEGER4, int, int32_t, fortran_integer, true)            \
    X(MPI_INTEGER8, llong, int64_t, fortran_integer, true)          \
    X(MPI_REAL, float, float, floating, false)                      \
    X(MPI_REAL4, float, float, floating, false)                     \
    X(MPI_REAL8, double, double, floating, false)                   \
    X(MPI_DOUBLE_PRECISION, double, double, floating, false)        \
    X(MPI_COMPLEX, cfloat, cfloat, complex_number, false)           \
    X(MPI_COMPLEX8, cfloat, cfloat, complex_number, false)          \
    X(MPI_COMPLEX16, cdouble, cdouble, complex_number, false)       \
    X(MPI_DOUBLE_COMPLEX, cdouble, cdouble, complex_number, false)  \
    X(MPI_CHARACTER, char, char, any, false)                        \
    X(MPI_CXX_BOOL, truth, bool, logical, true)                     \
    X(MPI_CXX_FLOAT_COMPLEX, cfloat, cfloat, complex_number, false) \
    X(MPI_CXX_DOUBLE_COMPLEX, cdouble, cdouble, complex_number, false)

#define ROW(mpi, name, T, ops, swaps) \
    {#mpi, mpi, sizeof(T), ops, swaps, set_##name, apply_##name, equal_##name},

/* The rows whose type exists here. *n is how many; the array is the caller's to free. */
static inline struct basic *basic_types(int *n)
{
    const struct basic rows[] = { C_TYPES(ROW) OTHER_TYPES(ROW) };
    struct basic *types = need(malloc(sizeof rows));
    *n = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].type != MPI_DATATYPE_NULL)
            types[(*n)++] = rows[i];
    return types;
}

static inline bool defined(const struct basic *t, enum op op)
{
    return t->ops >> op & 1;
}

#endif
