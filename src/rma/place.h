/* SPDX-License-Identifier: BSD-3-Clause */
/* The checks that every operation makes before it works, off the fast path: its epoch, its types,
 * and its place in the target's window. */
#ifndef PROA_RMA_PLACE_H
#define PROA_RMA_PLACE_H

#include "rma/op.h"
#include "rma/runs.h"

/* Is an epoch open that lets this process access the target? Waits for its post if need be. PROA_OK
 * or PROA_ERR_RMA_SYNC. */
int proa_begin(struct proa_win *win, int rank);

/* Are these types fit for an operation, and of the same size in all? which: "origin", "result", for
 * the message. */
int proa_check_types(const struct proa_buffer *buffer, const struct proa_there *there,
                     const char *which);

/* The part of a window that an operation works on: rank, displacement and range are checked. */
struct proa_place {
    /* of the displacement: bytes from the start of the target's window; in a dynamic window, the
     * address */
    uint64_t at;
    struct proa_span span; /* that holds all of it or, if it is scattered, its first byte */
    int scattered;         /* over several spans: each run of bytes has to be found by itself */
};

/* Finds the place of [displacement * disp_unit + lower, + bytes) in target's window. displacement
 * in the target's units; lower (may be negative) and bytes span what the operation touches.
 * PROA_OK, PROA_ERR_DISP (negative), PROA_ERR_RMA_RANGE (outside of the window or not attached: of
 * a scattered place only the first byte is looked for), or what mapping the memory returned. */
int proa_place_find(struct proa_win *win, int target, int64_t displacement, int64_t lower,
                    uint64_t bytes, struct proa_place *place);

/* proa_begin, then the place of all that `there` spans. */
int proa_begin_at(struct proa_win *win, const struct proa_there *there, struct proa_place *place);

/* The span that holds the byte at position; in a dynamic window, together with neighbours of the
 * same piece of memory as far as `bytes` bytes from there ask. PROA_OK; PROA_ERR_RMA_RANGE if there
 * is none; or what mapping the memory returned. */
int proa_span_find(struct proa_win *win, struct proa_target *target, uint64_t position,
                   uint64_t bytes, struct proa_span *span);

/* Sets *part to the first of these runs that lie in one span, and *span to that, which may hold the
 * one that was found last. part->count 0: the first run goes over the span's end. Returns as
 * proa_span_find. */
int proa_span_next(struct proa_win *win, int rank, const struct proa_runs *runs,
                   struct proa_span *span, struct proa_runs *part);

#endif
