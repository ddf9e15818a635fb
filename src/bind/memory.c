/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Alloc_mem, MPI_Free_mem (MPI-4.1, 9.2), attach and detach (13.2.4), shared_query (13.2.3). */
#include "bind/bind.h"
#include "base/settings.h"
#include "check/check.h"
#include "check/local.h"
#include "usage/rules.h"
#include "host/hints.h"
#include "rma/road.h"
#include "rma/regions.h"
#include "shm/arena.h"
#include "window/sync_ops.h"

#include <limits.h>

/* Allocates from the arena, so that windows over the memory are reached by load and store. */
PROA_MPI(Alloc_mem)(MPI_Aint size, MPI_Info info, void *base)
{
    void *memory;

    if (!proa_is_on(MPI_COMM_NULL))
        return proa_pmpi()->Alloc_mem(size, info, base);
    if (size < 0)
        return proa_raise_on_comm(
            MPI_COMM_WORLD, PROA_CALL_Alloc_mem,
            proa_fail(PROA_ERR_SIZE, "size %lld is negative", (long long)size));
    memory = proa_arena_alloc((size_t)size, proa_info_alignment(info));
    if (!memory && proa_arena_is_limited((size_t)size))
        return proa_pmpi()->Alloc_mem(size, info, base); /* this needs no file */
    if (!memory)
        return proa_raise_on_comm(MPI_COMM_WORLD, PROA_CALL_Alloc_mem, PROA_ERR_NO_MEM);
    if (proa_settings()->check) {
        proa_rules_memory_comes(memory, (uint64_t)size);
        proa_local_start();
    }
    *(void **)base = memory;
    return MPI_SUCCESS;
}

PROA_MPI(Free_mem)(void *base)
{
    if (proa_settings()->check)
        proa_rules_memory_goes(base, __builtin_return_address(0));
    return proa_arena_free(base) ? MPI_SUCCESS : proa_pmpi()->Free_mem(base);
}

static int check_dynamic(const struct proa_win *win)
{
    return win->flavor == PROA_FLAVOR_DYNAMIC
               ? PROA_OK
               : proa_fail(PROA_ERR_RMA_FLAVOR,
                           "the window was not made by MPI_Win_create_dynamic");
}

static int attach(struct proa_win *win, void *base, uint64_t bytes)
{
    int error = proa_regions_attach(win, base, bytes);

    if (!error && proa_handle_of(win)->check && bytes && proa_local_is_on())
        proa_local_attach(win, base, bytes);
    if (!error)
        proa_check_attach(proa_handle_of(win)->check, base, bytes);
    return error;
}

PROA_MPI(Win_attach)(MPI_Win handle, void *base, MPI_Aint size)
{
    struct proa_win *win = proa_win_find(handle);
    int error;

    if (!win)
        return PROA_HOST_ANSWERS(Win_attach, handle, handle, base, size);
    error = check_dynamic(win);
    if (!error && size < 0)
        error = proa_fail(PROA_ERR_SIZE, "size %lld is negative", (long long)size);
    if (!error && !base && size > 0)
        error = proa_fail(PROA_ERR_BASE, "base is NULL, but size is %lld", (long long)size);
    if (!error)
        error = attach(win, base, (uint64_t)size);
    if (!error)
        proa_rules_attach(proa_handle_of(win)->rules, base, (uint64_t)size);
    return proa_return(win, PROA_CALL_Win_attach, error);
}

PROA_MPI(Win_detach)(MPI_Win handle, const void *base)
{
    struct proa_win *win = proa_win_find(handle);
    int error;

    if (!win)
        return PROA_HOST_ANSWERS(Win_detach, handle, handle, base);
    error = check_dynamic(win);
    if (!error)
        proa_local_detach(win, base);
    if (!error)
        error = proa_regions_detach(win, base);
    if (!error)
        proa_check_detach(proa_handle_of(win)->check, base);
    if (!error)
        proa_rules_detach(proa_handle_of(win)->rules, base);
    return proa_return(win, PROA_CALL_Win_detach, error);
}

/* MPI_PROC_NULL stands for the lowest rank that has memory. */
static int first_with_memory(struct proa_win *win)
{
    for (int i = 0; i < win->size; i++)
        if (proa_target_know(win, i) == PROA_OK && win->targets[i].bytes)
            return i;
    return 0;
}

static int shared_query(struct proa_win *win, int rank, MPI_Aint *size, MPI_Aint *disp_unit,
                        void *base)
{
    int error = proa_check_rank(win, rank);
    const struct proa_target *target;
    char *start;

    if (error < 0)
        return error;
    if (win->flavor == PROA_FLAVOR_DYNAMIC)
        return proa_fail(
            PROA_ERR_RMA_FLAVOR,
            "the window was made by MPI_Win_create_dynamic: it has no memory of its own");
    if (error == PROA_NOWHERE)
        rank = first_with_memory(win);
    error = proa_target_know(win, rank);
    if (error)
        return error;
    target = &win->targets[rank];
    start = proa_win_load_store(win, rank);
    if (start && rank != win->rank)
        proa_check_share(proa_handle_of(win)->check);
    *(void **)base = start;
    *size = start ? (MPI_Aint)target->bytes : 0;
    *disp_unit = target->disp_unit;
    return PROA_OK;
}

PROA_MPI(Win_shared_query)(MPI_Win handle, int rank, MPI_Aint *size, int *disp_unit, void *base)
{
    struct proa_win *win = proa_win_find(handle);
    MPI_Aint unit = 1;
    int error;

    if (!win)
        return PROA_HOST_ANSWERS(Win_shared_query, handle, handle, rank, size, disp_unit, base);
    error = shared_query(win, rank, size, &unit, base);
    if (!error)
        *disp_unit = unit <= INT_MAX ? (int)unit : MPI_UNDEFINED;
    return proa_return(win, PROA_CALL_Win_shared_query, error);
}

#if MPI_VERSION >= 4
PROA_MPI(Win_shared_query_c)
(MPI_Win handle, int rank, MPI_Aint *size, MPI_Aint *disp_unit, void *base)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_shared_query_c, handle, handle, rank, size, disp_unit, base);
    return proa_return(win, PROA_CALL_Win_shared_query_c,
                       shared_query(win, rank, size, disp_unit, base));
}
#endif
