/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Win_fence (MPI-4.1, 13.5.1) and MPI_Win_start, complete, post, wait, test (13.5.2). */
#include "bind/bind.h"
#include "bind/form.h"
#include "sync/sync.h"

PROA_ENTRY(Win_fence)(int assert, MPI_Win handle)
{
    const int allowed =
        PROA_MODE_NOSTORE | PROA_MODE_NOPUT | PROA_MODE_NOPRECEDE | PROA_MODE_NOSUCCEED;
    struct proa_win *win = PROA_WIN_OF(handle);
    int error, mode;

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_fence, handle, assert, handle);
    proa_before(win, PROA_CALL_Win_fence, -1, assert);
    error = proa_mode(assert, allowed, &mode);
    if (!error) {
        proa_watch_mode(mode);
        error = proa_win_fence(win, mode);
    }
    return proa_finish(win, PROA_CALL_Win_fence, -1, error);
}

typedef int epoch_open(struct proa_win *win, const int *ranks, int count, int mode);

PROA_FORMS int open_with_group(struct proa_win *win, struct proa_group_ranks_kept *kept,
                               MPI_Group group, int assert, int allowed, epoch_open *open)
{
    const struct proa_group_ranks *members;
    int mode, error = proa_mode(assert, allowed, &mode);

    if (error)
        return error;
    proa_watch_mode(mode);
    error = proa_group_ranks_find(kept, proa_handle_of(win)->group, win->size, group, &members);
    return error ? error : open(win, members->ranks, members->count, mode);
}

PROA_ENTRY(Win_start)(MPI_Group group, int assert, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_start, handle, group, assert, handle);
    proa_before(win, PROA_CALL_Win_start, -1, assert);
    return proa_finish(win, PROA_CALL_Win_start, -1,
                       open_with_group(win, &proa_handle_of(win)->accessed, group, assert,
                                       PROA_MODE_NOCHECK, proa_win_start));
}

PROA_ENTRY(Win_post)(MPI_Group group, int assert, MPI_Win handle)
{
    const int allowed = PROA_MODE_NOCHECK | PROA_MODE_NOSTORE | PROA_MODE_NOPUT;
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_post, handle, group, assert, handle);
    proa_before(win, PROA_CALL_Win_post, -1, assert);
    return proa_finish(win, PROA_CALL_Win_post, -1,
                       open_with_group(win, &proa_handle_of(win)->exposed_to, group, assert,
                                       allowed, proa_win_post));
}

PROA_ENTRY_ON_WINDOW(Win_complete, proa_win_complete)
PROA_ENTRY_ON_WINDOW(Win_wait, proa_win_wait)

PROA_ENTRY(Win_test)(MPI_Win handle, int *flag)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_test, handle, handle, flag);
    proa_before(win, PROA_CALL_Win_test, -1, 0);
    return proa_finish(win, PROA_CALL_Win_test, -1, proa_win_test(win, flag));
}
