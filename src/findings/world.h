/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes that check mode speaks of: those of the job, by their ranks in MPI_COMM_WORLD, or
 * in the process set mpi://WORLD where the program has sessions alone. */
#ifndef PROA_FINDINGS_WORLD_H
#define PROA_FINDINGS_WORLD_H

#include <mpi.h>

/* When MPI starts, in check mode: rank and number of the processes. all: a communicator of them,
 * over which the call is collective; MPI_COMM_NULL: they have none, as some of them have no Proa.
 */
void proa_world_begin(MPI_Comm all, int rank, int size);

/* Before the end of MPI. leave: this process alone, as others do not come to it. */
void proa_world_end(void);
void proa_world_leave(void);

/* This process, and how many there are. Before proa_world_begin: 0 and 1. */
int proa_world_rank(void);
int proa_world_size(void);

/* Their group; the caller frees it. An error of the host's. */
int proa_world_group(MPI_Group *group);

/* A communicator of all these processes for check mode's own messages; MPI_COMM_NULL: there is
 * none, as some of them take no part. */
MPI_Comm proa_world_comm(void);

#endif
