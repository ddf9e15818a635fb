/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who of this job runs without Proa. A window with such a process cannot be Proa's, and a process
 * without Proa takes part in no exchange that would say so: whoever waited for it there would wait
 * for ever.
 *
 * So each process with Proa leaves a mark when it is loaded, which the others of its node can see:
 * a socket bound to a name made of the job and its rank (abstract: unix(7)). It vanishes with the
 * process, or when that becomes another program. A process whose mark is missing when it has a
 * window to create with others runs without Proa: the window is the host's, and all its processes
 * see the same. In a job over several nodes nobody can tell.
 */
#ifndef PROA_HOST_ABSENT_H
#define PROA_HOST_ABSENT_H

#include <mpi.h>

/* Leaves the mark; once, before main. Nothing without a launcher's environment. */
void proa_absent_mark(void);

/* PROA_OK, or PROA_ELSEWHERE (proa_failure() says why; a line in the log, once) if a process of
 * comm has no mark. Collective in effect: all processes of comm that are of this MPI_COMM_WORLD get
 * the same. comm: a valid intracommunicator. */
int proa_absent_check(MPI_Comm comm);

/* This process has met others outside its MPI_COMM_WORLD (spawned, or connected): nobody can tell
 * whether those have Proa. */
void proa_absent_meets_others(void);

/* After proa_absent_check has given PROA_OK: do all processes of comm surely have Proa? 0: nobody
 * can tell. */
int proa_absent_is_sure(MPI_Comm comm);

/* They have all answered: from now on it is sure. (A communicator made later may get the same
 * handle, and would only lose a line in the log.) */
void proa_absent_answered(MPI_Comm comm);

#endif
