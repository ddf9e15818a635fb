/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of the program that MPICH calls with a window: delete functions of attributes, and
 * error handlers. MPICH calls them with the host window of the handle. For a light handle
 * (host/kind.h) the program knows another handle.
 */
#include "bind/bind.h"
#include "bind/callbacks.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- delete functions ---- */

/* MPICH calls a delete function through its keyval's proxy, which knows the function's language:
 * C's, unless the binding that created the keyval sets its own. Every window keyval gets a proxy of
 * ours instead, which calls that one. MPICH holds no lock during the call. */
typedef int delete_proxy(MPI_Win_delete_attr_function *function, MPI_Win handle, int keyval,
                         int kind, void *value, void *extra);
typedef void copy_proxy(void); /* never called: windows are not duplicated */
typedef void set_proxy_function(int keyval, copy_proxy *copy, delete_proxy *delete);

PROA_EXPORT set_proxy_function MPII_Keyval_set_proxy;

/* Maps a keyval to the proxy of its language. Entries stay: a freed keyval exists as long as its
 * attributes, and if its number is given out again, it is entered anew. */
static struct proa_table delete_proxies = PROA_TABLE_INIT;

/* A copy of MPICH's own proxy, which is not exported. The lowest bit of kind says that the value is
 * an integer (set by Fortran), not a pointer. */
static int delete_by_c(MPI_Win_delete_attr_function *function, MPI_Win handle, int keyval, int kind,
                       void *value, void *extra)
{
    return function(handle, keyval, kind & 1 ? &value : value, extra);
}

static int delete_by_own_handle(MPI_Win_delete_attr_function *function, MPI_Win handle, int keyval,
                                int kind, void *value, void *extra)
{
    struct proa_win *win = proa_win_find(handle);
    delete_proxy *proxy = (delete_proxy *)proa_table_find(&delete_proxies, PROA_TABLE_KEY(keyval));
    int paused = proa_handle_pause();
    int error =
        proxy(function, win ? proa_handle_of(win)->value : handle, keyval, kind, value, extra);

    proa_handle_resume(paused);
    return error;
}

/* Without memory, or in an MPICH that has no proxies, delete functions get MPICH's handle. */
PROA_MPI(Win_create_keyval)
(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *delete, int *keyval, void *extra)
{
    set_proxy_function *host = (set_proxy_function *)dlsym(RTLD_NEXT, "MPII_Keyval_set_proxy");
    int error = proa_pmpi()->Win_create_keyval(copy, delete, keyval, extra);

    if (error == MPI_SUCCESS && host &&
        proa_table_set(&delete_proxies, PROA_TABLE_KEY(*keyval), (void *)delete_by_c) == 0)
        host(*keyval, NULL, delete_by_own_handle);
    return error;
}

/* Called by Fortran and C++ for keyvals of windows, communicators and datatypes that they have just
 * created. */
PROA_EXPORT void MPII_Keyval_set_proxy(int keyval, copy_proxy *copy, delete_proxy *delete)
{
    set_proxy_function *host = (set_proxy_function *)dlsym(RTLD_NEXT, "MPII_Keyval_set_proxy");

    if (proa_table_find(&delete_proxies, PROA_TABLE_KEY(keyval)) &&
        proa_table_set(&delete_proxies, PROA_TABLE_KEY(keyval), (void *)delete) == 0)
        delete = delete_by_own_handle;
    host(keyval, copy, delete);
}

/* ---- error handlers ---- */

typedef void set_cxx_function(MPI_Errhandler errhandler, proa_cxx_caller *caller);

PROA_EXPORT set_cxx_function MPII_Errhandler_set_cxx;

PROA_MPI(Win_create_errhandler)(MPI_Win_errhandler_function *function, MPI_Errhandler *errhandler)
{
    int error = proa_pmpi()->Win_create_errhandler(function, errhandler);

    if (error == MPI_SUCCESS)
        proa_errhandler_made(*errhandler, function);
    return error;
}

/* Called by C++ for error handlers of windows, communicators and files that it has just created. */
PROA_EXPORT void MPII_Errhandler_set_cxx(MPI_Errhandler errhandler, proa_cxx_caller *caller)
{
    set_cxx_function *host = (set_cxx_function *)dlsym(RTLD_NEXT, "MPII_Errhandler_set_cxx");

    proa_errhandler_made_by_cxx(errhandler, caller);
    host(errhandler, caller);
}

/* ---- error handlers of MPICH 5's C++ and Fortran ---- */

/* MPICH 5's bindings create them by a call of their own, whose function also gets a pointer of the
 * caller. `gone` is called with that pointer when the handler is freed. Proa passes a function of
 * its own, which calls that one. MPICH 4 has no such call, and its header no such types. */
typedef void errhandler_x(MPI_Win handle, int code, void *extra);
typedef void destructor_x(void *extra);
typedef int create_x(errhandler_x *function, destructor_x *gone, void *extra,
                     MPI_Errhandler *errhandler);

struct handler_x {
    errhandler_x *function;
    destructor_x *failed;
    void *extra;
};

static void call_with_handle(MPI_Win handle, int code, void *extra)
{
    const struct handler_x *handler = extra;
    struct proa_win *win = proa_win_find(handle);

    handler->function(win ? proa_handle_of(win)->value : handle, code, handler->extra);
}

static void handler_gone(void *extra)
{
    const struct handler_x *handler = extra;

    if (handler->failed)
        handler->failed(handler->extra);
    free(extra);
}

/* Returns whether the function is in the library of MPICH's C++, which has
 * MPI::Win::Create_errhandler. */
static int is_of_cxx(errhandler_x *function)
{
    static const char create[] = "_ZN3MPI3Win17Create_errhandlerEPFvRS0_PizE";
    void *library, *found;
    Dl_info its, ours;

    if (!dladdr((void *)function, &its))
        return 0;
    library = dlopen(its.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    found = library ? dlsym(library, create) : NULL;
    if (library)
        dlclose(library);
    return found && dladdr(found, &ours) && ours.dli_fbase == its.dli_fbase;
}

PROA_EXPORT create_x PMPIX_Win_create_errhandler_x;
PROA_EXPORT create_x MPIX_Win_create_errhandler_x
    __attribute__((weak, alias("PMPIX_Win_create_errhandler_x")));

PROA_EXPORT int PMPIX_Win_create_errhandler_x(errhandler_x *function, destructor_x *gone,
                                              void *extra, MPI_Errhandler *errhandler)
{
    create_x *host = (create_x *)dlsym(RTLD_NEXT, "PMPIX_Win_create_errhandler_x");
    struct handler_x *handler = host ? malloc(sizeof *handler) : NULL;
    int error;

    if (!handler)
        return host ? MPI_ERR_NO_MEM : MPI_ERR_OTHER;
    *handler = (struct handler_x){function, gone, extra};
    error = host(call_with_handle, handler_gone, handler, errhandler);
    if (error == MPI_SUCCESS)
        proa_errhandler_made_for_host(*errhandler, is_of_cxx(function));
    else
        free(handler);
    return error;
}
