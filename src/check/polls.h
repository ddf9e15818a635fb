/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads that may poll a location, which is legal in the unified model (MPI-4.1, 13.7). A load may
 * if the last call of its thread before it, or the next one behind it, is MPI_Win_sync; and if its
 * thread repeats it before the next call takes both.
 *
 * Calls of other threads take the loads of one that polls, now and then. Such a call may find one
 * load alone, and that is compared. What comes of it is asked for when a conflict is found. The
 * caller excludes other threads.
 */
#ifndef PROA_CHECK_POLLS_H
#define PROA_CHECK_POLLS_H

#include "traps/trap.h"

#include <stdint.h>

/* A call of this thread on a window is over. syncs: it was MPI_Win_sync. */
void proa_polls_called(int syncs);

/* Is it of the calling thread? */
int proa_polls_is_mine(const struct proa_trap_hit *hit);

/* Of `count` loads and stores that a call of this thread takes: may the load at `at` poll? syncs:
 * the call is MPI_Win_sync. */
int proa_polls_may(const struct proa_trap_hit *hits, int count, int at, int syncs);

/* The load at that place in the program polls that address; does it, as far as is known? */
void proa_polls_note(uintptr_t address, const void *place);
int proa_polls_noted(uintptr_t address, const void *place);

#endif
