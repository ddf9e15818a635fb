/* MPI_Win_fence (MPI-4.1, 13.5.1) and MPI_Win_start, complete, post, wait, test (13.5.2). */
#include "bind/bind.h"
#include "core/sync.h"

#include <stdlib.h>

PROA_EXPORT int PMPI_Win_fence(int assert, MPI_Win handle)
{
    const int allowed = PROA_MODE_NOSTORE | PROA_MODE_NOPUT | PROA_MODE_NOPRECEDE | PROA_MODE_NOSUCCEED;
    struct proa_win *win = proa_win_find(handle);
    int error, mode;

    if (!win)
        return PROA_HOST_ANSWERS(Win_fence, handle, assert, handle);
    error = proa_mode(assert, allowed, &mode);
    if (!error)
        error = proa_win_fence(win, mode);
    return proa_return(win, "MPI_Win_fence", error);
}
PROA_ALIAS(Win_fence);

/* A group's members as ranks in the window. *ranks is to be freed. */
static int ranks_of(const struct proa_win *win, MPI_Group group, int **ranks, int *count)
{
    struct proa_window *window = proa_window_of(win);
    int size;

    *ranks = NULL;
    if (group == MPI_GROUP_NULL)
        return proa_fail(PROA_ERR_GROUP, "the group is MPI_GROUP_NULL");
    if (proa_pmpi()->Group_size(group, &size) != MPI_SUCCESS)
        return proa_fail(PROA_ERR_GROUP, "the group is not valid");
    *count = size;
    if (size == 0)
        return PROA_OK;
    if (size > win->size)
        return proa_fail(PROA_ERR_GROUP, "the group has %d members, the window %d", size, win->size);
    *ranks = malloc(2 * (size_t)size * sizeof **ranks);
    if (!*ranks)
        return proa_fail(PROA_ERR_NO_MEM, "no memory for %d ranks", size);
    for (int i = 0; i < size; i++)
        (*ranks)[size + i] = i;
    proa_pmpi()->Group_translate_ranks(group, size, *ranks + size, window->group, *ranks);
    for (int i = 0; i < size; i++)
        if ((*ranks)[i] == MPI_UNDEFINED)
            return proa_fail(PROA_ERR_GROUP, "member %d of the group is not in the window", i);
    return PROA_OK;
}

typedef int epoch_open(struct proa_win *win, const int *ranks, int count, int mode);

static int open_with_group(struct proa_win *win, MPI_Group group, int assert, int allowed, epoch_open *open)
{
    int error, mode, count = 0, *ranks = NULL;

    error = proa_mode(assert, allowed, &mode);
    if (!error)
        error = ranks_of(win, group, &ranks, &count);
    if (!error)
        error = open(win, ranks, count, mode);
    free(ranks);
    return error;
}

PROA_EXPORT int PMPI_Win_start(MPI_Group group, int assert, MPI_Win handle)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_start, handle, group, assert, handle);
    return proa_return(win, "MPI_Win_start", open_with_group(win, group, assert, PROA_MODE_NOCHECK, proa_win_start));
}
PROA_ALIAS(Win_start);

PROA_EXPORT int PMPI_Win_post(MPI_Group group, int assert, MPI_Win handle)
{
    const int allowed = PROA_MODE_NOCHECK | PROA_MODE_NOSTORE | PROA_MODE_NOPUT;
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_post, handle, group, assert, handle);
    return proa_return(win, "MPI_Win_post", open_with_group(win, group, assert, allowed, proa_win_post));
}
PROA_ALIAS(Win_post);

PROA_EXPORT int PMPI_Win_complete(MPI_Win handle)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_complete, handle, handle);
    return proa_return(win, "MPI_Win_complete", proa_win_complete(win));
}
PROA_ALIAS(Win_complete);

PROA_EXPORT int PMPI_Win_wait(MPI_Win handle)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_wait, handle, handle);
    return proa_return(win, "MPI_Win_wait", proa_win_wait(win));
}
PROA_ALIAS(Win_wait);

PROA_EXPORT int PMPI_Win_test(MPI_Win handle, int *flag)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_test, handle, handle, flag);
    return proa_return(win, "MPI_Win_test", proa_win_test(win, flag));
}
PROA_ALIAS(Win_test);
