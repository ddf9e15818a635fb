/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watched bytes. Two structures hold them: segments, which are exact, and a map that translated
 * code reads before it calls the tool. The map has a byte for each line of 64 bytes of memory;
 * addresses that are MAP_LINES lines apart share one. So the map may have false positives, but
 * never false negatives.
 */
#ifndef PROA_TRANSLATOR_WATCHED_H
#define PROA_TRANSLATOR_WATCHED_H

#include "core.h"

enum {
    PROA_LINE_SHIFT = 6,
    PROA_MAP_LINES = 1 << 24,
    PROA_ACCESS_MOST = 64 /* largest access that the map supports */
};

/* The map of the running thread's code; empty for a thread in MPI. */
extern UChar *proa_map_now;
extern UChar proa_map[PROA_MAP_LINES], proa_map_empty[PROA_MAP_LINES];

/* True once any bytes were watched. */
extern Bool proa_watched_any;

/* All bytes of [low, high) are watched for the same accesses. */
struct proa_segment {
    Addr low, high;
    UInt loads, stores; /* number of requests */
};

void proa_watched_add(Addr low, SizeT bytes, UWord what);
void proa_watched_drop(Addr low, SizeT bytes, UWord what);

/* Returns the first segment that ends after that address, or NULL; and the next one. Valid until
 * the watched bytes change. */
const struct proa_segment *proa_watched_from(Addr low);
const struct proa_segment *proa_watched_next(const struct proa_segment *segment);

/* Number of changes of the watched bytes. */
extern ULong proa_watched_changes;

#endif
