/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads that may poll a location, which is legal in the unified model (MPI-4.1, 13.7). Programs
 * poll with MPI_Win_sync, or with calls that make MPI progress. A load may poll if the last call of
 * its thread before it, or the next one after it, is such a call. A load that its thread repeats
 * before the next call takes both accesses may poll as well. So may a load in a loop that ends when
 * its value equals another one, or differs.
 *
 * Calls of other threads occasionally take the loads of a polling thread. Such a call may find one
 * load alone, which is then compared. A conflict is checked against loads that were found to poll.
 * The caller excludes other threads.
 */
#ifndef PROA_CHECK_POLLS_H
#define PROA_CHECK_POLLS_H

#include "base/calls.h"
#include "translator/requests.h"

#include <stdint.h>

/* Returns true for a call on windows that programs poll with. */
static inline int proa_polls_with(enum proa_call call)
{
    return call == PROA_CALL_Win_sync || call == PROA_CALL_Win_test ||
           (call >= PROA_CALL_Win_flush && call <= PROA_CALL_Win_flush_local_all);
}

/* A call of this thread returned. polls: true if programs poll with the call. */
void proa_polls_called(int polls);

/* Returns true if a load that a call of this thread takes may poll. polls: true if programs poll
 * with the call. */
int proa_polls_may(const struct proa_touched *load, int polls);

/* The first function records that the load at that place polls the address. The second returns true
 * if that was recorded. */
void proa_polls_note(uintptr_t address, const void *place);
int proa_polls_noted(uintptr_t address, const void *place);

#endif
