/* SPDX-License-Identifier: BSD-3-Clause */
/* At rank 0 of MPI_COMM_WORLD: collects the reports of all processes, and detects a hang. One
 * thread calls these functions. */
#ifndef PROA_HANG_HANG_H
#define PROA_HANG_HANG_H

#include "hang/stuck.h"

void proa_hang_begin(void);
void proa_hang_end(void);

/* Adds a report, from any source. If all processes wait by now, reports the hang, once. */
void proa_hang_know(const struct proa_stuck *stuck);

#endif
