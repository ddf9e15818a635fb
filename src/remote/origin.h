/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Targets on other nodes, from the origin's side.
 *
 * Operations on such a target are aggregated (gathered) into a batch (remote/wire.h). The batch is
 * sent when it is full, when something waits for it, and when the epoch ends. So a lock, small
 * operations and the unlock are one message, and its answer. Long runs use the transport's put and
 * get, once the target may be accessed. The target executes batches (remote/batch.h) in the order
 * in which they were sent.
 */
#ifndef PROA_REMOTE_ORIGIN_H
#define PROA_REMOTE_ORIGIN_H

#include "window/win.h"
#include "sync/completion.h"

/* sync/notify.h. */
void proa_remote_notify(struct proa_win *win, int rank, int word, uint64_t value);

/* Sends the posts to that rank that have not been sent yet. A rank of this node: does nothing. */
void proa_remote_say(const struct proa_win *win, int rank);

/* sync/completion.h; of one target, or of all that are remote (rank < 0). */
int proa_remote_complete_ops(struct proa_win *win, int rank, enum proa_completion how);

/* Waits for the data that were fetched from a target, after it has been told that our access epoch
 * is over. All data put there precede that message. rank < 0: from all targets, after a barrier. */
int proa_remote_completed(struct proa_win *win, int rank);

/* The first batch requests the lock. So this returns at once, as the standard allows where the
 * origin has no load and store (MPI-4.1, 13.5.3). The caller has made the rank's struct
 * proa_remote. Unlock returns once all is done and the lock is released: PROA_OK or a code. */
void proa_remote_lock(struct proa_win *win, int rank, int exclusive);
/* Called before another lock of any window is taken. Sends the deferred lock requests, for which
 * calls have returned, and waits until they are granted. A program that takes its locks in some
 * order relies on that. It waits likewise for posts that access epochs have ended without: the
 * process that is to post may want the other lock before. */
void proa_remote_take_deferred(void);
int proa_remote_unlock(struct proa_win *win, int rank);

/* Tries for the shared locks of all targets, neighbours too (remote/single_locks.c). Not inside the
 * progress engine. Returns 1: this process has them; proa_remote_unlock_all and
 * proa_unlock_all_end give them back. 0: it has none. */
int proa_single_locks_try(struct proa_win *win);

/* The same, until it has them. */
void proa_single_locks_take(struct proa_win *win);

/* Requests the release of the locks that a lock_all has of single targets (proa_batch_want_grant).
 * Does not wait for that. */
int proa_remote_unlock_all(struct proa_win *win);

#endif
