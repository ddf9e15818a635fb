/* SPDX-License-Identifier: BSD-3-Clause */
/* The checks of every operation before its accesses, off the fast path: its epoch, its types, and
 * its place in the target's window. */
#ifndef PROA_RMA_PLACE_H
#define PROA_RMA_PLACE_H

#include "rma/op.h"
#include "rma/runs.h"

/* Checks that an epoch is open that lets this process access the target, and waits for its post if
 * necessary. Returns PROA_OK or PROA_ERR_RMA_SYNC. */
int proa_begin(struct proa_win *win, int rank);

/* Checks that these types are valid for an operation and of the same total size. which: "origin" or
 * "result", for the message. */
int proa_check_types(const struct proa_buffer *buffer, const struct proa_there *there,
                     const char *which);

/* The part of a window that an operation accesses, with checked rank, displacement and range. */
struct proa_place {
    /* position of the displacement: bytes from the start of the target's window; in a dynamic
     * window, the address */
    uint64_t at;
    struct proa_span span; /* the span that holds all of it or, if scattered, its first byte */
    int scattered;         /* 1 if over several spans: each run of bytes is found separately */
};

/* Finds the place of [displacement * disp_unit + lower, + bytes) in target's window. displacement:
 * in the target's units. lower, bytes: the range that the operation touches, in bytes; lower may be
 * negative. Returns PROA_OK, PROA_ERR_DISP (negative), PROA_ERR_RMA_RANGE (outside the window or
 * not attached; of a scattered place only the first byte is checked), or the error of mapping the
 * memory. */
int proa_place_find(struct proa_win *win, int target, int64_t displacement, int64_t lower,
                    uint64_t bytes, struct proa_place *place);

/* Calls proa_begin, then finds the place of all bytes that `there` spans. */
int proa_begin_at(struct proa_win *win, const struct proa_there *there, struct proa_place *place);

/* Finds the span that holds the byte at position. In a dynamic window it includes adjacent regions
 * of the same piece of memory, as far as needed for `bytes` bytes. Returns PROA_OK,
 * PROA_ERR_RMA_RANGE if there is none, or the error of mapping the memory. */
int proa_span_find(struct proa_win *win, struct proa_target *target, uint64_t position,
                   uint64_t bytes, struct proa_span *span);

/* Sets *part to the first of these runs that lie in one span, and *span to that span. On entry
 * *span may be the last span found. part->count is 0 if the first run crosses the span's end.
 * Returns the same values as proa_span_find. */
int proa_span_next(struct proa_win *win, int rank, const struct proa_runs *runs,
                   struct proa_span *span, struct proa_runs *part);

#endif
