/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes what a call waits for, as its own process knows it. Runs in the watchdog's thread: it
 * calls no MPI function, and reads the windows while their threads wait. */
#ifndef PROA_CHECK_WAIT_CAUSE_H
#define PROA_CHECK_WAIT_CAUSE_H

#include "hang/stuck.h"
#include "hang/thread_calls.h"

/* Fills in all fields but the seconds. */
void proa_wait_cause_describe(const struct proa_thread_call *here, struct proa_stuck_wait *wait);

/* Fills in the locks that this process holds. */
void proa_wait_cause_locks(struct proa_stuck *stuck);

/* Fills in the messages of pending requests of this process. */
void proa_wait_cause_requests(struct proa_stuck *stuck);

#endif
