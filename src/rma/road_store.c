/* SPDX-License-Identifier: BSD-3-Clause */
/* The road of load and store, to memory that is mapped here. See road.h. */
#include "base/fail.h"
#include "rma/combine.h"
#include "rma/road.h"

static int move(struct proa_carry *carry, const struct proa_span *span,
                const struct proa_runs *runs)
{
    proa_runs_copy(runs, proa_span_here(span, runs->position), carry->put);
    return PROA_OK;
}

static int apply(struct proa_combine *combine, const struct proa_span *span,
                 const struct proa_runs *runs)
{
    proa_runs_apply(&combine->run, runs, proa_span_here(span, runs->position));
    return PROA_OK;
}

const struct proa_road proa_road_store = {.move = move, .apply = apply};
