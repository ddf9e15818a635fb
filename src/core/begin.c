/* See begin.h. */
#include "core/begin.h"
#include "base/fail.h"
#include "core/sync.h"

static int no_epoch(const struct proa_win *win, int rank)
{
    if (win->started)
        return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not in the group given to MPI_Win_start", rank);
    if (win->locked)
        return proa_fail(PROA_ERR_RMA_SYNC, "target rank %d is not locked by this process", rank);
    return proa_fail(PROA_ERR_RMA_SYNC, "no epoch is open: MPI_Win_fence, MPI_Win_start or MPI_Win_lock must come first");
}

int proa_begin(struct proa_win *win, int rank)
{
    uint8_t epoch = __atomic_load_n(&win->targets[rank].epoch, __ATOMIC_RELAXED) | win->epoch_all;

    if (epoch == 0)
        return no_epoch(win, rank);
    if (epoch & PROA_EPOCH_AWAITED)
        proa_start_await(win, rank);
    return PROA_OK;
}

int proa_check_types(const struct proa_buffer *buffer, const struct proa_there *there, const char *which)
{
    if (buffer->type->trouble)
        return proa_fail(PROA_ERR_TYPE, "the %s datatype %s", which, buffer->type->trouble);
    if (there->type->trouble)
        return proa_fail(PROA_ERR_TYPE, "the target datatype %s", there->type->trouble);
    if (buffer->count * buffer->type->size != there->count * there->type->size)
        return proa_fail(PROA_ERR_TYPE, "the %s side is %llu bytes, the target side %llu", which,
                         (unsigned long long)(buffer->count * buffer->type->size),
                         (unsigned long long)(there->count * there->type->size));
    if (!buffer->address && buffer->count)
        return proa_fail(PROA_ERR_BUFFER, "the %s buffer is NULL", which);
    return PROA_OK;
}

int proa_begin_at(struct proa_win *win, const struct proa_there *there, struct proa_place *place)
{
    int error = proa_begin(win, there->rank);

    if (!error)
        error = proa_place_find(win, there->rank, there->displacement, 0, there->count * there->type->size, place);
    return error;
}
