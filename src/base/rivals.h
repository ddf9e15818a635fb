/* SPDX-License-Identifier: BSD-3-Clause */
/* Rivals: other threads that want the processor which this thread keeps busy with polling. Each
 * thread finds out for itself. Times are those of proa_system's clock. */
#ifndef PROA_BASE_RIVALS_H
#define PROA_BASE_RIVALS_H

/* From now on this thread only polls. */
void proa_rivals_begin(void);

/* This thread has only polled since begin_ns, for about as long as it meant to. Has another thread
 * had the processor for a slice of the scheduler meanwhile, or for a short slice once more? Then
 * rivals count as there for 50 ms. Each time that it happens again soon they count for longer, up
 * to a second. A thread that runs for an instant only, or now and then for a millisecond, is no
 * rival: the kernel's own threads do that. */
void proa_rivals_watch(long begin_ns, long now_ns);

int proa_rivals_are_there(long now_ns);

#endif
