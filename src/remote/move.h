/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations on targets of other nodes: see move.c. */
#ifndef PROA_REMOTE_MOVE_H
#define PROA_REMOTE_MOVE_H

#include <stdint.h>

/* Registers the road to other nodes (rma/road.h). */
void proa_move_start(void);

/* Called when the transport's put or get of that token is done or has failed; inside the progress
 * engine. outcome: PROA_OK or a code. */
void proa_move_done(uint64_t token, int outcome);

#endif
