/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * General active target synchronization: post, start, complete, wait, test (MPI-4.1, 13.5.2).
 *
 * The standard matches the calls like sends and receives on a hidden communicator. Here each
 * directed pair of processes has two counters (sync/pair.h): the number of posts of one to the
 * other, and of completes of the other to the first. The k-th start of a pair matches the k-th
 * post, the k-th wait the k-th complete. So no epoch is mistaken for another, even if a process is
 * several epochs without operations ahead. NOCHECK skips waiting, not counting.
 *
 * The functions with `words` serve windows of one node, in pscw.c, where they are compiled into the
 * rows below, and windows over several nodes (remote/sync.c).
 */
#ifndef PROA_SYNC_PSCW_H
#define PROA_SYNC_PSCW_H

#include "sync/sync.h"
#include "sync/notify.h"

/* ---- of windows of one node: rows of the tables in sync/tables.c ---- */

int proa_start_node(struct proa_win *win, const int *ranks, int count, int mode) PROA_HOT;
int proa_post_node(struct proa_win *win, const int *ranks, int count) PROA_HOT;
int proa_complete_node(struct proa_win *win) PROA_HOT;
int proa_wait_node(struct proa_win *win) PROA_HOT;
int proa_test_node(struct proa_win *win, int *flag);
int proa_await_node(struct proa_win *win, int target) PROA_HOT;

/* ---- of any window: bodies of the calls, which return PROA_OK or a negative code ---- */

int proa_start_as(struct proa_win *win, const int *ranks, int count, int mode,
                  const struct proa_words *words);
int proa_post_as(struct proa_win *win, const int *ranks, int count, const struct proa_words *words);
int proa_wait_as(struct proa_win *win, const struct proa_words *words);
int proa_test_as(struct proa_win *win, int *flag, const struct proa_words *words);

/* Checks for the target's post, and records it in the epoch. waits: 1 to wait for the post. */
int proa_await_as(struct proa_win *win, int target, int waits, const struct proa_words *words);

/* Checks that an access epoch is open. Returns PROA_OK or PROA_ERR_RMA_SYNC. */
int proa_complete_check(const struct proa_win *win);

/* Called once all operations are completed. */
void proa_complete_as(struct proa_win *win, const struct proa_words *words);

#endif
