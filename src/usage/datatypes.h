/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of datatypes and buffers of one operation. */
#ifndef PROA_USAGE_DATATYPES_H
#define PROA_USAGE_DATATYPES_H

#include "base/calls.h"
#include "host/types.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>

/* The arguments of an operation. result: result buffer, or NULL for operations without one. */
struct proa_operands {
    enum proa_call call;
    const void *caller;
    const void *origin, *result;
    int64_t count, result_count, target_count;
    MPI_Datatype type, result_type, target_type;
    int gets;    /* data are stored to `origin` (MPI_Get) */
    int updates; /* data are written to the target, or combined with its data */
};

/* Fast check: returns true if all sides have one type without gaps, and the result is apart. */
static inline int proa_datatypes_hold(const void *origin, int64_t count, MPI_Datatype datatype,
                                      const char *result, int64_t result_count,
                                      MPI_Datatype result_datatype, MPI_Datatype target_datatype)
{
    const struct proa_type *type;

    if (datatype != target_datatype || result_datatype != target_datatype)
        return 0;
    type = proa_type_find(datatype);
    return type->dense &&
           (!result || !origin || (const char *)origin + (uint64_t)count * type->size <= result ||
            result + (uint64_t)result_count * type->size <= (const char *)origin);
}

/* Checks the operands; called before the operation. */
void proa_datatypes_check(const struct proa_win *win, const struct proa_operands *operands);

#endif
