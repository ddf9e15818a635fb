/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of windows that goes before its window (MPI-4.1, 13.2.1 and 13.2.4). The functions for
 * MPI_Alloc_mem, MPI_Free_mem and MPI_Win_attach are in usage/rules.h. */
#ifndef PROA_USAGE_MEMORY_H
#define PROA_USAGE_MEMORY_H

#include "usage/rules.h"

/* MPI_Win_free: is the memory there? caller: its return address; frame: its address on the stack.
 */
void proa_memory_look(const struct proa_rules *rules, const void *caller, const void *frame);

/* Forgets what is attached. */
void proa_memory_forget(struct proa_rules *rules);

#endif
