/* SPDX-License-Identifier: BSD-3-Clause */
/* Window memory that is freed before its window (MPI-4.1, 13.2.1 and 13.2.4). The functions for
 * MPI_Alloc_mem, MPI_Free_mem and MPI_Win_attach are in usage/rules.h. */
#ifndef PROA_USAGE_MEMORY_H
#define PROA_USAGE_MEMORY_H

#include "usage/rules.h"

/* MPI_Win_free: reports memory that is gone. caller: return address. frame: address of the caller's
 * stack frame. */
void proa_memory_look(const struct proa_rules *rules, const void *caller, const void *frame);

/* Forgets the attached memory. */
void proa_memory_forget(struct proa_rules *rules);

#endif
