/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Win_lock, unlock, lock_all, unlock_all (MPI-4.1, 13.5.3), flush and sync (13.5.4). */
#include "bind/bind.h"
#include "bind/form.h"
#include "sync/sync.h"

PROA_ENTRY(Win_lock)(int type, int rank, int assert, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);
    int error, mode;

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_lock, handle, type, rank, assert, handle);
    error = proa_mode(assert, PROA_MODE_NOCHECK, &mode);
    if (!error && type != MPI_LOCK_EXCLUSIVE && type != MPI_LOCK_SHARED)
        error = proa_fail(PROA_ERR_LOCKTYPE,
                          "lock type %d is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE", type);
    if (!error)
        error = proa_check_rank(win, rank);
    if (!error)
        error = proa_win_lock(win, rank, type == MPI_LOCK_EXCLUSIVE, mode);
    return proa_finish(win, PROA_CALL_Win_lock, rank, error);
}

typedef int at_target(struct proa_win *win, int rank);

static inline __attribute__((always_inline)) int
finish_at(struct proa_win *win, enum proa_call call, int rank, at_target *at)
{
    int error = proa_check_rank(win, rank);

    if (!error)
        error = at(win, rank);
    return proa_finish(win, call, rank, error);
}

PROA_ENTRY(Win_unlock)(int rank, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_unlock, handle, rank, handle);
    return finish_at(win, PROA_CALL_Win_unlock, rank, proa_win_unlock);
}

PROA_ENTRY(Win_lock_all)(int assert, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);
    int error, mode;

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_lock_all, handle, assert, handle);
    error = proa_mode(assert, PROA_MODE_NOCHECK, &mode);
    if (!error)
        error = proa_win_lock_all(win, mode);
    return proa_finish(win, PROA_CALL_Win_lock_all, -1, error);
}

PROA_ENTRY(Win_unlock_all)(MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_unlock_all, handle, handle);
    return proa_finish(win, PROA_CALL_Win_unlock_all, -1, proa_win_unlock_all(win));
}

PROA_ENTRY(Win_flush)(int rank, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_flush, handle, rank, handle);
    return finish_at(win, PROA_CALL_Win_flush, rank, proa_win_flush);
}

PROA_ENTRY(Win_flush_local)(int rank, MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_flush_local, handle, rank, handle);
    return finish_at(win, PROA_CALL_Win_flush_local, rank, proa_win_flush_local);
}

PROA_ENTRY(Win_flush_all)(MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_flush_all, handle, handle);
    return proa_finish(win, PROA_CALL_Win_flush_all, -1, proa_win_flush_all(win));
}

PROA_ENTRY(Win_flush_local_all)(MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_flush_local_all, handle, handle);
    return proa_finish(win, PROA_CALL_Win_flush_local_all, -1, proa_win_flush_local_all(win));
}

PROA_ENTRY(Win_sync)(MPI_Win handle)
{
    struct proa_win *win = PROA_WIN_OF(handle);

    if (PROA_RARELY(!win))
        return PROA_NEXT_FORM(Win_sync, handle, handle);
    proa_win_sync(win);
    return proa_finish(win, PROA_CALL_Win_sync, -1, PROA_OK);
}
