/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recipe: how a derived datatype was constructed, in MPI's terms but without mpi.h; and the
 * construction of the type from it. host/datatype.c writes recipes as it reads a type from the
 * host; tests and fuzzers write their own.
 */
#ifndef PROA_TYPE_RECIPE_H
#define PROA_TYPE_RECIPE_H

#include "type/type.h"

/* Constructors, with the meaning of their numbers (MPI-4.1, 5.1.13). `numbers` holds them in this
 * order, all counts before all displacements:
 *   CONTIGUOUS  count
 *   VECTOR      count, blocklength, stride (in elements)
 *   HVECTOR     count, blocklength, stride (in bytes)
 *   INDEXED     count, blocklengths[count], displacements[count] (in elements)
 *   HINDEXED    the same, displacements in bytes; also STRUCT, with one part for each block
 *   INDEXED_BLOCK, HINDEXED_BLOCK  count, blocklength, displacements[count]
 *   STRUCT      count, blocklengths[count], displacements[count] (in bytes)
 *   SUBARRAY    ndims, sizes[ndims], subsizes[ndims], starts[ndims], fortran_order
 *   DARRAY      size, rank, ndims, gsizes[ndims], distribs[ndims] (enum proa_distribution),
 *               dargs[ndims] (-1: default), psizes[ndims],
 *               fortran_order
 *   DUP, RESIZED  nothing: the extent is enough */
enum proa_constructor {
    PROA_MAKE_CONTIGUOUS,
    PROA_MAKE_VECTOR,
    PROA_MAKE_HVECTOR,
    PROA_MAKE_INDEXED,
    PROA_MAKE_HINDEXED,
    PROA_MAKE_INDEXED_BLOCK,
    PROA_MAKE_HINDEXED_BLOCK,
    PROA_MAKE_STRUCT,
    PROA_MAKE_SUBARRAY,
    PROA_MAKE_DARRAY,
    PROA_MAKE_DUP,
    PROA_MAKE_RESIZED
};

enum proa_distribution { PROA_DISTRIBUTE_NONE, PROA_DISTRIBUTE_BLOCK, PROA_DISTRIBUTE_CYCLIC };

struct proa_recipe {
    enum proa_constructor constructor;
    const int64_t *numbers;
    size_t number_count;
    const struct proa_type *const
        *types; /* types of the parts: one, or for STRUCT one for each block */
    size_t type_count;
    int64_t extent; /* of the result */
};

/* Builds the type. result: the type. Returns PROA_OK or a negative code: numbers that do not fit
 * the constructor (PROA_ERR_TYPE), no memory, or too many bytes. */
int proa_recipe_make(const struct proa_recipe *recipe, struct proa_type *result);

#endif
