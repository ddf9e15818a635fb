/* SPDX-License-Identifier: BSD-3-Clause */
/* The road over the network, to a target on another node (remote/origin.h). See road.h. No mark or
 * stripe of this process guards these bytes: the target does. */
#include "remote/origin.h"
#include "rma/road.h"

static int move(struct proa_carry *carry, const struct proa_span *span,
                const struct proa_runs *runs)
{
    (void)span;
    return proa_remote_move(carry->win, carry->rank, carry->put, runs);
}

static int combine(struct proa_combine *combine, const struct proa_span *span, uint64_t position)
{
    (void)span;
    return proa_remote_combine(combine, position);
}

const struct proa_road proa_road_net = {.atomics = 0, .move = move, .combine = combine};
