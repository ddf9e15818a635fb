/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of the program that a host of the standard ABI calls with a window: delete
 * functions of attributes, and error handlers. The host calls them with the host window of the
 * handle. For a light handle (host/kind.h) the program knows another handle. No host has Fortran or
 * C++ for the ABI: there are only the calls of C.
 */
#include "bind/bind.h"
#include "bind/callbacks.h"

#include <stdlib.h>

/* ---- delete functions ---- */

/* The extra state of a keyval of windows. A freed keyval exists as long as its attributes, so this
 * is never freed. */
struct keyval {
    MPI_Win_delete_attr_function *delete;
    void *extra;
};

/* MPICH holds no lock during the call. */
static int delete_by_own_handle(MPI_Win handle, int keyval, void *value, void *extra)
{
    const struct keyval *own = extra;
    struct proa_win *win = proa_win_find(handle);
    int paused = proa_handle_pause();
    int error = own->delete (win ? proa_handle_of(win)->value : handle, keyval, value, own->extra);

    proa_handle_resume(paused);
    return error;
}

/* The copy function is never called, as windows are not duplicated. */
PROA_MPI(Win_create_keyval)
(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *delete, int *keyval, void *extra)
{
    struct keyval *own = delete == MPI_WIN_NULL_DELETE_FN ? NULL : malloc(sizeof *own);
    int error;

    if (!own) /* there is none to call; or, without memory, it gets the host's handle */
        return proa_pmpi()->Win_create_keyval(copy, delete, keyval, extra);
    *own = (struct keyval){delete, extra};
    error = proa_pmpi()->Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_by_own_handle, keyval, own);
    if (error != MPI_SUCCESS)
        free(own);
    return error;
}

/* ---- error handlers ---- */

PROA_MPI(Win_create_errhandler)(MPI_Win_errhandler_function *function, MPI_Errhandler *errhandler)
{
    int error = proa_pmpi()->Win_create_errhandler(function, errhandler);

    if (error == MPI_SUCCESS)
        proa_errhandler_made(*errhandler, function);
    return error;
}
