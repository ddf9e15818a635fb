/* SPDX-License-Identifier: BSD-3-Clause */
/* Host progress: moving the host MPI's own messages. Threads that wait or poll do so at times. */
#ifndef PROA_BASE_HOST_PROGRESS_H
#define PROA_BASE_HOST_PROGRESS_H

/* Lets the host make progress. Must not block. Any thread may call it, and several at once. */
typedef void proa_host_progress_function(void);

/* The function is called from now on; NULL: none. A call in progress may still end later. */
void proa_host_progress_set(proa_host_progress_function *function);

/* Returns whether there is a host that this thread may call. */
int proa_host_progress(void);

/* From now on the calling thread, which must not call the host, makes no host progress. */
void proa_host_progress_forbid(void);

/* Makes host progress. Has that moved something? Then there may be more to move, as of a long
 * message that goes in pieces. The answer is judged by the time it took, compared with calls that
 * found nothing.
 *
 * has_slept: 1 for a thread that has slept. Idle calls take longer then, so processor time counts,
 * and the answer is 1 only for moves of some 100 KiB and more, and sometimes for others. */
int proa_host_progress_moves(int has_slept);

#endif
