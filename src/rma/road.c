/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts and gets over the roads that lead to their bytes. See road.h. */
#include "rma/road.h"
#include "rma/place.h"
#include "window/win.h"

/* Runs of one byte, in a row. */
static int carry_row(struct proa_carry *carry, struct proa_runs *row)
{
    struct proa_span span;
    int error = PROA_OK;

    while (row->count && !error) {
        error = proa_span_find(carry->win, &carry->win->targets[carry->rank], row->position,
                               row->count, &span);
        if (!error) {
            uint64_t bytes = proa_runs_in(row, &span);
            struct proa_runs run = proa_runs_joined(row, bytes);

            error = proa_road_of(&span)->move(carry, &span, &run);
            proa_runs_skip(row, bytes);
        }
    }
    return error;
}

int proa_carry_bytes(struct proa_carry *carry, uint64_t position, char *origin, uint64_t bytes)
{
    struct proa_runs row = {.count = bytes,
                            .bytes = 1,
                            .position = position,
                            .stride = 1,
                            .origin = origin,
                            .origin_stride = 1};

    return carry_row(carry, &row);
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
            error = proa_road_of(&span)->move(carry, &span, &part);
        } else {
            part = proa_runs_row(&runs, 1);
            error = carry_row(carry, &part);
            part.count = 1;
        }
    }
    return error;
}
