/* SPDX-License-Identifier: BSD-3-Clause */
/* Maps MPI_Datatype and MPI_Op to core's types and operations. */
#ifndef PROA_HOST_TYPES_H
#define PROA_HOST_TYPES_H

#include "base/hidden.h"
#include "base/table.h"
#include "type/type.h"

#include <mpi.h>

extern PROA_HIDDEN struct proa_table proa_types;

/* Enters a predefined type of this host into the table at its first use, as a program uses few. For
 * one thread at a time. Returns NULL if the type is not predefined. */
const struct proa_type *proa_types_predefined(MPI_Datatype datatype);

/* Writes the name of the predefined type with that number of struct proa_type, which all processes
 * of a job share. number: 0 for a derived type. */
void proa_types_name(unsigned number, char name[MPI_MAX_OBJECT_NAME]);

/* Describes the types that MPI_Type_create_f90_real, _complex and _integer return, as if they were
 * predefined. Returns PROA_OK or a negative code. */
int proa_types_f90(MPI_Datatype datatype, int combiner, struct proa_type *type);

/* For a datatype that is not in the table: reads it from the host and enters it (host/datatype.c).
 * If it cannot be used, returns a type whose `trouble` says why. */
const struct proa_type *proa_type_unknown(MPI_Datatype datatype);

/* Returns the type; never NULL. A type that operations cannot use has a `trouble`. */
static inline const struct proa_type *proa_type_find(MPI_Datatype datatype)
{
    const struct proa_type *type = proa_table_find(&proa_types, PROA_TABLE_KEY(datatype));

    return __builtin_expect(type != NULL, 1) ? type : proa_type_unknown(datatype);
}

extern PROA_HIDDEN struct proa_table proa_operations;

/* Enters the predefined operations of this host. */
void proa_operations_start(void);

/* Returns a number of enum proa_operation, or -1 if op is null, or created by the user. */
static inline int proa_operation_find(MPI_Op op)
{
    const char *found = proa_table_find(&proa_operations, PROA_TABLE_KEY(op));

    return found ? *found : -1;
}

#endif
