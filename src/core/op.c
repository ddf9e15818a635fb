/* Put and get off the fast path: waiting for a post, cma, dynamic windows, errors. */
#include "core/op.h"
#include "base/fail.h"
#include "core/begin.h"
#include "core/cma.h"

static int prepare(struct proa_win *win, const struct proa_buffer *origin, const struct proa_there *there, struct proa_place *place)
{
    int error = proa_check_types(origin, there, "origin");

    if (error)
        return error;
    if (there->count == 0)
        return proa_begin(win, there->rank);
    return proa_begin_at(win, there, place);
}

int proa_put_slow(struct proa_win *win, const struct proa_buffer *origin, const struct proa_there *there)
{
    uint64_t bytes = there->count * there->type->size;
    struct proa_place place;
    int error = prepare(win, origin, there, &place);

    if (error)
        return error;
    proa_touch(win);
    if (bytes == 0)
        return PROA_OK;
    if (!place.here)
        return proa_cma_write(place.peer, place.there, origin->address, bytes);
    proa_copy(place.here, origin->address, bytes);
    return PROA_OK;
}

int proa_get_slow(struct proa_win *win, const struct proa_buffer *origin, const struct proa_there *there)
{
    uint64_t bytes = there->count * there->type->size;
    struct proa_place place;
    int error = prepare(win, origin, there, &place);

    if (error)
        return error;
    proa_touch(win);
    if (bytes == 0)
        return PROA_OK;
    if (!place.here)
        return proa_cma_read(place.peer, place.there, origin->address, bytes);
    proa_copy(origin->address, place.here, bytes);
    return PROA_OK;
}
