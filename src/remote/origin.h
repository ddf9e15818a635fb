/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Targets on other nodes, from the origin's side.
 *
 * What is done to such a target is gathered into a batch (remote/wire.h), which goes off when it is
 * full, when something waits for it, and when the epoch ends; so a lock, small operations and the
 * unlock are one message, and its answer. Long runs go by the transport's put and get, once the
 * target may be accessed. Batches (remote/batch.h) are done in the order in which they were sent.
 *
 *   remote/origin.c       synchronization
 *   remote/move.c  operations
 *   remote/batch.c        batches, and their answers
 *   remote/serve.c        the target's side
 *   remote/spread.c       windows over several nodes
 *   sync/gone.c         processes that are gone
 */
#ifndef PROA_REMOTE_ORIGIN_H
#define PROA_REMOTE_ORIGIN_H

#include "rma/combine.h"
#include "rma/road.h"
#include "sync/settle.h"

/* ---- operations, by their road (remote/road_net.c) ---- */

/* Runs of a put or a get. */
int proa_remote_move(struct proa_win *win, int rank, int put, const struct proa_runs *runs);

/* Elements in a row, at position. */
int proa_remote_combine(struct proa_combine *combine, uint64_t position);

/* ---- synchronization ---- */

/* sync/tell.h. */
void proa_remote_tell(const struct proa_target *target, int word, uint64_t value);

/* What has been told to it and has not gone yet goes: posts. A rank of this node: nothing. */
void proa_remote_say(const struct proa_win *win, int rank);

/* sync/settle.h; of one target, or of all that are remote (rank < 0). */
int proa_remote_settle(struct proa_win *win, int rank, enum proa_settled how);

/* After a target has been told that our access epoch is over: waits for what was fetched from it.
 * All that was put there lies before what it was told. */
int proa_remote_completed(struct proa_win *win, int rank);

/* The same of all, after a barrier. */
int proa_remote_completed_all(struct proa_win *win);

/* The lock is asked for with the first batch: this returns at once, as the standard allows where
 * the origin has no load and store (MPI-4.1, 13.5.3). Unlock returns once all is done and the lock
 * is given back: PROA_OK or a code. nocheck: it was not taken. */
void proa_remote_lock(struct proa_win *win, int rank, int exclusive, int nocheck);
/* Before that: there is memory for it. PROA_OK or PROA_ERR_NO_MEM. */
int proa_remote_expect(const struct proa_target *target);
/* Before another lock is taken, of any window: those come first that calls have returned for and
 * that are not taken yet. A program that takes its locks in some order relies on that. So do posts
 * that access epochs are over without: who is to post may want the lock before. */
void proa_remote_keep_promises(void);
int proa_remote_unlock(struct proa_win *win, int rank, int nocheck);

/* Asks for what a lock_all has of single targets to be given back (proa_batch_want_lock). Does not
 * wait for that. */
int proa_remote_unlock_all(struct proa_win *win);

#endif
