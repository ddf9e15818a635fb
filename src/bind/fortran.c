/*
 * Window attributes in Fortran, the one place where the hosts' Fortran does not go through the C calls (doc/HOSTS.md).
 *
 * MPICH's mpif.h, mpi and mpi_f08 bindings call MPII_Win_get_attr and MPII_Win_set_attr of its C library. Open MPI's all end in
 * ompi_win_get_attr_f, under many names, which looks into the window itself. Fortran gets values, not addresses (MPI-4.1, 13.2.6).
 */
#include "bind/attribute.h"
#include "bind/bind.h"

#include <dlfcn.h>
#include <stdint.h>

/* The value for Fortran; PROA_OK and *flag 0 if keyval is not a predefined one. */
static int fortran_value(MPI_Win handle, int keyval, MPI_Aint *value, int *flag)
{
    struct proa_win *win = proa_win_find(handle);
    void *found = NULL;

    *flag = win && proa_attribute_find(proa_window_of(win), keyval, &found);
    if (!*flag)
        return 0;
    if (keyval == MPI_WIN_BASE)
        *value = (MPI_Aint)(intptr_t)found;
    else
        *value = keyval == MPI_WIN_SIZE ? *(const MPI_Aint *)found : *(const int *)found;
    return 1;
}

#if defined(MPICH_VERSION)

/* What the caller wants: a pointer, an address-sized integer or an int (MPICH's MPIR_Attr_type; kept as an int here). */
typedef int get_attr_function(MPI_Win win, int keyval, void *value, int *flag, int kind);
typedef int set_attr_function(MPI_Win win, int keyval, void *value, int kind);

PROA_EXPORT int MPII_Win_get_attr(MPI_Win handle, int keyval, void *value, int *flag, int kind);
PROA_EXPORT int MPII_Win_set_attr(MPI_Win handle, int keyval, void *value, int kind);

/* MPICH numbers a predefined attribute for Fortran one higher than for C, which is odd. */
static int keyval_of_c(int keyval)
{
    return keyval - (keyval & 1 ? 0 : 1);
}

PROA_EXPORT int MPII_Win_get_attr(MPI_Win handle, int keyval, void *value, int *flag, int kind)
{
    get_attr_function *host = (get_attr_function *)dlsym(RTLD_NEXT, "MPII_Win_get_attr");
    MPI_Aint found;

    if (fortran_value(handle, keyval_of_c(keyval), &found, flag)) {
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

#elif defined(OPEN_MPI)

typedef void get_attr_function(MPI_Fint *handle, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *flag, MPI_Fint *error);

PROA_EXPORT get_attr_function ompi_win_get_attr_f;

PROA_EXPORT void ompi_win_get_attr_f(MPI_Fint *handle, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *flag, MPI_Fint *error)
{
    get_attr_function *host;
    int found;

    if (fortran_value(PMPI_Win_f2c(*handle), *keyval, value, &found)) {
        *flag = 1; /* .true. */
        if (error)
            *error = MPI_SUCCESS;
        return;
    }
    host = (get_attr_function *)dlsym(RTLD_NEXT, "ompi_win_get_attr_f");
    host(handle, keyval, value, flag, error);
}

/* All the names under which Open MPI's Fortran libraries know it. */
#define FORTRAN_NAME(name) PROA_EXPORT extern get_attr_function name __attribute__((weak, alias("ompi_win_get_attr_f")))
FORTRAN_NAME(MPI_WIN_GET_ATTR);
FORTRAN_NAME(mpi_win_get_attr);
FORTRAN_NAME(mpi_win_get_attr_);
FORTRAN_NAME(mpi_win_get_attr__);
FORTRAN_NAME(MPI_Win_get_attr_f);
FORTRAN_NAME(MPI_Win_get_attr_f08);
FORTRAN_NAME(PMPI_WIN_GET_ATTR);
FORTRAN_NAME(pmpi_win_get_attr);
FORTRAN_NAME(pmpi_win_get_attr_);
FORTRAN_NAME(pmpi_win_get_attr__);
FORTRAN_NAME(PMPI_Win_get_attr_f);
FORTRAN_NAME(PMPI_Win_get_attr_f08);

#endif
