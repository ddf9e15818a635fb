/* See place.h. */
#include "core/place.h"
#include "base/fail.h"
#include "core/lender.h"

static int range_error(const struct proa_target *target, int rank, int64_t displacement, uint64_t bytes)
{
    return proa_fail(PROA_ERR_RMA_RANGE, "%llu bytes at displacement %lld are not inside the window of target rank %d, which has %llu bytes",
                     (unsigned long long)bytes, (long long)displacement, rank, (unsigned long long)target->bytes);
}

static int find_in_regions(struct proa_win *win, struct proa_target *target, int64_t displacement, int64_t lower, uint64_t bytes,
                           struct proa_place *place)
{
    uint64_t address = (uint64_t)displacement;
    struct proa_region region;
    int error = proa_regions_find(target, address + (uint64_t)lower, bytes, !win->threads, &region);
    char *segment;

    if (error)
        return error;
    place->scattered = 0;
    place->there = address;
    place->peer = place->owner = target->peer;
    place->private_memory = region.segment < 0;
    place->here = NULL;
    if (place->private_memory) {
        place->key = address;
        if (target->peer == proa_self)
            place->here = (char *)(uintptr_t)address;
        return PROA_OK;
    }
    if (region.owner.id)
        place->owner = proa_lender(win, &region.owner);
    segment = place->owner ? proa_peer_segment(place->owner, (int)region.segment) : NULL;
    if (!segment)
        return PROA_ERR_OTHER;
    place->key = region.offset + (address - region.start);
    place->here = proa_at(segment, (int64_t)place->key);
    return PROA_OK;
}

int proa_place_find(struct proa_win *win, int rank, int64_t displacement, int64_t lower, uint64_t bytes, struct proa_place *place)
{
    struct proa_target *target = &win->targets[rank];
    int64_t at, first;

    if (target->reach == PROA_REACH_REGIONS)
        return find_in_regions(win, target, displacement, lower, bytes, place);
    if (displacement < 0)
        return proa_fail(PROA_ERR_DISP, "target displacement %lld is negative", (long long)displacement);
    if (__builtin_mul_overflow(displacement, target->disp_unit, &at) || __builtin_add_overflow(at, lower, &first) || first < 0 ||
        (uint64_t)first > target->bytes || bytes > target->bytes - (uint64_t)first)
        return range_error(target, rank, displacement, bytes);
    place->here = target->base ? target->base + at : NULL;
    place->scattered = 0;
    place->there = target->address + (uint64_t)at;
    place->key = target->key + (uint64_t)at;
    place->peer = target->peer;
    place->owner = target->owner;
    place->private_memory = target->private_memory;
    return PROA_OK;
}
