/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that the program starts by MPI_Comm_spawn: they get Proa too. */
#ifndef PROA_JOB_SPAWN_H
#define PROA_JOB_SPAWN_H

#include <mpi.h>

/* The info to spawn with, given the program's (MPI_INFO_NULL: it gave none): that one itself, or a
 * new one, for the caller to free, with LD_PRELOAD and the variables PROA_* of this process
 * besides, if Proa is preloaded here. The program's own is never changed, and what it sets for the
 * new processes stays. */
MPI_Info proa_spawn_info(MPI_Info info);

#endif
