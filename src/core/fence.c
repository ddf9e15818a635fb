/* MPI_Win_fence (MPI-4.1, 13.5.1), and what a fence epoch means for the other calls. */
#include "base/fail.h"
#include "core/barrier.h"
#include "core/sync.h"

static int fence_check(const struct proa_win *win)
{
    if (win->epoch_all & PROA_EPOCH_LOCK)
        return proa_fail(PROA_ERR_RMA_SYNC, "the window is in a lock_all epoch: MPI_Win_unlock_all first");
    if (win->locked)
        return proa_fail(PROA_ERR_RMA_SYNC, "%d target(s) are locked by this process: MPI_Win_unlock first", win->locked);
    if (win->started)
        return proa_fail(PROA_ERR_RMA_SYNC, "an access epoch is open: MPI_Win_complete first");
    if (win->exposed)
        return proa_fail(PROA_ERR_RMA_SYNC, "an exposure epoch is open: MPI_Win_wait first");
    return PROA_OK;
}

int proa_win_fence(struct proa_win *win, int mode)
{
    int error = fence_check(win);

    if (error)
        return error;
    if (!(mode & PROA_MODE_NOPRECEDE) || !(mode & PROA_MODE_NOSUCCEED))
        proa_barrier(win);
    win->touched = 0;
    win->epoch_all = mode & PROA_MODE_NOSUCCEED ? 0 : PROA_EPOCH_FENCE;
    return PROA_OK;
}

int proa_fence_epoch_end(struct proa_win *win, const char *call)
{
    if (!(win->epoch_all & PROA_EPOCH_FENCE))
        return PROA_OK;
    if (win->touched)
        return proa_fail(PROA_ERR_RMA_SYNC, "operations were issued since the last fence: a fence must complete them before %s", call);
    win->epoch_all = 0;
    return PROA_OK;
}

int proa_win_may_free(const struct proa_win *win)
{
    int error = fence_check(win);

    if (!error && (win->epoch_all & PROA_EPOCH_FENCE) && win->touched)
        error = proa_fail(PROA_ERR_RMA_SYNC, "operations were issued since the last fence: a fence must complete them first");
    return error;
}
