/* SPDX-License-Identifier: BSD-3-Clause */
/* See lanes.h. */
#include "lanes.h"

#include "reader.h"

#include <stdlib.h>

int proa_lane_take(struct proa_lanes *lanes, int64_t begin_ns, int64_t end_ns)
{
    int best = -1;

    for (int lane = 0; lane < lanes->count; lane++)
        if (lanes->ends[lane] <= begin_ns && (best < 0 || lanes->ends[lane] > lanes->ends[best]))
            best = lane;
    if (best < 0) {
        if (lanes->count == lanes->room) {
            lanes->room = lanes->room ? 2 * lanes->room : 4;
            lanes->ends = proa_need(lanes->ends, (size_t)lanes->room * sizeof *lanes->ends);
        }
        best = lanes->count++;
    }
    lanes->ends[best] = end_ns;
    return best;
}

void proa_lanes_free(struct proa_lanes *lanes)
{
    free(lanes->ends);
    *lanes = (struct proa_lanes){0};
}
