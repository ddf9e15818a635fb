/* SPDX-License-Identifier: BSD-3-Clause */
/* See place.h. */
#include "rma/place.h"
#include "base/fail.h"
#include "rma/regions.h"

int proa_span_find(struct proa_win *win, struct proa_target *target, uint64_t position,
                   uint64_t bytes, struct proa_span *span)
{
    if (win->flavor == PROA_FLAVOR_DYNAMIC)
        return proa_regions_find(win, target, position, bytes, !win->threads, span);
    for (uint32_t i = 0; i < target->span_count; i++)
        if (proa_span_holds(&target->spans[i], position, 1)) {
            *span = target->spans[i];
            return PROA_OK;
        }
    return proa_fail(PROA_ERR_RMA_RANGE,
                     "byte %llu is not in the target's window, which has %llu bytes",
                     (unsigned long long)position, (unsigned long long)target->bytes);
}

int proa_span_next(struct proa_win *win, int rank, const struct proa_runs *runs,
                   struct proa_span *span, struct proa_runs *part)
{
    uint64_t first = runs->position + (uint64_t)proa_runs_offset(runs);
    int error = PROA_OK;

    if (!proa_span_holds(span, first, 1))
        error = proa_span_find(win, &win->targets[rank], first, proa_runs_bytes(runs), span);
    *part = *runs;
    part->count = error ? 0 : proa_runs_in(runs, span);
    return error;
}

static int range_error(const struct proa_target *target, int rank, int64_t displacement,
                       uint64_t bytes)
{
    return proa_fail(PROA_ERR_RMA_RANGE,
                     "%llu bytes at displacement %lld are not inside the window of target rank %d, "
                     "which has %llu bytes",
                     (unsigned long long)bytes, (long long)displacement, rank,
                     (unsigned long long)target->bytes);
}

/* The displacement in bytes, once all that is spanned from there is known to be inside the
 * window. */
static int position_of(const struct proa_target *target, int rank, int64_t displacement,
                       int64_t lower, uint64_t bytes, uint64_t *position)
{
    int64_t at, first;

    if (displacement < 0)
        return proa_fail(PROA_ERR_DISP, "target displacement %lld is negative",
                         (long long)displacement);
    if (__builtin_mul_overflow(displacement, target->disp_unit, &at) ||
        __builtin_add_overflow(at, lower, &first) || first < 0 || (uint64_t)first > target->bytes ||
        bytes > target->bytes - (uint64_t)first)
        return range_error(target, rank, displacement, bytes);
    *position = (uint64_t)at;
    return PROA_OK;
}

int proa_place_find(struct proa_win *win, int rank, int64_t displacement, int64_t lower,
                    uint64_t bytes, struct proa_place *place)
{
    struct proa_target *target = &win->targets[rank];
    uint64_t first;
    int error = PROA_OK;

    place->at = (uint64_t)displacement;
    if (win->flavor != PROA_FLAVOR_DYNAMIC)
        error = position_of(target, rank, displacement, lower, bytes, &place->at);
    if (error)
        return error;
    first = place->at + (uint64_t)lower;
    error = proa_span_find(win, target, first, bytes, &place->span);
    place->scattered = !error && !proa_span_holds(&place->span, first, bytes);
    return error;
}
