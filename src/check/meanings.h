/* SPDX-License-Identifier: BSD-3-Clause */
/* Effects of calls on windows on the order of accesses (check/ordering.h). */
#ifndef PROA_CHECK_MEANINGS_H
#define PROA_CHECK_MEANINGS_H

#include "base/calls.h"
#include "base/hidden.h"

#include <stdint.h>

/* UPDATES: an operation that changes the target's memory. ENDS: completes operations, and other
 * processes may observe that. FLUSHES: completes operations for this process. MEETS: synchronizes
 * all processes of the window. HEARS: observes MPI_Win_complete of origins. REQUESTS: fetches, and
 * returns a request. ALL: concerns more than one target. */
enum {
    PROA_MEANS_UPDATES = 1,
    PROA_MEANS_FETCHES = 2,
    PROA_MEANS_ENDS = 4,
    PROA_MEANS_FLUSHES = 8,
    PROA_MEANS_MEETS = 16,
    PROA_MEANS_HEARS = 32,
    PROA_MEANS_REQUESTS = 64,
    PROA_MEANS_ALL = 128
};

/* Flags of each call. */
extern PROA_HIDDEN const uint16_t proa_meanings[PROA_CALL_COUNT];

#endif
