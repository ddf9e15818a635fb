/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A peer's adopted memory (adopt/adopt.h), as it is mapped here: in blocks of proa_pages_block
 * bytes that stay mapped as long as the peer is known, so that a window made again costs nothing.
 */
#ifndef PROA_SHM_BLOCKS_H
#define PROA_SHM_BLOCKS_H

#include "shm/peer.h"

#include <stdint.h>

static const uint64_t proa_pages_block = 64ull << 20;

/* Where [first, end) of the peer's adopted memory is mapped here; NULL, with proa_failure() set, if
 * that fails, or if it goes over the border of a block. Any thread. */
char *proa_pages_map(struct proa_peer *peer, uint64_t first, uint64_t end);

/* Unmaps all blocks of a peer. */
void proa_pages_forget(struct proa_peer *peer);

#endif
