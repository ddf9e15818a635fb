/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Win_fence (MPI-4.1, 13.5.1) and MPI_Win_start, complete, post, wait, test (13.5.2). */
#include "bind/bind.h"
#include "core/sync.h"

#include <stdlib.h>

PROA_EXPORT int PMPI_Win_fence(int assert, MPI_Win handle)
{
    const int allowed =
        PROA_MODE_NOSTORE | PROA_MODE_NOPUT | PROA_MODE_NOPRECEDE | PROA_MODE_NOSUCCEED;
    struct proa_win *win = proa_win_find(handle);
    int error, mode;

    if (!win)
        return PROA_HOST_ANSWERS(Win_fence, handle, assert, handle);
    error = proa_mode(assert, allowed, &mode);
    if (!error)
        error = proa_win_fence(win, mode);
    return proa_return(win, PROA_CALL_Win_fence, error);
}
PROA_ALIAS(Win_fence);

/* The members of a group, as ranks in the window. */
struct members {
    int count;
    int *ranks;      /* members_release when done */
    int few[2 * 16]; /* room for most groups: ranks, and behind them 0, 1, 2... for the host */
};

static void members_release(struct members *members)
{
    if (members->ranks != members->few)
        free(members->ranks);
}

static int members_room(struct members *members, int count)
{
    const size_t bytes = 2 * (size_t)count * sizeof *members->ranks;

    members->count = count;
    members->ranks = bytes <= sizeof members->few ? members->few : malloc(bytes);
    if (!members->ranks)
        return proa_fail(PROA_ERR_NO_MEM, "no memory for %d ranks", count);
    for (int i = 0; i < count; i++)
        members->ranks[count + i] = i;
    return PROA_OK;
}

static int members_find(const struct proa_win *win, MPI_Group group, struct members *members)
{
    struct proa_handle *handle = proa_handle_of(win);
    int count, error;

    members->ranks = members->few;
    if (group == MPI_GROUP_NULL)
        return proa_fail(PROA_ERR_GROUP, "the group is MPI_GROUP_NULL");
    if (proa_pmpi()->Group_size(group, &count) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_GROUP, "the group is not valid");
    if (count > win->size)
        return proa_fail(PROA_ERR_GROUP, "the group has %d members, the window %d", count,
                         win->size);
    error = members_room(members, count);
    if (error || count == 0)
        return error;
    proa_pmpi()->Group_translate_ranks(group, count, members->ranks + count, handle->group,
                                       members->ranks);
    for (int i = 0; i < count; i++)
        if (members->ranks[i] == MPI_UNDEFINED)
            return proa_fail(PROA_ERR_GROUP, "member %d of the group is not in the window", i);
    return PROA_OK;
}

typedef int epoch_open(struct proa_win *win, const int *ranks, int count, int mode);

static int open_with_group(struct proa_win *win, MPI_Group group, int assert, int allowed,
                           epoch_open *open)
{
    struct members members;
    int mode, error = proa_mode(assert, allowed, &mode);

    if (error)
        return error;
    error = members_find(win, group, &members);
    if (!error)
        error = open(win, members.ranks, members.count, mode);
    members_release(&members);
    return error;
}

PROA_EXPORT int PMPI_Win_start(MPI_Group group, int assert, MPI_Win handle)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_start, handle, group, assert, handle);
    return proa_return(win, PROA_CALL_Win_start,
                       open_with_group(win, group, assert, PROA_MODE_NOCHECK, proa_win_start));
}
PROA_ALIAS(Win_start);

PROA_EXPORT int PMPI_Win_post(MPI_Group group, int assert, MPI_Win handle)
{
    const int allowed = PROA_MODE_NOCHECK | PROA_MODE_NOSTORE | PROA_MODE_NOPUT;
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_post, handle, group, assert, handle);
    return proa_return(win, PROA_CALL_Win_post,
                       open_with_group(win, group, assert, allowed, proa_win_post));
}
PROA_ALIAS(Win_post);

PROA_EXPORT int PMPI_Win_complete(MPI_Win handle)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_complete, handle, handle);
    return proa_return(win, PROA_CALL_Win_complete, proa_win_complete(win));
}
PROA_ALIAS(Win_complete);

PROA_EXPORT int PMPI_Win_wait(MPI_Win handle)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_wait, handle, handle);
    return proa_return(win, PROA_CALL_Win_wait, proa_win_wait(win));
}
PROA_ALIAS(Win_wait);

PROA_EXPORT int PMPI_Win_test(MPI_Win handle, int *flag)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_test, handle, handle, flag);
    return proa_return(win, PROA_CALL_Win_test, proa_win_test(win, flag));
}
PROA_ALIAS(Win_test);
