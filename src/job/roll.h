/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roll: the key of each rank of the job (job/manager.h), one byte a rank. If each rank asked
 * the manager for all keys, that would be P^2 requests to one process. So a rank hears the roll
 * from its teller, and tells it on.
 *
 * The ranks form a binomial tree: the ancestors of a rank are its number without its last binary
 * digit that is 1, and so on to rank 0. Its teller is the closest ancestor that tells. A rank
 * without a teller, such as rank 0, asks for all keys. All know the same keys, so both ends of each
 * message know of it: 2 P requests and P - 1 messages if all ranks tell, log2 P one after another.
 *
 * The messages go over MPI_COMM_WORLD before MPI_Init returns. A rank hears from its teller before
 * the program can receive anything, and messages of one rank do not overtake each other, so none
 * meets a receive of the program's.
 *
 * Used by job/presence.c alone.
 */
#ifndef PROA_JOB_ROLL_H
#define PROA_JOB_ROLL_H

#include "job/manager.h"

/* The teller of a rank that tells, asked of the manager; -1: it has none. */
int proa_roll_teller(const struct proa_manager *manager, int rank);

/* Waits for the teller's message. roll: enum proa_key of each of `size` ranks. 1, or 0: the host
 * has failed. */
int proa_roll_hear(int teller, char *roll, int size);

/* Tells the roll to all ranks whose teller this rank is. */
void proa_roll_tell(int rank, const char *roll, int size);

#endif
