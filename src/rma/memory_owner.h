/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory owners: processes in whose arena a window has memory that another process has brought,
 * such as memory of a shared window that a neighbour gives to MPI_Win_create or attaches. The owner
 * need not be in the window. Its memory is reached like any in its arena, and its stripes guard
 * accumulates, as on every other way to the same bytes.
 */
#ifndef PROA_RMA_MEMORY_OWNER_H
#define PROA_RMA_MEMORY_OWNER_H

#include "shm/peer.h"

struct proa_win;

/* The process that said this hello, held until the window is released. Several threads may ask at
 * once. NULL, with proa_failure() set. */
struct proa_peer *proa_memory_owner(struct proa_win *win, const struct proa_hello *hello);

void proa_memory_owners_release(struct proa_win *win);

#endif
