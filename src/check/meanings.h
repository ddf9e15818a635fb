/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls on windows mean for the order of accesses (check/ordering.h). */
#ifndef PROA_CHECK_MEANINGS_H
#define PROA_CHECK_MEANINGS_H

#include "base/calls.h"
#include "base/hidden.h"

#include <stdint.h>

/* UPDATES: an operation that changes the target's memory. ENDS: completes, and others may be told
 * that. FLUSHES: completes for this process. MEETS: with all processes of the window. HEARS: of
 * completes. REQUESTS: fetches, and gives a request. ALL: not of one target. */
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

/* By call: any of these. */
extern PROA_HIDDEN const uint16_t proa_meanings[PROA_CALL_COUNT];

#endif
