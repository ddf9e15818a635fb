/*
 * See callbacks.h. Delete functions of attributes, and error handlers.
 *
 * The host calls them with the host window behind the handle. That is the handle itself, but for light handles, which only MPICH has
 * (host/window.h); so only there more is to do than to call the host.
 */
#include "bind/callbacks.h"
#include "bind/bind.h"

#if defined(MPICH_VERSION)

#include <dlfcn.h>
#include <stddef.h>

/* ---- delete functions ---- */

/* MPICH calls a delete function through its keyval's proxy, which knows the function's language: C's, unless the binding that made the
 * keyval sets its own. Every window keyval gets a proxy of ours instead, in front of that one. MPICH holds no lock meanwhile. */
typedef int delete_proxy(MPI_Win_delete_attr_function *function, MPI_Win handle, int keyval, int kind, void *value, void *extra);
typedef void copy_proxy(void); /* never called: windows are not duplicated */
typedef void set_proxy_function(int keyval, copy_proxy *copy, delete_proxy *delete);

PROA_EXPORT set_proxy_function MPII_Keyval_set_proxy;

/* From keyval to the proxy of its language. Keyvals are not taken out: a freed one lives on with its attributes, and when its number is
 * given out again it is entered anew. */
static struct proa_table delete_proxies = PROA_TABLE_INIT;

/* As MPICH's own, which is not exported: the lowest bit of kind says that the value is an integer (set by Fortran) and no pointer. */
static int delete_by_c(MPI_Win_delete_attr_function *function, MPI_Win handle, int keyval, int kind, void *value, void *extra)
{
    return function(handle, keyval, kind & 1 ? &value : value, extra);
}

static int delete_by_own_handle(MPI_Win_delete_attr_function *function, MPI_Win handle, int keyval, int kind, void *value, void *extra)
{
    struct proa_win *win = proa_win_find(handle);
    delete_proxy *proxy = (delete_proxy *)proa_table_find(&delete_proxies, PROA_TABLE_KEY(keyval));
    int paused = proa_window_pause();
    int error = proxy(function, win ? proa_window_of(win)->handle : handle, keyval, kind, value, extra);

    proa_window_resume(paused);
    return error;
}

/* Without memory, or in an MPICH that has no proxies, delete functions get what MPICH gives them. */
PROA_EXPORT int PMPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *delete, int *keyval, void *extra)
{
    set_proxy_function *host = (set_proxy_function *)dlsym(RTLD_NEXT, "MPII_Keyval_set_proxy");
    int error = proa_pmpi()->Win_create_keyval(copy, delete, keyval, extra);

    if (error == MPI_SUCCESS && host && proa_table_set(&delete_proxies, PROA_TABLE_KEY(*keyval), (void *)delete_by_c) == 0)
        host(*keyval, NULL, delete_by_own_handle);
    return error;
}
PROA_ALIAS(Win_create_keyval);

/* Fortran and C++, for keyvals of windows, communicators and datatypes, just made. */
PROA_EXPORT void MPII_Keyval_set_proxy(int keyval, copy_proxy *copy, delete_proxy *delete)
{
    set_proxy_function *host = (set_proxy_function *)dlsym(RTLD_NEXT, "MPII_Keyval_set_proxy");

    if (proa_table_find(&delete_proxies, PROA_TABLE_KEY(keyval)) &&
        proa_table_set(&delete_proxies, PROA_TABLE_KEY(keyval), (void *)delete) == 0)
        delete = delete_by_own_handle;
    host(keyval, copy, delete);
}

/* ---- error handlers ---- */

/* C++'s way to call a function of its own. kind 2: a window. */
typedef void cxx_caller(int kind, MPI_Win *handle, int *code, void (*function)(void));
typedef void set_cxx_function(MPI_Errhandler errhandler, cxx_caller *caller);

PROA_EXPORT set_cxx_function MPII_Errhandler_set_cxx;

/* From error handlers to the program's functions; and to C++'s caller, for those of C++. Fortran's are called like C's: its handles are
 * integers too. As with keyvals, a number that is given out again is entered anew. */
static struct proa_table functions = PROA_TABLE_INIT;
static struct proa_table cxx_callers = PROA_TABLE_INIT;

PROA_EXPORT int PMPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *errhandler)
{
    int error = proa_pmpi()->Win_create_errhandler(function, errhandler);

    if (error != MPI_SUCCESS)
        return error;
    proa_table_remove(&cxx_callers, PROA_TABLE_KEY(*errhandler));
    if (proa_table_set(&functions, PROA_TABLE_KEY(*errhandler), (void *)function) != 0)
        proa_table_remove(&functions, PROA_TABLE_KEY(*errhandler)); /* the host will call it */
    return MPI_SUCCESS;
}
PROA_ALIAS(Win_create_errhandler);

PROA_EXPORT void MPII_Errhandler_set_cxx(MPI_Errhandler errhandler, cxx_caller *caller)
{
    set_cxx_function *host = (set_cxx_function *)dlsym(RTLD_NEXT, "MPII_Errhandler_set_cxx");

    if (proa_table_set(&cxx_callers, PROA_TABLE_KEY(errhandler), (void *)caller) != 0)
        proa_table_remove(&functions, PROA_TABLE_KEY(errhandler)); /* the host will call it */
    host(errhandler, caller);
}

int proa_errhandler_is_cxx(MPI_Errhandler errhandler)
{
    return proa_table_find(&cxx_callers, PROA_TABLE_KEY(errhandler)) != NULL;
}

/* Was it the program's own handler, and has been called? */
static int call_with_own_handle(struct proa_window *window, int code)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Win_errhandler_function *function;
    MPI_Win handle = window->handle;
    cxx_caller *caller;

    if (proa_pmpi()->Win_get_errhandler(window->shadow, &handler) != MPI_SUCCESS || handler == MPI_ERRHANDLER_NULL)
        return 0;
    function = (MPI_Win_errhandler_function *)proa_table_find(&functions, PROA_TABLE_KEY(handler));
    caller = (cxx_caller *)proa_table_find(&cxx_callers, PROA_TABLE_KEY(handler));
    proa_pmpi()->Errhandler_free(&handler); /* the window keeps it */
    if (!function)
        return 0;
    if (caller)
        caller(2, &handle, &code, (void (*)(void))function);
    else
        function(&handle, &code);
    return 1;
}

#else

int proa_errhandler_is_cxx(MPI_Errhandler errhandler)
{
    (void)errhandler;
    return 0;
}

static int call_with_own_handle(struct proa_window *window, int code)
{
    (void)window, (void)code;
    return 0;
}

#endif

int proa_call_errhandler(struct proa_window *window, int code)
{
    MPI_Win shadow = proa_window_shadow(window);
    int error;

    if (shadow != window->handle && call_with_own_handle(window, code))
        return MPI_SUCCESS;
    proa_raising(1);
    error = proa_pmpi()->Win_call_errhandler(shadow, code);
    proa_raising(0);
    return error;
}
