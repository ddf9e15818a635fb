/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts and gets over whatever roads lead to their bytes. See road.h. */
#include "core/road.h"
#include "base/fail.h"
#include "core/win.h"

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

int proa_carry_runs(struct proa_carry *carry, const struct proa_span *span,
                    const struct proa_runs *runs)
{
    int error = PROA_OK;

    if (carry->road != span->road)
        error = proa_carry_end(carry);
    carry->road = span->road;
    return error ? error : span->road->move(carry, span, runs);
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
