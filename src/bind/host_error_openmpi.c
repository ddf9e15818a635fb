/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors that Open MPI raises by itself. Proa's sentence about an earlier failure then does not
 * concern the program's last one, and MPI_Error_string must not return it for the same class
 * (bind/raise.c).
 *
 * MPICH's calls return codes of their own, never a plain class, so there the two cannot be
 * confused. Open MPI's return plain classes, as Proa's do. But each failing call calls
 * ompi_errhandler_invoke, by its name, so Proa can override it. In a build of Open MPI that binds
 * its own names to itself nothing calls this, and an old sentence may be returned as before.
 */
#include "bind/bind.h"

#include <dlfcn.h>

/* handler: the error handler. object, sort: the object that it is raised on, and the sort of that
 * object. code: the code. call: name of the call. */
typedef int invoke_function(void *handler, void *object, int sort, int code, const char *call);

PROA_EXPORT invoke_function ompi_errhandler_invoke;

PROA_EXPORT int ompi_errhandler_invoke(void *handler, void *object, int sort, int code,
                                       const char *call)
{
    invoke_function *host = (invoke_function *)dlsym(RTLD_NEXT, "ompi_errhandler_invoke");

    proa_raised_by_host();
    return host(handler, object, sort, code, call);
}
