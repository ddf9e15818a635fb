/* SPDX-License-Identifier: BSD-3-Clause */
/* Lanes for overlapping intervals: those in one lane do not overlap. Intervals arrive in the order
 * of their ends. */
#ifndef PROA_TRACE_LANES_H
#define PROA_TRACE_LANES_H

#include <stdint.h>

/* Initially {0}. */
struct proa_lanes {
    int count, room;
    int64_t *ends;
};

/* Returns the lane of the interval, from 0: the one whose last end is nearest before its start, or
 * a new one. */
int proa_lane_take(struct proa_lanes *lanes, int64_t begin_ns, int64_t end_ns);

void proa_lanes_free(struct proa_lanes *lanes);

#endif
