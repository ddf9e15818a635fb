/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of communicators and windows, as ranks in MPI_COMM_WORLD. */
#ifndef PROA_HANG_MEMBERS_H
#define PROA_HANG_MEMBERS_H

#include <mpi.h>
#include <stdint.h>

struct proa_members {
    uint64_t id; /* equal in every process */
    int count;
    int is_inter; /* members of the other group of an intercommunicator */
    int rank[];   /* -1 if not in MPI_COMM_WORLD */
};

/* Returns the members of a communicator, stored as an attribute of it. For an intercommunicator
 * they are the remote members. Returns NULL if they are unknown. */
const struct proa_members *proa_members_of_comm(MPI_Comm comm);

/* The watchdog starts. Collective over comm, from which all communicators are created. */
void proa_members_begin(MPI_Comm comm);

/* A call of all members created this communicator. It gets an id of its own, distinct from those
 * with the same members. No-op without a watchdog. */
void proa_members_created(MPI_Comm comm);

/* Returns the members of a group. Groups of the same ranks in the same order have the same id. */
struct proa_members *proa_members_of_group(MPI_Group group);

/* A collective call of the host on a communicator returned in this process: its id counts one more.
 * proa_members_done copies the counts of the last ids, and returns the number of ids. */
struct proa_members_done {
    uint64_t id, count;
};
void proa_members_did(uint64_t id);
int proa_members_done(struct proa_members_done *done, int most);

/* Frees the members. No thread is inside a call that refers to them. NULL is a no-op. */
void proa_members_free(struct proa_members *members);

/* Returns an id for the next communicator or window of these members. They create them in one
 * order, so the id is equal in every process. If several threads create some, it may be the id of
 * another one. */
enum proa_members_make { PROA_MEMBERS_COMM, PROA_MEMBERS_WINDOW };
uint64_t proa_members_next_id(const struct proa_members *members, enum proa_members_make what);

#endif
