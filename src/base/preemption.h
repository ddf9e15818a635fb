/* SPDX-License-Identifier: BSD-3-Clause */
/* Preemption of a thread that polls: does another thread want the processor that it keeps busy?
 * Each thread finds out for itself. Times are those of proa_system's clock. */
#ifndef PROA_BASE_PREEMPTION_H
#define PROA_BASE_PREEMPTION_H

/* From now on this thread only polls. */
void proa_preemption_begin(void);

/* This thread has only polled since begin_ns, for about as long as it meant to. Has it been
 * preempted meanwhile for a slice of the scheduler, or for a short slice once more? Then preemption
 * counts as likely for 50 ms. Each time that it happens again soon it does so for longer, up to a
 * second. Threads that run for an instant only, or now and then for a millisecond, do not count:
 * the kernel's own threads do that. */
void proa_preemption_watch(long begin_ns, long now_ns);

int proa_preemption_is_likely(long now_ns);

#endif
