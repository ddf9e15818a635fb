/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Win_lock, unlock, lock_all, unlock_all (MPI-4.1, 13.5.3), and sync (13.5.4). */
#include "bind/bind.h"
#include "bind/form.h"
#include "sync/sync.h"

PROA_ENTRY(Win_lock)(int type, int rank, int assert, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);
    int error, mode;

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_lock, handle, type, rank, assert, handle);
    proa_before(win, PROA_CALL_Win_lock, rank, assert);
    error = proa_mode(assert, PROA_MODE_NOCHECK, &mode);
    if (!error && type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED)
        error = proa_fail(PROA_ERR_LOCKTYPE,
                          "lock type %d is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE", type);
    if (!error)
        error = proa_check_rank(win, rank);
    if (!error)
        proa_watch_mode(mode);
    if (!error)
        error = proa_win_lock(win, rank, type == MPI_LOCK_EXCLUSIVE, mode);
    return proa_finish(win, PROA_CALL_Win_lock, rank, error);
}

PROA_ENTRY(Win_lock_all)(int assert, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);
    int error, mode;

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_lock_all, handle, assert, handle);
    proa_before(win, PROA_CALL_Win_lock_all, -1, assert);
    error = proa_mode(assert, PROA_MODE_NOCHECK, &mode);
    if (!error)
        proa_watch_mode(mode);
    if (!error)
        error = proa_win_lock_all(win, mode);
    return proa_finish(win, PROA_CALL_Win_lock_all, -1, error);
}

PROA_ENTRY_AT_TARGET(Win_unlock, proa_win_unlock)
PROA_ENTRY_ON_WINDOW(Win_unlock_all, proa_win_unlock_all)

PROA_ENTRY(Win_sync)(MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_sync, handle, handle);
    proa_before(win, PROA_CALL_Win_sync, -1, 0);
    proa_win_sync(win);
    return proa_finish(win, PROA_CALL_Win_sync, -1, PROA_OK);
}
