/* SPDX-License-Identifier: BSD-3-Clause */
/* From MPI_Op to core's operations. */
#ifndef PROA_HOST_OPERATIONS_H
#define PROA_HOST_OPERATIONS_H

#include "base/hidden.h"
#include "base/table.h"
#include "type/basic.h"

#include <mpi.h>

extern PROA_HIDDEN struct proa_table proa_operations;

/* Enters the predefined operations of this host. */
void proa_operations_start(void);

/* A number of enum proa_operation, or -1: null, or made by the user. */
static inline int proa_operation_find(MPI_Op op)
{
    const char *found = proa_table_find(&proa_operations, PROA_TABLE_KEY(op));

    return found ? *found : -1;
}

#endif
