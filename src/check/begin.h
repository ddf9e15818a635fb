/* SPDX-License-Identifier: BSD-3-Clause */
/* Start and end of check mode in a process. */
#ifndef PROA_CHECK_BEGIN_H
#define PROA_CHECK_BEGIN_H

#include <mpi.h>

/* The build of a library of Proa. */
#define PROA_BUILD PROA_LIBRARY " " PROA_VERSION

/* Called in MPI_Init. Returns the mode that the settings request: 0 for none, 1 for usage rules and
 * hangs, 2 for conflicts as well. Returns 0 as well without the library of instruments
 * (watch/observe.h), as the program's messages would not be observed. */
int proa_check_asked_for(void);

/* Called after proa_check_asked_for: rank 0 logs, once, that check mode is off for lack of that
 * library. */
void proa_check_tell_lack(int rank);

/* Starts check mode. Arguments as for proa_world_begin. */
void proa_check_begin(MPI_Comm all, int rank, int size);

/* Ends check mode, once: collectively over all processes that started it, or for this process
 * alone. MPI_Finalize ends it as well. call: name of the call in which this process waits for the
 * others. alone: true for this process alone. */
void proa_check_end(const char *call, int alone);

#endif
