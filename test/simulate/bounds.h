/* SPDX-License-Identifier: BSD-3-Clause */
/* The bounds of simulate --check: numbers of messages and of bytes, which are exact and take no
 * time. */
#ifndef PROA_TEST_SIMULATE_BOUNDS_H
#define PROA_TEST_SIMULATE_BOUNDS_H

#include "simulate.h"

/* Holds the counts of a call, "fence.empty", or the values of a row, "storm", against their bounds.
 * Returns 1, and has said why: one is exceeded. */
int simulate_hold_mark(const char *call, const struct simulate_plan *plan,
                       const struct simulate_counts *counts);
int simulate_hold_values(const char *row, const struct simulate_plan *plan, const long value[]);

#endif
