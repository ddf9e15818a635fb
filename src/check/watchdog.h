/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread of check mode that detects when all processes of MPI_COMM_WORLD wait and none can
 * continue. It reports once which rank waits for which, and the program continues to wait.
 *
 * A process waits if each thread that ever called MPI has been inside one call for PROA_CHECK_HANG
 * seconds. In a call on a window it must also be in one wait. The process then reports to rank 0,
 * once a second (hang/reports.h). If all processes waited at the same moment, rank 0 reports a hang
 * (hang/hang.h). A program that polls, as by MPI_Test, counts as working.
 */
#ifndef PROA_CHECK_WATCHDOG_H
#define PROA_CHECK_WATCHDOG_H

#include <mpi.h>

/* Collective over comm. */
void proa_watchdog_begin(MPI_Comm comm);
void proa_watchdog_end(void);

#endif
