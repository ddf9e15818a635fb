/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends reports of waiting processes to rank 0 of MPI_COMM_WORLD, by TCP from watchdog to watchdog.
 * MPI and Proa's own network cannot be used, as all threads may wait inside them.
 *
 * Rank 0 listens on a port of its own. Each report uses a connection of its own, and carries the
 * secret that rank 0 distributed to all ranks by MPI.
 */
#ifndef PROA_HANG_REPORTS_H
#define PROA_HANG_REPORTS_H

#include "hang/stuck.h"

#include <mpi.h>

/* Starts. Collective over comm. Returns 0, or -1 if no connection is possible, on this process or
 * on all. */
int proa_hang_reports_begin(MPI_Comm comm);
void proa_hang_reports_end(void);

/* Sends a report to rank 0, within about a second. Returns 0 if rank 0 received it. */
int proa_hang_reports_send(struct proa_stuck *stuck);

/* At rank 0: receives a report. wait_ms: timeout, milliseconds. Returns 0 and fills in *stuck, or
 * -1 if no report arrived. */
int proa_hang_reports_take(struct proa_stuck *stuck, int wait_ms);

#endif
