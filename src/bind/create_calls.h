/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Win_create, allocate, allocate_shared: included by create.c for each width of displacement
 * units (bind/width.h). */
#include "bind/width.h"

PROA_MPI(PROA_WIDE(Win_create))
(void *base, MPI_Aint size, PROA_STEP disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    struct request r = {
        PROA_CALL_WIDE(Win_create), PROA_FLAVOR_CREATE, base, size, disp_unit, info, comm, win,
        __builtin_return_address(0)};
    int outcome;

    if (!is_taken(&r, NULL, &outcome))
        outcome = by_host(
            proa_pmpi()->PROA_WIDE(Win_create)(base, size, disp_unit, info, comm, win), win);
    return outcome;
}

PROA_MPI(PROA_WIDE(Win_allocate))
(MPI_Aint size, PROA_STEP disp_unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    struct request r = {
        PROA_CALL_WIDE(Win_allocate), PROA_FLAVOR_ALLOCATE, NULL, size, disp_unit, info, comm, win,
        __builtin_return_address(0)};
    int outcome;

    if (!is_taken(&r, base, &outcome))
        outcome = by_host(
            proa_pmpi()->PROA_WIDE(Win_allocate)(size, disp_unit, info, comm, base, win), win);
    return outcome;
}

PROA_MPI(PROA_WIDE(Win_allocate_shared))
(MPI_Aint size, PROA_STEP disp_unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *win)
{
    struct request r = {PROA_CALL_WIDE(Win_allocate_shared),
                        PROA_FLAVOR_SHARED,
                        NULL,
                        size,
                        disp_unit,
                        info,
                        comm,
                        win,
                        __builtin_return_address(0)};
    int outcome;

    if (!is_taken(&r, base, &outcome))
        outcome = by_host(
            proa_pmpi()->PROA_WIDE(Win_allocate_shared)(size, disp_unit, info, comm, base, win),
            win);
    return outcome;
}
