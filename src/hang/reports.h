/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports of processes that wait, on their way to rank 0 of MPI_COMM_WORLD: by TCP, from watchdog
 * to watchdog. Neither MPI nor Proa's own network can be used, as all threads may wait inside them.
 *
 * Rank 0 listens on a port of its own. Each report has a connection of its own, and shows the
 * secret that rank 0 has given to all ranks by MPI.
 */
#ifndef PROA_HANG_REPORTS_H
#define PROA_HANG_REPORTS_H

#include "hang/stuck.h"

#include <mpi.h>

/* Collective over comm. 0, or -1: there is no way, on this process or on all. */
int proa_hang_reports_begin(MPI_Comm comm);
void proa_hang_reports_end(void);

/* Sends a report to rank 0, within about a second. 0: it has been taken. */
int proa_hang_reports_send(struct proa_stuck *stuck);

/* At rank 0: takes a report, waiting for at most so long. 0: *stuck is one; -1: there is none. */
int proa_hang_reports_take(struct proa_stuck *stuck, int wait_ms);

#endif
