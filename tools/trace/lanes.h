/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows for intervals that overlap: those of one row do not. Intervals come in the order of their
 * ends. */
#ifndef PROA_TRACE_LANES_H
#define PROA_TRACE_LANES_H

#include <stdint.h>

/* Begins as {0}. */
struct proa_lanes {
    int count, room;
    int64_t *ends;
};

/* The row of the interval, from 0 on: that which ended last before its beginning, or a new one. */
int proa_lane_take(struct proa_lanes *lanes, int64_t begin_ns, int64_t end_ns);

void proa_lanes_free(struct proa_lanes *lanes);

#endif
