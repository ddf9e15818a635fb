/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts and gets by the roads of their spans. See road.h. */
#include "rma/road.h"
#include "rma/place.h"
#include "window/win.h"

const struct proa_road *proa_road_net;

int proa_carry_bytes(struct proa_carry *carry, uint64_t position, char *origin, uint64_t bytes)
{
    return proa_carry_runs(
        carry, &(struct proa_runs){
                   .count = bytes > 0, .bytes = bytes, .position = position, .origin = origin});
}

int proa_carry_runs(struct proa_carry *carry, const struct proa_runs *all)
{
    struct proa_runs runs = *all, part;
    struct proa_span span = {0};
    int error = PROA_OK;

    for (; runs.count && !error; proa_runs_skip(&runs, part.count)) {
        error = proa_span_next(carry->win, carry->rank, &runs, &span, &part);
        if (error)
            break;
        if (part.count) {
            struct proa_runs whole = proa_runs_merged(&part);

            error = proa_road_of(&span)->move(carry, &span, &whole);
        } else { /* by bytes, none of which crosses the end of its span */
            struct proa_runs row = proa_runs_row(&runs, 1);

            error = proa_carry_runs(carry, &row);
            part.count = 1;
        }
    }
    return error;
}
