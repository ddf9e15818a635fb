/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations that go to another node: see move.c. */
#ifndef PROA_REMOTE_MOVE_H
#define PROA_REMOTE_MOVE_H

#include <stdint.h>

/* Registers the road to other nodes (rma/road.h). */
void proa_move_start(void);

/* A put or get of the transport with that token is done, or has failed: outcome, PROA_OK or a code.
 * Inside the progress engine. */
void proa_move_done(uint64_t token, int outcome);

#endif
