/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory owners: processes whose arena holds memory of a window that another process has provided.
 * A neighbour may pass memory of a shared window to MPI_Win_create, or attach it. The owner need
 * not be in the window. Its memory is accessed like any in its arena. Its stripes guard
 * accumulates, as with any other access to the same bytes.
 */
#ifndef PROA_RMA_MEMORY_OWNER_H
#define PROA_RMA_MEMORY_OWNER_H

#include "shm/peer.h"

struct proa_win;

/* Returns the process that sent this hello, held until the window is released, or NULL with
 * proa_failure() set. Several threads may call this at once. */
struct proa_peer *proa_memory_owner(struct proa_win *win, const struct proa_hello *hello);

void proa_memory_owners_release(struct proa_win *win);

#endif
