/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roll: the mark of each rank of the job (job/manager.h), eight bytes a rank. If each rank
 * asked the manager for all marks, that would be P^2 requests to one process. So a rank receives
 * the roll from another rank, its teller, and sends it on.
 *
 * The ranks form a binomial tree. The ancestors of a rank are its number without its last binary
 * digit that is 1, and so on to rank 0. Its teller is the closest ancestor that sends the roll. A
 * rank without a teller, such as rank 0, asks for all marks. All ranks know the same keys, so both
 * sides of each message know of it: 2 P requests and P - 1 messages if all ranks take part, log2 P
 * one after another.
 *
 * The messages use MPI_COMM_WORLD before MPI_Init returns. A rank receives from its teller before
 * the program can receive anything, and messages of one rank do not overtake each other. So none
 * matches a receive of the program.
 *
 * A rank may die, or be stopped, before it sends the roll. A rank that has received nothing for 5 s
 * asks for all marks, and sends them to the ranks below, which wait a second longer for each step
 * of the tree. Time for which the rank itself was stopped does not count (base/patience.h). Its
 * receive stays posted, so that a late message matches no receive of the program.
 *
 * Used by job/presence.c alone.
 */
#ifndef PROA_JOB_ROLL_H
#define PROA_JOB_ROLL_H

#include "job/manager.h"

/* Returns the roll: the mark of each of `size` ranks; or NULL if there is no memory. The caller
 * keeps it to the end of the process: the host may still send from it. tells: 1 if this rank's key
 * says that it takes part in sending the roll; 0 to ask the manager for all marks. */
uint64_t *proa_roll_call(const struct proa_manager *manager, int rank, int size, int tells);

#endif
