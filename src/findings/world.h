/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes that check mode speaks of: those of MPI_COMM_WORLD, by their ranks there. */
#ifndef PROA_FINDINGS_WORLD_H
#define PROA_FINDINGS_WORLD_H

#include <mpi.h>

/* From MPI_Init, in check mode: collective, as all ranks need the same PROA_CHECK. all_have_proa:
 * surely, on every rank alike. */
void proa_world_begin(int all_have_proa);

/* Before the end of MPI. */
void proa_world_end(void);

/* This process, and how many there are. Before proa_world_begin, or without MPI_COMM_WORLD: 0
 * and 1. */
int proa_world_rank(void);
int proa_world_size(void);

/* A communicator of all these processes for check mode's own messages; MPI_COMM_NULL: there is
 * none, as some of them take no part. */
MPI_Comm proa_world_comm(void);

#endif
