/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of communicators and windows, as ranks in MPI_COMM_WORLD. */
#ifndef PROA_HANG_MEMBERS_H
#define PROA_HANG_MEMBERS_H

#include <mpi.h>
#include <stdint.h>

struct proa_members {
    uint64_t id; /* the same in every process */
    int count;
    int is_inter; /* those of the other group of an intercommunicator */
    int rank[];   /* -1: not of MPI_COMM_WORLD */
};

/* Those of a communicator, which keeps them as an attribute; of an intercommunicator, the remote
 * ones. NULL: they are not known. */
const struct proa_members *proa_members_of_comm(MPI_Comm comm);

/* The watchdog begins; collective over comm, which all communicators are made from. */
void proa_members_begin(MPI_Comm comm);

/* A call that all its members are in has made this communicator: it gets an id of its own, apart
 * from those with the same members. Does nothing without a watchdog. */
void proa_members_created(MPI_Comm comm);

/* Those of a group, with an id that all groups of the same ranks in the same order have. */
struct proa_members *proa_members_of_group(MPI_Group group);

/* A call of the host's on all of a communicator is over in this process: one more of those that
 * have this id. proa_members_done: how many there were of each of the last ids; returns of how
 * many. */
struct proa_members_done {
    uint64_t id, count;
};
void proa_members_did(uint64_t id);
int proa_members_done(struct proa_members_done *done, int most);

/* Frees them; no thread is inside a call that names them. NULL: does nothing. */
void proa_members_free(struct proa_members *members);

/* An id for the next communicator or window of these members: they make them in one order. So it is
 * the same in every process, unless several threads make some: then it may be another one's. */
enum proa_members_make { PROA_MEMBERS_COMM, PROA_MEMBERS_WINDOW };
uint64_t proa_members_next_id(const struct proa_members *members, enum proa_members_make what);

#endif
