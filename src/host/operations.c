/* SPDX-License-Identifier: BSD-3-Clause */
/* See operations.h. */
#include "host/operations.h"

struct proa_table proa_operations = PROA_TABLE_INIT;

void proa_operations_start(void)
{
#define OPERATION_NUMBER(name, mpi) PROA_OP_##name,
    static char numbers[] = {PROA_OPERATIONS(OPERATION_NUMBER)};

#define ENTER(name, mpi) \
    proa_table_set(&proa_operations, PROA_TABLE_KEY(mpi), &numbers[PROA_OP_##name]);
    PROA_OPERATIONS(ENTER)
}
