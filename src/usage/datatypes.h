/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of datatypes and buffers of one operation. */
#ifndef PROA_USAGE_DATATYPES_H
#define PROA_USAGE_DATATYPES_H

#include "base/calls.h"
#include "window/win.h"

#include <mpi.h>
#include <stdint.h>

/* The arguments of an operation; result: NULL for those without. */
struct proa_operands {
    enum proa_call call;
    const void *caller;
    const void *origin, *result;
    int64_t count, result_count, target_count;
    MPI_Datatype type, result_type, target_type;
    int gets;    /* data go to `origin` (MPI_Get) */
    int updates; /* data are written to the target, or combined there */
};

/* Before the operation. */
void proa_datatypes_check(const struct proa_win *win, const struct proa_operands *operands);

#endif
