/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Window attributes in MPICH's Fortran: its mpif.h, mpi and mpi_f08 bindings do not use the C calls
 * here, but call MPII_Win_get_attr and MPII_Win_set_attr of its C library.
 */
#include "bind/bind.h"

#include <dlfcn.h>

/* kind: requested form of value: a pointer, an address-sized integer or an int (MPICH's
 * MPIR_Attr_type; kept as an int here). */
typedef int get_attr_function(MPI_Win win, int keyval, void *value, int *flag, int kind);
typedef int set_attr_function(MPI_Win win, int keyval, void *value, int kind);

PROA_EXPORT int MPII_Win_get_attr(MPI_Win handle, int keyval, void *value, int *flag, int kind);
PROA_EXPORT int MPII_Win_set_attr(MPI_Win handle, int keyval, void *value, int kind);

/* MPICH numbers a predefined attribute for Fortran one higher than for C, which is odd. Keyvals of
 * programs, and those of notified communication, are the same for both. */
static int keyval_of_c(int keyval)
{
    const int is_predefined = keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL + 1;

    return is_predefined && keyval % 2 == 0 ? keyval - 1 : keyval;
}

PROA_EXPORT int MPII_Win_get_attr(MPI_Win handle, int keyval, void *value, int *flag, int kind)
{
    get_attr_function *host = (get_attr_function *)dlsym(RTLD_NEXT, "MPII_Win_get_attr");
    MPI_Aint found;

    if (proa_attribute_for_fortran(handle, keyval_of_c(keyval), &found, flag)) {
        *(MPI_Aint *)value = found;
        return MPI_SUCCESS;
    }
    return host(proa_host_handle(handle), keyval, value, flag, kind);
}

PROA_EXPORT int MPII_Win_set_attr(MPI_Win handle, int keyval, void *value, int kind)
{
    set_attr_function *host = (set_attr_function *)dlsym(RTLD_NEXT, "MPII_Win_set_attr");

    return host(proa_host_handle(handle), keyval, value, kind);
}
