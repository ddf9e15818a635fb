/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of communicators and windows, as ranks in MPI_COMM_WORLD. */
#ifndef PROA_HANG_MEMBERS_H
#define PROA_HANG_MEMBERS_H

#include <mpi.h>
#include <stdint.h>

struct proa_members {
    uint64_t id; /* the same for the same ranks in the same order, in every process */
    int count;
    int is_inter; /* those of the other group of an intercommunicator */
    int rank[];   /* -1: not of MPI_COMM_WORLD */
};

/* Those of a communicator, which keeps them as an attribute; of an intercommunicator, the remote
 * ones. NULL: they are not known. */
const struct proa_members *proa_members_of_comm(MPI_Comm comm);

/* Those of a group; the caller frees them. */
struct proa_members *proa_members_of_group(MPI_Group group);

#endif
