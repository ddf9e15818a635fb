/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes that are watched. Two structures hold them: segments, which are exact, and a map, which
 * translated code looks up before it calls the tool. The map has a byte for each line of 64 bytes
 * of memory; addresses that are MAP_LINES lines apart share one, so the map may say yes for bytes
 * that are not watched, and never no for those that are.
 */
#ifndef PROA_TRANSLATOR_WATCHED_H
#define PROA_TRANSLATOR_WATCHED_H

#include "core.h"

enum { PROA_LINE_SHIFT = 6, PROA_MAP_LINES = 1 << 24, PROA_ACCESS_MOST = 64 /* that it is for */ };

/* The map of the running thread's code: of a thread in MPI it is empty. */
extern UChar *proa_map_now;
extern UChar proa_map[PROA_MAP_LINES], proa_map_empty[PROA_MAP_LINES];

/* Has anything been watched yet? */
extern Bool proa_watched_any;

/* Of [low, high) all bytes are watched for the same accesses. */
struct proa_segment {
    Addr low, high;
    UInt loads, stores; /* how often they were asked for */
};

void proa_watched_add(Addr low, SizeT bytes, UWord what);
void proa_watched_drop(Addr low, SizeT bytes, UWord what);

/* The first segment that ends behind that address, NULL: there is none; and the next one. Valid
 * until more, or less, is watched. */
const struct proa_segment *proa_watched_from(Addr low);
const struct proa_segment *proa_watched_next(const struct proa_segment *segment);

/* How often that has changed. */
extern ULong proa_watched_changes;

#endif
