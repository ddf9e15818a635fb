/* SPDX-License-Identifier: BSD-3-Clause */
/* Synchronization in windows over several nodes: between remote/sync.c and remote/lock.c. */
#ifndef PROA_REMOTE_SYNC_H
#define PROA_REMOTE_SYNC_H

#include "sync/passive.h"

/* Rows of proa_sync_remote (sync/sync.h). */
int proa_lock_remote(struct proa_win *win, int rank, int exclusive, int mode);
int proa_unlock_remote(struct proa_win *win, int rank);
int proa_lock_all_remote(struct proa_win *win, int mode);
int proa_unlock_all_remote(struct proa_win *win);

void proa_remote_lose(struct proa_win *win, int rank);
uint32_t proa_remote_node_lost(const struct proa_win *win);

#endif
