/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads that may poll a location, which is legal in the unified model (MPI-4.1, 13.7). A load may
 * if the last call of its thread before it, or the next one behind it, is one that programs poll
 * with: MPI_Win_sync, or one that lets MPI go on; if its thread repeats it before the next call
 * takes both; or if it is in a loop that ends when its value equals another one, or differs.
 *
 * Calls of other threads take the loads of one that polls, now and then. Such a call may find one
 * load alone, and that is compared. What comes of it is asked for when a conflict is found. The
 * caller excludes other threads.
 */
#ifndef PROA_CHECK_POLLS_H
#define PROA_CHECK_POLLS_H

#include "base/calls.h"
#include "translator/requests.h"

#include <stdint.h>

/* Is it a call on windows that programs poll with? */
static inline int proa_polls_with(enum proa_call call)
{
    return call == PROA_CALL_Win_sync || call == PROA_CALL_Win_test ||
           (call >= PROA_CALL_Win_flush && call <= PROA_CALL_Win_flush_local_all);
}

/* A call of this thread is over. polls: it is one that programs poll with. */
void proa_polls_called(int polls);

/* May a load that a call of this thread takes poll? polls: programs poll with the call. */
int proa_polls_may(const struct proa_touched *load, int polls);

/* The load at that place in the program polls that address; does it, as far as is known? */
void proa_polls_note(uintptr_t address, const void *place);
int proa_polls_noted(uintptr_t address, const void *place);

#endif
