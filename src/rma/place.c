/* SPDX-License-Identifier: BSD-3-Clause */
/* See place.h. */
#include "rma/place.h"
#include "base/fail.h"
#include "rma/regions.h"
#include "type/walk.h"
#include "window/sync_ops.h"

#include <stdio.h>

/* ---- epoch and types ---- */

/* Writes ranks such as "0, 2, 3" into text, with "..." if they do not fit. room: size of text, in
 * bytes. */
static void ranks_text(const struct proa_ranks *group, char *text, size_t room)
{
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < group->count && length + 16 < room; i++)
        length +=
            (size_t)snprintf(text + length, room - length, "%s%d", i ? ", " : "", group->rank[i]);
    if (length + 16 >= room)
        snprintf(text + length, room - length, ", ...");
}

static int no_epoch(const struct proa_win *win, int rank)
{
    char ranks[100];

    ranks_text(&win->started_group, ranks, sizeof ranks);
    if (win->started)
        return proa_fail(
            PROA_ERR_RMA_SYNC,
            "target rank %d is not in the group given to MPI_Win_start (started for ranks %s)",
            rank, win->started_group.count ? ranks : "of an empty group");
    if (proa_epoch_locks(win))
        return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", rank);
    return proa_fail(
        PROA_ERR_RMA_SYNC,
        "no epoch is open: MPI_Win_fence, MPI_Win_start or MPI_Win_lock must come first");
}

int proa_begin(struct proa_win *win, int rank)
{
    uint8_t epoch = proa_epoch_towards(win, rank);

    if (epoch == 0)
        return no_epoch(win, rank);
    return epoch & PROA_EPOCH_AWAITED ? win->sync->await(win, rank) : PROA_OK;
}

static int side_bytes(const struct proa_type *type, uint64_t count, const char *which,
                      uint64_t *bytes)
{
    if (type->trouble)
        return proa_fail(PROA_ERR_TYPE, "the %s datatype %s", which, type->trouble);
    if (__builtin_mul_overflow(count, type->size, bytes))
        return proa_fail(PROA_ERR_COUNT, "%s count %llu exceeds the address space", which,
                         (unsigned long long)count);
    return PROA_OK;
}

int proa_check_types(const struct proa_buffer *buffer, const struct proa_there *there,
                     const char *which)
{
    uint64_t bytes = 0, target_bytes = 0;
    int error = side_bytes(buffer->type, buffer->count, which, &bytes);

    if (!error)
        error = side_bytes(there->type, there->count, "target", &target_bytes);
    if (error)
        return error;
    if (bytes != target_bytes)
        return proa_fail(PROA_ERR_TYPE, "the %s side is %llu bytes, the target side %llu", which,
                         (unsigned long long)bytes, (unsigned long long)target_bytes);
    /* A type that starts near 0 does not have absolute addresses. */
    if (!buffer->address && bytes && buffer->type->lower < 4096)
        return proa_fail(PROA_ERR_BUFFER, "the %s buffer is NULL", which);
    return PROA_OK;
}

/* ---- spans ---- */

int proa_span_find(struct proa_win *win, struct proa_target *target, uint64_t position,
                   uint64_t bytes, struct proa_span *span)
{
    if (win->flavor == PROA_FLAVOR_DYNAMIC)
        return proa_regions_find(win, target, position, bytes, !win->threads, span);
    if (proa_is_remote(target) && position < target->bytes) {
        *span = (struct proa_span){.end = target->bytes, .road = PROA_ROAD_NET};
        return PROA_OK;
    }
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

/* ---- the place of an operation ---- */

/* Computes the displacement in bytes, and checks that all spanned bytes are inside the window. */
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
        return proa_fail(
            PROA_ERR_RMA_RANGE,
            "%llu bytes at displacement %lld are not inside the window of target rank %d, "
            "which has %llu bytes",
            (unsigned long long)bytes, (long long)displacement, rank,
            (unsigned long long)target->bytes);
    *position = (uint64_t)at;
    return PROA_OK;
}

int proa_place_find(struct proa_win *win, int rank, int64_t displacement, int64_t lower,
                    uint64_t bytes, struct proa_place *place)
{
    struct proa_target *target = &win->targets[rank];
    uint64_t first;
    int error = proa_target_know(win, rank);

    place->at = (uint64_t)displacement;
    if (!error && win->flavor != PROA_FLAVOR_DYNAMIC)
        error = position_of(target, rank, displacement, lower, bytes, &place->at);
    if (error)
        return error;
    first = place->at + (uint64_t)lower;
    error = proa_span_find(win, target, first, bytes, &place->span);
    place->scattered = !error && !proa_span_holds(&place->span, first, bytes);
    return error;
}

static int check_run(struct proa_win *win, int rank, uint64_t position, uint64_t bytes)
{
    uint64_t done = 0;

    while (done < bytes) {
        struct proa_span span;
        int error = proa_span_find(win, &win->targets[rank], position + done, bytes - done, &span);

        if (error)
            return error;
        done = span.end - position;
    }
    return PROA_OK;
}

/* Checks one type over several attached regions, adjacent or apart: finds each run, so that no data
 * is moved if one is missing. */
static int check_attached(struct proa_win *win, const struct proa_there *there, uint64_t position)
{
    const struct proa_type *type[] = {there->type};
    struct proa_stretch stretch;
    struct proa_walk walk;
    int error = proa_walk_begin(&walk, 1, type, &there->count, 0);

    if (error)
        return error;
    while (!error && proa_walk_goes_on(&walk)) {
        proa_walk_next(&walk, 0, &stretch);
        for (uint64_t i = 0; i < stretch.count && !error; i++)
            error =
                check_run(win, there->rank,
                          position + (uint64_t)(stretch.offset[0] + (int64_t)i * stretch.stride[0]),
                          stretch.bytes);
    }
    proa_walk_end(&walk);
    return error;
}

int proa_begin_at(struct proa_win *win, const struct proa_there *there, struct proa_place *place)
{
    int64_t first;
    uint64_t bytes;
    int error = proa_begin(win, there->rank);

    if (!error)
        error = proa_type_span(there->type, there->count, &first, &bytes);
    if (!error)
        error = proa_place_find(win, there->rank, there->displacement, first, bytes, place);
    if (!error && place->scattered && win->flavor == PROA_FLAVOR_DYNAMIC)
        error = check_attached(win, there, place->at);
    return error;
}
