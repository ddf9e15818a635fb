/* SPDX-License-Identifier: BSD-3-Clause */
/* See types.h. */
#include "host/types.h"
#include "base/fail.h"
#include "host/kind.h"
#include "host/pmpi.h"

#include <stdio.h>
#include <string.h>

struct proa_table proa_types = PROA_TABLE_INIT;

/* The kind of a predefined type. Kind and size together give the basic type of core. A value of OWN
 * or more gives the basic type alone, as the difference to OWN. */
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
    MARKER,
    OWN
};

/* The basic types of each kind, of 1, 2, 4, 8, 16 and 32 bytes. */
enum { SIZES = 6 };
static const short basics[][SIZES] = {
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

/* Returns -1 if there is none. The length of a long double depends on the processor: 12 bytes, or
 * that of a double. */
static int basic_of(int kind, int size)
{
    int found = -1;

    if (kind >= OWN)
        return kind - OWN;
    for (int i = 0; i < SIZES; i++)
        if (size == 1 << i)
            found = basics[kind][i];
    if (found < 0 && kind == FLOATING && size == (int)sizeof(long double))
        return PROA_FLD;
    if (found < 0 && kind == COMPLEX && size == 2 * (int)sizeof(long double))
        return PROA_CLD;
    return found;
}

static int make(MPI_Datatype datatype, int kind, struct proa_type *type)
{
    int size = 0, basic = -1;

    if (kind == MARKER)
        return proa_type_list(NULL, 0, type);
    if (proa_pmpi()->Type_size(datatype, &size) == MPI_SUCCESS)
        basic = basic_of(kind, size);
    if (basic < 0)
        return proa_fail(PROA_ERR_TYPE, "a Fortran type of %d bytes is unknown to Proa", size);
    return proa_type_basic((enum proa_basic)basic, type);
}

/* Returns NULL if the type differs from the table, so nothing is known of it. */
static const struct proa_type *enter(MPI_Datatype datatype, int kind, struct proa_type *type)
{
    return make(datatype, kind, type) == PROA_OK &&
                   proa_table_set(&proa_types, PROA_TABLE_KEY(datatype), type) == 0
               ? type
               : NULL;
}

enum { LISTS_MOST = 32, TYPES_MOST = 20 };

/* Predefined types of one kind. */
struct list {
    int kind;
    MPI_Datatype of[TYPES_MOST]; /* terminated by 0 */
};

/* Fills in the lists. Returns their number. MPI_CHAR counts as an integer, as it does in both
 * hosts, though the standard defines no arithmetic on it. */
static int get_lists(struct list lists[LISTS_MOST])
{
    const struct list all[] = {
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
        {LOGICAL, {MPI_C_BOOL, MPI_LOGICAL, MPI_CXX_BOOL}},
        {COMPLEX,
         {MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
          MPI_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16, MPI_DOUBLE_COMPLEX, MPI_CXX_FLOAT_COMPLEX,
          MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX}},
        {QUAD, {MPI_REAL16}},
        {QUAD_COMPLEX, {MPI_COMPLEX32}},
        {OWN + PROA_FLOAT_INT, {MPI_FLOAT_INT}},
        {OWN + PROA_DOUBLE_INT, {MPI_DOUBLE_INT}},
        {OWN + PROA_LONG_INT, {MPI_LONG_INT}},
        {OWN + PROA_INT_INT, {MPI_2INT, MPI_2INTEGER}},
        {OWN + PROA_SHORT_INT, {MPI_SHORT_INT}},
        {OWN + PROA_LD_INT, {MPI_LONG_DOUBLE_INT}},
        {OWN + PROA_FLOAT_FLOAT, {MPI_2REAL}},
        {OWN + PROA_DOUBLE_DOUBLE, {MPI_2DOUBLE_PRECISION}},
    /* Types that only some hosts have. If a host has only the name of a type, its handle is
     * MPI_DATATYPE_NULL, or its size is not that of any basic type. */
#ifdef MPI_LOGICAL1
        {LOGICAL, {MPI_LOGICAL1, MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8}},
#endif
#ifdef MPI_LOGICAL16
        {LOGICAL, {MPI_LOGICAL16}},
#endif
#ifdef MPI_INTEGER16
        {SIGNED, {MPI_INTEGER16}},
#endif
#ifdef MPI_REAL2
        {FLOATING, {MPI_REAL2}},
#endif
#ifdef MPI_COMPLEX4
        {COMPLEX, {MPI_COMPLEX4}},
#endif
#ifdef MPIX_C_FLOAT16
        {FLOATING, {MPIX_C_FLOAT16}},
#endif
#ifdef MPIX_BFLOAT16
        {BRAIN, {MPIX_BFLOAT16}},
#endif
#ifdef MPI_2COMPLEX
        {TWO_COMPLEX, {MPI_2COMPLEX, MPI_2DOUBLE_COMPLEX}},
#endif
        /* Types of MPI-1 that mark the bounds of a struct, and have no bytes. The extent that the
         * host returns includes these bounds. */
        {MARKER, {proa_host_kind()->lower_bound, proa_host_kind()->upper_bound}},
    };

    _Static_assert(sizeof all / sizeof all[0] <= LISTS_MOST, "");
    memcpy(lists, all, sizeof all);
    return (int)(sizeof all / sizeof all[0]);
}

const struct proa_type *proa_types_predefined(MPI_Datatype datatype)
{
    static struct proa_type types[LISTS_MOST][TYPES_MOST];
    const struct proa_type *type = NULL;
    struct list lists[LISTS_MOST];
    const int count = get_lists(lists);

    for (int i = 0; i < count; i++)
        for (int k = 0; k < TYPES_MOST && lists[i].of[k] && !type; k++)
            if (lists[i].of[k] == datatype) { /* otherwise the next entry with that handle */
                type = enter(datatype, lists[i].kind, &types[i][k]);
                types[i][k].number = (uint16_t)(i * TYPES_MOST + k + 1);
            }
    return type;
}

void proa_types_name(unsigned number, char name[MPI_MAX_OBJECT_NAME])
{
    const unsigned at = number - 1;
    struct list lists[LISTS_MOST];
    int length = 0;

    snprintf(name, MPI_MAX_OBJECT_NAME, "a derived datatype");
    if (number && at / TYPES_MOST < (unsigned)get_lists(lists))
        proa_pmpi()->Type_get_name(lists[at / TYPES_MOST].of[at % TYPES_MOST], name, &length);
}

int proa_types_f90(MPI_Datatype datatype, int combiner, struct proa_type *type)
{
    enum kind kind = combiner == MPI_COMBINER_F90_COMPLEX ? COMPLEX
                     : combiner == MPI_COMBINER_F90_REAL  ? FLOATING
                                                          : SIGNED;
    int size;

    proa_pmpi()->Type_size(datatype, &size);
    if (kind != SIGNED && size == (kind == FLOATING ? 16 : 32)) /* gfortran's kind=16 */
        kind = kind == FLOATING ? QUAD : QUAD_COMPLEX;
    return make(datatype, kind, type);
}

struct proa_table proa_operations = PROA_TABLE_INIT;

void proa_operations_start(void)
{
#define OPERATION_NUMBER(name, mpi) PROA_OP_##name,
    static char numbers[] = {PROA_OPERATIONS(OPERATION_NUMBER)};

#define ENTER(name, mpi) \
    proa_table_set(&proa_operations, PROA_TABLE_KEY(mpi), &numbers[PROA_OP_##name]);
    PROA_OPERATIONS(ENTER)
}
