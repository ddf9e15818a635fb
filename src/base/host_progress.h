/* SPDX-License-Identifier: BSD-3-Clause */
/* Host progress: moving the host MPI's own messages. Waiting and polling threads make it now and
 * then. */
#ifndef PROA_BASE_HOST_PROGRESS_H
#define PROA_BASE_HOST_PROGRESS_H

/* Lets the host make progress. Must not block. Any thread may call it, and several at once. */
typedef void proa_host_progress_function(void);

/* Sets the function to call from now on; NULL for none. A call in progress may end after this
 * returns. */
void proa_host_progress_set(proa_host_progress_function *function);

/* Returns whether there is a host that this thread may call. */
int proa_host_progress(void);

/* From now on the calling thread, which must not call the host, makes no host progress. */
void proa_host_progress_forbid(void);

/* Makes host progress. Returns whether messages moved; then there may be more to move, such as
 * further pieces of a long message. The result is inferred from the duration, compared with calls
 * that moved nothing.
 *
 * has_slept: 1 for a thread that has slept. Idle calls take longer then, so processor time is
 * compared. The result is then 1 for moves of about 100 KiB and more, and sometimes for others. */
int proa_host_progress_moves(int has_slept);

#endif
