/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What check mode has found in this process. Each pair of places is told once, when it is found
 * first, and counted from then on; when MPI ends a line adds all up.
 */
#ifndef PROA_CHECK_FINDING_H
#define PROA_CHECK_FINDING_H

#include "check/accesses.h"
#include "window/win.h"

#include <stdint.h>

/* Two operations of this origin that conflict; epoch: PROA_EPOCH_* towards that target. */
void proa_finding_conflict(const struct proa_win *win, int target, unsigned epoch,
                           const struct proa_access *first, const struct proa_access *second);

/* Adds to the numbers of the last line: operations that were checked, those that had too many
 * pieces to be, and accesses that were dropped before they were complete. */
void proa_finding_count(uint64_t operations, uint64_t scattered, uint64_t dropped);

/* The last line: of each process that has found or left out something, and of rank 0. */
void proa_finding_tell(void);

#endif
