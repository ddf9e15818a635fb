/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Win_fence: its rows of the tables in sync/tables.c, and their common check. */
#ifndef PROA_SYNC_FENCE_H
#define PROA_SYNC_FENCE_H

#include "sync/sync.h"

/* Checks that a fence may be called now. Returns PROA_OK, or PROA_ERR_RMA_SYNC if an epoch of
 * another kind is open. */
int proa_fence_check(const struct proa_win *win);

int proa_fence_node(struct proa_win *win, int mode) PROA_HOT;

/* After a fence that ended no epoch: waits for the target's own fence. Returns PROA_OK or
 * PROA_ERR_OTHER. */
int proa_fence_await(struct proa_win *win, int target);

#endif
