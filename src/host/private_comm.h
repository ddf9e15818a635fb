/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of the host that Proa holds while it is active: a communicator of this process alone,
 * and host progress (base/host_progress.h). The rest of this folder (room) uses them.
 */
#ifndef PROA_HOST_PRIVATE_COMM_H
#define PROA_HOST_PRIVATE_COMM_H

#include <mpi.h>

/* Creates the communicator, which takes Open MPI 50 us, if it does not exist yet. comm and the
 * result as for proa_private_comm_begin. */
int proa_private_comm_prepare(MPI_Comm comm);

/* Frees the communicator, if there is one, in a program in which Proa never started. */
void proa_private_comm_unprepare(void);

/* Creates the objects. comm: a communicator that a session gave, if there is no MPI_COMM_SELF; else
 * MPI_COMM_NULL. Returns PROA_OK, or PROA_ERR_OTHER if the host refuses. */
int proa_private_comm_begin(MPI_Comm comm);

/* Frees the objects. instead: the private communicator from now on. */
void proa_private_comm_end(MPI_Comm instead);

/* Returns the communicator for shadows, requests and host progress. It is split, not copied, from
 * MPI_COMM_SELF, so that its attributes stay the user's. */
MPI_Comm proa_private_comm(void);

#endif
