/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passive target synchronization: lock, unlock, lock_all, unlock_all, flush (MPI-4.1, 13.5.3 and
 * 13.5.4): rows of the tables in sync/tables.c, and the steps that they share with windows over
 * several nodes.
 */
#ifndef PROA_SYNC_PASSIVE_H
#define PROA_SYNC_PASSIVE_H

#include "sync/sync.h"

/* ---- of windows of one node ---- */

int proa_lock_node(struct proa_win *win, int rank, int exclusive, int mode);
int proa_unlock_node(struct proa_win *win, int rank);
int proa_lock_all_node(struct proa_win *win, int mode);
int proa_unlock_all_node(struct proa_win *win);
int proa_flush_node(struct proa_win *win, int target);
void proa_synchronize_node(struct proa_win *win);
int proa_flush_local_node(struct proa_win *win, int target);

/* The same with several threads. */
int proa_lock_threads(struct proa_win *win, int rank, int exclusive, int mode);
int proa_unlock_threads(struct proa_win *win, int rank);

/* The same with several threads or several nodes, by the table's `complete`. */
int proa_flush_slow(struct proa_win *win, int target);
int proa_flush_local_slow(struct proa_win *win, int target);

/* Sets the function that is called before each lock of proa_sync_threads, and each lock_all. It
 * acquires deferred locks, whose calls have returned already, first (remote/origin.h). */
void proa_lock_set_before(void (*before)(void));

/* ---- steps ---- */

/* Checks that this process may lock now. target: rank, or < 0 for a lock_all. Returns PROA_OK or
 * PROA_ERR_RMA_SYNC. */
int proa_lock_check(struct proa_win *win, int target);

/* The same check for one target, under the mutex; also records that the lock is about to be
 * requested. *epoch: the epoch to be opened. */
int proa_lock_begin(struct proa_win *win, int rank, int exclusive, int mode, uint8_t *epoch);

/* Acquires the lock of a neighbour. Returns PROA_OK, or PROA_ERR_OTHER if the neighbour has
 * failed. */
int proa_lock_take(struct proa_win *win, int rank, int exclusive);

/* Opens the epoch if error is PROA_OK, as the lock is then held. Otherwise ends the attempt.
 * Returns error. */
int proa_lock_end(struct proa_win *win, int rank, uint8_t epoch, int error);

/* Returns PROA_OK if the target is locked. *epoch: its epoch. */
int proa_unlock_check(struct proa_win *win, int rank, uint8_t *epoch);

/* Releases the lock of a neighbour. */
void proa_lock_return(struct proa_win *win, int rank, uint8_t epoch);

/* Called after the lock was released. */
void proa_unlock_end(struct proa_win *win);

/* Acquires the locks of all neighbours, unless mode has NOCHECK, and opens the epoch. */
void proa_lock_all_take(struct proa_win *win, int mode);

/* Opens the epoch: the locks are held, or mode has NOCHECK. */
void proa_lock_all_open(struct proa_win *win, int mode);

/* Returns PROA_OK if the window is in a lock_all epoch. */
int proa_unlock_all_check(const struct proa_win *win);

/* Closes the epoch and releases the locks of all neighbours. */
void proa_unlock_all_end(struct proa_win *win);

/* Returns the completion that an unlock requires. The store that releases a lock also signals the
 * completion; with NOCHECK there is no such store. */
static inline enum proa_completion proa_completed_by(uint8_t epoch)
{
    return epoch & PROA_EPOCH_NOCHECK ? PROA_COMPLETED_VISIBLE : PROA_COMPLETED_TOLD;
}

static inline int proa_epoch_is_writers(uint8_t epoch)
{
    return (epoch & (PROA_EPOCH_EXCLUSIVE | PROA_EPOCH_WRITER)) != 0;
}

#endif
