/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning and the end of check mode in a process. */
#ifndef PROA_CHECK_BEGIN_H
#define PROA_CHECK_BEGIN_H

/* In MPI_Init: what the environment's settings ask for. 0: nothing. 1: usage rules and hangs. 2:
 * conflicts, too. */
int proa_check_asked_for(void);

/* Begins; collective over MPI_COMM_WORLD. all_have_proa: as of proa_world_begin. */
void proa_check_begin(int all_have_proa);

#endif
