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

/* See sync/notify.h. */
void proa_remote_notify(struct proa_win *win, int rank, int word, uint64_t value);

/* Sends the posts to that rank that have not been sent yet. Does nothing for a rank of this node.
 */
void proa_remote_say(const struct proa_win *win, int rank);

/* See sync/completion.h. rank: the target; negative for all remote targets. */
int proa_remote_complete_ops(struct proa_win *win, int rank, enum proa_completion how);

/* Waits for the data that were fetched from a target, after the target was notified that our access
 * epoch is over. All data put there precede that message. rank: the target; negative for all
 * targets, after a barrier. */
int proa_remote_completed(struct proa_win *win, int rank);

/* Requests the lock with the first batch, so the call returns at once. The standard allows that
 * where the origin has no load and store (MPI-4.1, 13.5.3). The caller has created the rank's
 * struct proa_remote. unlock: returns PROA_OK or a code, once all operations are complete and the
 * lock is released. */
void proa_remote_lock(struct proa_win *win, int rank, int exclusive);
/* Called before another lock of any window is taken. Sends the deferred lock requests, for which
 * calls have returned, and waits until they are granted. A program that takes its locks in some
 * order relies on that. The call also waits for the posts of access epochs that ended before their
 * post arrived: the process that has to post may need the other lock first. */
void proa_remote_take_deferred(void);
int proa_remote_unlock(struct proa_win *win, int rank);

/* Tries for the shared locks of all targets, neighbours too (remote/single_locks.c). Not inside the
 * progress engine. Returns 1 if this process has them; proa_remote_unlock_all and
 * proa_unlock_all_end release them. Returns 0 if it has none. */
int proa_single_locks_try(struct proa_win *win);

/* Tries again until this process has the locks. */
void proa_single_locks_take(struct proa_win *win);

/* Requests the release of the locks of single targets that a lock_all holds
 * (proa_batch_want_grant). Does not wait for the release. */
int proa_remote_unlock_all(struct proa_win *win);

#endif
