/* SPDX-License-Identifier: BSD-3-Clause */
/* At rank 0 of MPI_COMM_WORLD: the reports of all processes, and the hang that they tell of. One
 * thread calls these functions. */
#ifndef PROA_HANG_HANG_H
#define PROA_HANG_HANG_H

#include "hang/stuck.h"

void proa_hang_begin(void);
void proa_hang_end(void);

/* A report, which may come from anywhere. If by now all processes wait, tells so, once. */
void proa_hang_know(const struct proa_stuck *stuck);

#endif
