/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Win_lock, unlock, lock_all, unlock_all (MPI-4.1, 13.5.3), flush and sync (13.5.4). */
#include "bind/bind.h"
#include "bind/form.h"
#include "core/sync.h"

PROA_ENTRY(Win_lock)(int type, int rank, int assert, MPI_Win handle)
{
    struct proa_win *win;
    int error, mode;

    PROA_FIND(win, Win_lock, handle, rank, type, rank, assert, handle);
    error = proa_mode(assert, PROA_MODE_NOCHECK, &mode);
    if (!error && type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED)
        error = proa_fail(PROA_ERR_LOCKTYPE,
                          "lock type %d is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE", type);
    if (!error)
        error = proa_check_rank(win, rank);
    if (!error)
        error = proa_win_lock(win, rank, type == MPI_LOCK_EXCLUSIVE, mode);
    return proa_return(win, PROA_CALL_Win_lock, error);
}
PROA_ENTRY_ALIAS(Win_lock);

PROA_ENTRY(Win_unlock)(int rank, MPI_Win handle)
{
    struct proa_win *win;
    int error;

    PROA_FIND(win, Win_unlock, handle, rank, rank, handle);
    error = proa_check_rank(win, rank);
    if (!error)
        error = proa_win_unlock(win, rank);
    return proa_return(win, PROA_CALL_Win_unlock, error);
}
PROA_ENTRY_ALIAS(Win_unlock);

PROA_ENTRY(Win_lock_all)(int assert, MPI_Win handle)
{
    struct proa_win *win;
    int error, mode;

    PROA_FIND(win, Win_lock_all, handle, -1, assert, handle);
    error = proa_mode(assert, PROA_MODE_NOCHECK, &mode);
    if (!error)
        error = proa_win_lock_all(win, mode);
    return proa_return(win, PROA_CALL_Win_lock_all, error);
}
PROA_ENTRY_ALIAS(Win_lock_all);

PROA_ENTRY(Win_unlock_all)(MPI_Win handle)
{
    struct proa_win *win;

    PROA_FIND(win, Win_unlock_all, handle, -1, handle);
    return proa_return(win, PROA_CALL_Win_unlock_all, proa_win_unlock_all(win));
}
PROA_ENTRY_ALIAS(Win_unlock_all);

PROA_ENTRY(Win_flush)(int rank, MPI_Win handle)
{
    struct proa_win *win;
    int error;

    PROA_FIND(win, Win_flush, handle, rank, rank, handle);
    error = proa_check_rank(win, rank);
    if (!error)
        error = proa_win_flush(win, rank);
    return proa_return(win, PROA_CALL_Win_flush, error);
}
PROA_ENTRY_ALIAS(Win_flush);

PROA_ENTRY(Win_flush_local)(int rank, MPI_Win handle)
{
    struct proa_win *win;
    int error;

    PROA_FIND(win, Win_flush_local, handle, rank, rank, handle);
    error = proa_check_rank(win, rank);
    if (!error)
        error = proa_win_flush_local(win, rank);
    return proa_return(win, PROA_CALL_Win_flush_local, error);
}
PROA_ENTRY_ALIAS(Win_flush_local);

PROA_ENTRY(Win_flush_all)(MPI_Win handle)
{
    struct proa_win *win;

    PROA_FIND(win, Win_flush_all, handle, -1, handle);
    return proa_return(win, PROA_CALL_Win_flush_all, proa_win_flush_all(win));
}
PROA_ENTRY_ALIAS(Win_flush_all);

PROA_ENTRY(Win_flush_local_all)(MPI_Win handle)
{
    struct proa_win *win;

    PROA_FIND(win, Win_flush_local_all, handle, -1, handle);
    return proa_return(win, PROA_CALL_Win_flush_local_all, proa_win_flush_local_all(win));
}
PROA_ENTRY_ALIAS(Win_flush_local_all);

PROA_ENTRY(Win_sync)(MPI_Win handle)
{
    struct proa_win *win;

    PROA_FIND(win, Win_sync, handle, -1, handle);
    proa_win_sync(win);
    return MPI_SUCCESS;
}
PROA_ENTRY_ALIAS(Win_sync);
