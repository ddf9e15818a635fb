/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that the program starts by MPI_Comm_spawn: they run with Proa too. */
#ifndef PROA_JOB_SPAWN_H
#define PROA_JOB_SPAWN_H

#include <mpi.h>

/* Returns the info to spawn with: the program's own; or, if Proa is preloaded here, a new one, for
 * the caller to free, with LD_PRELOAD and the variables PROA_* of this process added. The program's
 * own is never changed, and what it sets for the new processes stays. info: the program's, or
 * MPI_INFO_NULL. */
MPI_Info proa_spawn_info(MPI_Info info);

#endif
