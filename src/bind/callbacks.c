/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See callbacks.h. Error handlers.
 *
 * The host calls the program's functions with the host window of the handle. That is the handle
 * itself, except for light handles: for these Proa calls the functions, if it knows them.
 */
#include "bind/callbacks.h"
#include "base/atomic.h"
#include "bind/bind.h"

/* Maps error handlers to the program's functions; and to C++'s caller, for those of C++. Fortran's
 * functions are called like C's: its handles are integers too. Entries stay: a number that is given
 * out again is entered anew. */
static struct proa_table functions = PROA_TABLE_INIT;
static struct proa_table cxx_callers = PROA_TABLE_INIT;
/* Handlers of C++ that the host can call with the right handle; any value but NULL. */
static struct proa_table cxx_others = PROA_TABLE_INIT;

void proa_errhandler_made(MPI_Errhandler errhandler, MPI_Win_errhandler_function *function)
{
    proa_table_remove(&cxx_callers, PROA_TABLE_KEY(errhandler));
    proa_table_remove(&cxx_others, PROA_TABLE_KEY(errhandler));
    if (proa_table_set(&functions, PROA_TABLE_KEY(errhandler), (void *)function) != 0)
        proa_table_remove(&functions, PROA_TABLE_KEY(errhandler)); /* the host will call it */
}

void proa_errhandler_made_for_host(MPI_Errhandler errhandler, int by_cxx)
{
    proa_table_remove(&functions, PROA_TABLE_KEY(errhandler));
    proa_table_remove(&cxx_callers, PROA_TABLE_KEY(errhandler));
    if (by_cxx)
        proa_table_set(&cxx_others, PROA_TABLE_KEY(errhandler), &cxx_others);
    else
        proa_table_remove(&cxx_others, PROA_TABLE_KEY(errhandler));
}

void proa_errhandler_made_by_cxx(MPI_Errhandler errhandler, proa_cxx_caller *caller)
{
    if (proa_table_set(&cxx_callers, PROA_TABLE_KEY(errhandler), (void *)caller) != 0)
        proa_table_remove(&functions, PROA_TABLE_KEY(errhandler)); /* the host will call it */
}

int proa_errhandler_is_cxx(MPI_Errhandler errhandler)
{
    return proa_table_find(&cxx_callers, PROA_TABLE_KEY(errhandler)) ||
           proa_table_find(&cxx_others, PROA_TABLE_KEY(errhandler));
}

/* Calls the handler if it is a function of the program. Returns 1 if it was called. */
static int call_with_own_handle(struct proa_handle *handle, int code)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Win_errhandler_function *function;
    MPI_Win own = handle->value;
    proa_cxx_caller *caller;

    if (proa_pmpi()->Win_get_errhandler(proa_atomic_load(&handle->shadow, PROA_ACQUIRE),
                                        &handler) != MPI_SUCCESS ||
        handler == MPI_ERRHANDLER_NULL)
        return 0;
    function = (MPI_Win_errhandler_function *)proa_table_find(&functions, PROA_TABLE_KEY(handler));
    caller = (proa_cxx_caller *)proa_table_find(&cxx_callers, PROA_TABLE_KEY(handler));
    proa_pmpi()->Errhandler_free(&handler); /* the window holds a reference */
    if (!function)
        return 0;
    if (caller)
        caller(PROA_CXX_WINDOW, &own, &code, (void (*)(void))function);
    else
        function(&own, &code);
    return 1;
}

int proa_call_errhandler(struct proa_handle *handle, int code)
{
    MPI_Win shadow = proa_handle_shadow(handle);
    int error;

    if (shadow != handle->value && call_with_own_handle(handle, code))
        return MPI_SUCCESS;
    proa_raising(1);
    error = proa_pmpi()->Win_call_errhandler(shadow, code);
    proa_raising(0);
    return error;
}
