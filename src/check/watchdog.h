/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread of check mode that notices when all processes of MPI_COMM_WORLD wait, and none can go
 * on: it tells once which rank waits for which, and the program goes on waiting.
 *
 * A process waits if each of its threads that has ever called MPI is inside one call for
 * PROA_CHECK_HANG seconds, and in a call on a window in one wait. It then tells rank 0 so, once a
 * second (hang/reports.h). If all processes have waited at one moment, rank 0 tells of a hang
 * (hang/hang.h). A program that polls, as by MPI_Test, counts as working.
 */
#ifndef PROA_CHECK_WATCHDOG_H
#define PROA_CHECK_WATCHDOG_H

#include <mpi.h>

/* Collective over comm. */
void proa_watchdog_begin(MPI_Comm comm);
void proa_watchdog_end(void);

#endif
