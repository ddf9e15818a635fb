/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that the program starts by MPI_Comm_spawn: they run with Proa too. */
#ifndef PROA_JOB_SPAWN_H
#define PROA_JOB_SPAWN_H

#include <mpi.h>

/* Returns the info to spawn with. info: the program's, or MPI_INFO_NULL. If Proa is preloaded here,
 * the result is a new info, for the caller to free, with LD_PRELOAD and the variables PROA_* of
 * this process added. Otherwise it is the program's. The program's own is never changed, and what
 * it sets for the new processes stays. */
MPI_Info proa_spawn_info(MPI_Info info);

#endif
