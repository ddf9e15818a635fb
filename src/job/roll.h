/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The roll: the mark of each rank of the job (job/manager.h), eight bytes a rank. If each rank
 * asked the manager for all marks, that would be P^2 requests to one process. So a rank hears the
 * roll from its teller, and tells it on.
 *
 * The ranks form a binomial tree: the ancestors of a rank are its number without its last binary
 * digit that is 1, and so on to rank 0. Its teller is the closest ancestor that tells. A rank
 * without a teller, such as rank 0, asks for all marks. All know the same keys, so both ends of
 * each message know of it: 2 P requests and P - 1 messages if all ranks tell, log2 P one after
 * another.
 *
 * The messages go over MPI_COMM_WORLD before MPI_Init returns. A rank hears from its teller before
 * the program can receive anything, and messages of one rank do not overtake each other, so none
 * meets a receive of the program's.
 *
 * A rank may die, or be stopped, before it tells. A rank that has heard nothing for 5 s asks for
 * all marks, and tells those below, which wait a second longer for each step of the tree. Time for
 * which it was stopped itself does not count (base/patience.h). Its receive stays, so that a late
 * message meets none of the program's.
 *
 * Used by job/presence.c alone.
 */
#ifndef PROA_JOB_ROLL_H
#define PROA_JOB_ROLL_H

#include "job/manager.h"

/* The roll: the mark of each of `size` ranks. tells: this rank's key says that it tells, so it
 * hears the roll and tells it on; 0: it asks the manager for all marks. NULL: no memory. The caller
 * keeps it to the end of the process: the host may still send from it. */
uint64_t *proa_roll_call(const struct proa_manager *manager, int rank, int size, int tells);

#endif
