/* SPDX-License-Identifier: BSD-3-Clause */
/* See types.h. */
#include "host/types.h"
#include "base/fail.h"
#include "host/kind.h"
#include "host/pmpi.h"

struct proa_table proa_types = PROA_TABLE_INIT;

/* The kind of a predefined type. Kind and size together give the basic type of core. */
enum kind {
    SIGNED,
    UNSIGNED,
    FLOATING,
    BRAIN,
    QUAD,
    COMPLEX,
    QUAD_COMPLEX,
    TWO_COMPLEX,
    LOGICAL,
    BITS,
    CHARACTER,
    PAIR,
    MARKER
};

struct row {
    MPI_Datatype datatype;
    enum kind kind;
    enum proa_basic pair;
};

/* The basics of each kind, of 1, 2, 4, 8, 16 and 32 bytes. */
enum { SIZES = 6 };
static const signed char basics[][SIZES] = {
    [SIGNED] = {PROA_I8, PROA_I16, PROA_I32, PROA_I64, PROA_I128, -1},
    [UNSIGNED] = {PROA_U8, PROA_U16, PROA_U32, PROA_U64, -1, -1},
    [FLOATING] = {-1, PROA_F16, PROA_F32, PROA_F64, -1, -1},
    [BRAIN] = {-1, PROA_BF16, -1, -1, -1, -1},
    [QUAD] = {-1, -1, -1, -1, PROA_F128, -1},
    [COMPLEX] = {-1, -1, PROA_C16, PROA_C32, PROA_C64, -1},
    [QUAD_COMPLEX] = {-1, -1, -1, -1, -1, PROA_C128},
    [TWO_COMPLEX] = {-1, -1, -1, -1, PROA_TWO_C32, PROA_TWO_C64},
    [LOGICAL] = {PROA_L8, PROA_L16, PROA_L32, PROA_L64, PROA_L128, -1},
    [BITS] = {PROA_BYTE, -1, -1, -1, -1, -1},
    [CHARACTER] = {PROA_CHAR8, PROA_CHAR16, PROA_CHAR32, -1, -1, -1},
};

/* -1: there is none. A long double is as long as the processor has it: 12 bytes, or no longer than
 * a double. */
static int basic_of(const struct row *row, int size)
{
    int found = -1;

    if (row->kind == PAIR)
        return row->pair;
    if (row->kind == MARKER)
        return -1;
    for (int i = 0; i < SIZES; i++)
        if (size == 1 << i)
            found = basics[row->kind][i];
    if (found < 0 && row->kind == FLOATING && size == (int)sizeof(long double))
        return PROA_FLD;
    if (found < 0 && row->kind == COMPLEX && size == 2 * (int)sizeof(long double))
        return PROA_CLD;
    return found;
}

/* NULL: it is not as the table says, so nothing is known of it. */
static const struct proa_type *enter(const struct row *row, struct proa_type *type)
{
    int size, basic;

    if (proa_pmpi()->Type_size(row->datatype, &size) != MPI_SUCCESS)
        return NULL;
    basic = basic_of(row, size);
    if (basic < 0 && row->kind != MARKER)
        return NULL;
    if ((row->kind == MARKER ? proa_type_list(NULL, 0, type)
                             : proa_type_basic((enum proa_basic)basic, type)) != PROA_OK)
        return NULL;
    return proa_table_set(&proa_types, PROA_TABLE_KEY(row->datatype), type) == 0 ? type : NULL;
}

/* Hosts have several names for one type. */
static const struct proa_type *enter_one_of(const struct row *rows, size_t count,
                                            struct proa_type *types, MPI_Datatype datatype)
{
    const struct proa_type *type = NULL;

    for (size_t i = 0; i < count && !type; i++)
        if (rows[i].datatype == datatype)
            type = enter(&rows[i], &types[i]);
    return type;
}

/* Types that only some hosts have. Where a host has only the name of a type, its handle is
 * MPI_DATATYPE_NULL, or its size is not that of any basic type. */
static const struct proa_type *enter_rare(MPI_Datatype datatype)
{
    const struct row rows[] = {
#ifdef MPI_INTEGER16
        {MPI_INTEGER16, SIGNED, 0},
#endif
#ifdef MPI_REAL2
        {MPI_REAL2, FLOATING, 0},
#endif
#ifdef MPI_COMPLEX4
        {MPI_COMPLEX4, COMPLEX, 0},
#endif
#ifdef MPI_LOGICAL16
        {MPI_LOGICAL16, LOGICAL, 0},
#endif
#ifdef MPIX_C_FLOAT16
        {MPIX_C_FLOAT16, FLOATING, 0},
#endif
#ifdef MPIX_BFLOAT16
        {MPIX_BFLOAT16, BRAIN, 0},
#endif
#ifdef MPI_2COMPLEX
        {MPI_2COMPLEX, TWO_COMPLEX, 0},
        {MPI_2DOUBLE_COMPLEX, TWO_COMPLEX, 0},
#endif
        /* Types of MPI-1 that mark the bounds of a struct, and have no bytes. The extent that the
         * host tells includes these bounds. */
        {proa_host_kind()->lower_bound, MARKER, 0},
        {proa_host_kind()->upper_bound, MARKER, 0},
    };
    static struct proa_type types[sizeof rows / sizeof rows[0]];

    return enter_one_of(rows, sizeof rows / sizeof rows[0], types, datatype);
}

/* The rest, in which each row has a basic type of its own. */
static const struct proa_type *enter_pair(MPI_Datatype datatype)
{
    const struct row rows[] = {
        {MPI_FLOAT_INT, PAIR, PROA_FLOAT_INT}, {MPI_DOUBLE_INT, PAIR, PROA_DOUBLE_INT},
        {MPI_LONG_INT, PAIR, PROA_LONG_INT},   {MPI_2INT, PAIR, PROA_INT_INT},
        {MPI_SHORT_INT, PAIR, PROA_SHORT_INT}, {MPI_LONG_DOUBLE_INT, PAIR, PROA_LD_INT},
        {MPI_2REAL, PAIR, PROA_FLOAT_FLOAT},   {MPI_2DOUBLE_PRECISION, PAIR, PROA_DOUBLE_DOUBLE},
        {MPI_2INTEGER, PAIR, PROA_INT_INT},
    };
    static struct proa_type types[sizeof rows / sizeof rows[0]];

    return enter_one_of(rows, sizeof rows / sizeof rows[0], types, datatype);
}

#ifdef MPI_LOGICAL1
#define LOGICALS_OF_BYTES MPI_LOGICAL1, MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8
#else
#define LOGICALS_OF_BYTES MPI_LOGICAL
#endif

/* The types that all hosts have. MPI_CHAR counts as an integer, as it does in both hosts, though
 * the standard defines no arithmetic on it. */
static const struct proa_type *enter_usual(MPI_Datatype datatype)
{
    enum { MOST = 20 };
    const struct {
        enum kind kind;
        MPI_Datatype of[MOST]; /* and 0 */
    } lists[] = {
        {SIGNED,
         {MPI_CHAR, MPI_SIGNED_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_LONG_LONG_INT, MPI_LONG_LONG,
          MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_AINT, MPI_OFFSET, MPI_COUNT,
          MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8}},
        {UNSIGNED,
         {MPI_UNSIGNED_CHAR, MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG,
          MPI_UNSIGNED_LONG_LONG, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T}},
        {BITS, {MPI_BYTE}},
        {CHARACTER, {MPI_PACKED, MPI_WCHAR, MPI_CHARACTER}},
        {FLOATING,
         {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_REAL4, MPI_REAL8,
          MPI_DOUBLE_PRECISION}},
        {LOGICAL, {MPI_C_BOOL, MPI_LOGICAL, MPI_CXX_BOOL, LOGICALS_OF_BYTES}},
        {COMPLEX,
         {MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
          MPI_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16, MPI_DOUBLE_COMPLEX, MPI_CXX_FLOAT_COMPLEX,
          MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX}},
        {QUAD, {MPI_REAL16}},
        {QUAD_COMPLEX, {MPI_COMPLEX32}},
    };
    static struct proa_type types[sizeof lists / sizeof lists[0]][MOST];

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (int k = 0; k < MOST && lists[i].of[k]; k++)
            if (lists[i].of[k] == datatype)
                return enter(&(const struct row){datatype, lists[i].kind, 0}, &types[i][k]);
    return NULL;
}

const struct proa_type *proa_types_predefined(MPI_Datatype datatype)
{
    const struct proa_type *type = enter_usual(datatype);

    if (!type)
        type = enter_pair(datatype);
    return type ? type : enter_rare(datatype);
}

int proa_types_f90(MPI_Datatype datatype, int combiner, struct proa_type *type)
{
    struct row row = {datatype,
                      combiner == MPI_COMBINER_F90_COMPLEX ? COMPLEX
                      : combiner == MPI_COMBINER_F90_REAL  ? FLOATING
                                                           : SIGNED,
                      0};
    int size, basic;

    proa_pmpi()->Type_size(datatype, &size);
    if (row.kind != SIGNED && size == (row.kind == FLOATING ? 16 : 32)) /* gfortran's kind=16 */
        row.kind = row.kind == FLOATING ? QUAD : QUAD_COMPLEX;
    basic = basic_of(&row, size);
    if (basic < 0)
        return proa_fail(PROA_ERR_TYPE, "a Fortran type of %d bytes is unknown to Proa", size);
    return proa_type_basic((enum proa_basic)basic, type);
}
