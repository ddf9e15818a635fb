/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes that check mode reports on: those of the job, by their ranks in MPI_COMM_WORLD. If
 * the program has sessions only, they are those of the process set mpi://WORLD. */
#ifndef PROA_FINDINGS_WORLD_H
#define PROA_FINDINGS_WORLD_H

#include <mpi.h>

/* Called when MPI starts, in check mode. all: communicator of the processes, over which the call is
 * collective, or MPI_COMM_NULL if some processes have no Proa. rank, size: rank in it and number of
 * processes. */
void proa_world_begin(MPI_Comm all, int rank, int size);

/* Called before MPI ends. proa_world_leave: called if this process ends alone, without the
 * others. */
void proa_world_end(void);
void proa_world_leave(void);

/* Rank of this process, and number of processes. Before proa_world_begin: 0 and 1. */
int proa_world_rank(void);
int proa_world_size(void);

/* Creates their group; the caller frees it. Returns an error code of the host. */
int proa_world_group(MPI_Group *group);

/* Returns a communicator of these processes for check mode's own messages. Returns MPI_COMM_NULL if
 * some of them take no part. */
MPI_Comm proa_world_comm(void);

#endif
