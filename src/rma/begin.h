/* SPDX-License-Identifier: BSD-3-Clause */
/* The checks that every operation makes before it works, off the fast path. */
#ifndef PROA_RMA_BEGIN_H
#define PROA_RMA_BEGIN_H

#include "rma/op.h"
#include "rma/place.h"
#include "type/walk.h"

/* Is an epoch open that lets this process access the target? Waits for its post if need be. PROA_OK
 * or PROA_ERR_RMA_SYNC. */
int proa_begin(struct proa_win *win, int rank);

/* Are these types fit for an operation, and of the same size in all? which: "origin", "result", for
 * the message. */
int proa_check_types(const struct proa_buffer *buffer, const struct proa_there *there,
                     const char *which);

/* Data bytes of the target side; to be used after proa_check_types. */
static inline uint64_t proa_there_bytes(const struct proa_there *there)
{
    return there->count * there->type->size;
}

/* proa_begin, then the place of all that `there` spans. */
int proa_begin_at(struct proa_win *win, const struct proa_there *there, struct proa_place *place);

#endif
