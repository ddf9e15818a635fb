/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts and gets over the roads that lead to their bytes. See road.h. */
#include "rma/road.h"
#include "base/fail.h"
#include "rma/place.h"
#include "window/win.h"

void proa_carry_begin(struct proa_carry *carry, struct proa_win *win, int rank, int put)
{
    carry->win = win;
    carry->rank = rank;
    carry->put = put;
    carry->road = NULL;
    proa_cma_begin(&carry->batch, NULL, put);
}

int proa_carry_end(struct proa_carry *carry)
{
    return carry->road && carry->road->settle ? carry->road->settle(carry) : PROA_OK;
}

static int go_by(struct proa_carry *carry, const struct proa_road *road)
{
    int error = carry->road == road ? PROA_OK : proa_carry_end(carry);

    carry->road = road;
    return error;
}

int proa_carry_runs(struct proa_carry *carry, const struct proa_span *span,
                    const struct proa_runs *runs)
{
    int error = go_by(carry, span->road);

    return error ? error : span->road->move(carry, span, runs);
}

/* Of an item of a list, before which the list has `done` bytes. */
static struct proa_runs runs_of(const struct proa_listed *listed, const struct proa_item *item,
                                uint64_t done)
{
    struct proa_runs runs = {.position = listed->position,
                             .stride = item->stride,
                             .origin = listed->origin,
                             .origin_stride = item->stride,
                             .bytes = item->bytes,
                             .count = item->count};

    runs.position += listed->at_origin ? done : (uint64_t)item->offset;
    runs.origin = proa_at(runs.origin, listed->at_origin ? item->offset : (int64_t)done);
    *(listed->at_origin ? &runs.stride : &runs.origin_stride) = (int64_t)item->bytes;
    return runs;
}

int proa_carry_list(struct proa_carry *carry, const struct proa_span *span,
                    const struct proa_listed *listed)
{
    uint64_t done = 0;
    int error = go_by(carry, span->road);

    if (!error && span->road->move_list)
        return span->road->move_list(carry, span, listed);
    for (uint32_t i = 0; i < listed->rows.count && !error; i++) {
        const struct proa_item *item = &listed->rows.items[i];
        struct proa_runs runs = runs_of(listed, item, done);

        error = span->road->move(carry, span, &runs);
        done += item->count * item->bytes;
    }
    return error;
}

int proa_carry_bytes(struct proa_carry *carry, uint64_t position, char *origin, uint64_t bytes)
{
    struct proa_span span;
    uint64_t part;
    int error = PROA_OK;

    for (; bytes > 0 && !error; position += part, origin += part, bytes -= part) {
        error =
            proa_span_find(carry->win, &carry->win->targets[carry->rank], position, bytes, &span);
        if (error)
            break;
        part = span.end - position < bytes ? span.end - position : bytes;
        error = proa_carry_runs(
            carry, &span,
            &(struct proa_runs){.position = position, .origin = origin, .bytes = part, .count = 1});
    }
    return error;
}
