/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning and the end of check mode in a process. */
#ifndef PROA_CHECK_BEGIN_H
#define PROA_CHECK_BEGIN_H

#include <mpi.h>

/* Of which build a library of Proa's is. */
#define PROA_BUILD PROA_LIBRARY " " PROA_VERSION

/* In MPI_Init: what the environment's settings ask for. 0: nothing, or the library of instruments
 * (watch/observe.h) is not there, without which the program's messages would not be seen. 1: usage
 * rules and hangs. 2: conflicts, too. */
int proa_check_asked_for(void);

/* Behind it: rank 0 tells, once, that check mode is off for want of that library. */
void proa_check_tell_lack(int rank);

/* Begins, with the arguments of proa_world_begin. */
void proa_check_begin(MPI_Comm all, int rank, int size);

/* Ends, once: with all processes that have begun, or alone. MPI_Finalize does so by itself. call:
 * in which this process waits for the others. */
void proa_check_end(const char *call, int alone);

#endif
