/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Window attributes in Open MPI's Fortran: its bindings do not use the C calls here. All of them
 * call ompi_win_get_attr_f, under many names, which reads the window itself.
 */
#include "bind/bind.h"

#include <dlfcn.h>

typedef void get_attr_function(MPI_Fint *handle, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *flag,
                               MPI_Fint *error);

PROA_EXPORT get_attr_function ompi_win_get_attr_f;

PROA_EXPORT void ompi_win_get_attr_f(MPI_Fint *handle, MPI_Fint *keyval, MPI_Aint *value,
                                     MPI_Fint *flag, MPI_Fint *error)
{
    get_attr_function *host;
    int found;

    if (proa_attribute_for_fortran(PMPI_Win_f2c(*handle), *keyval, value, &found)) {
        *flag = 1; /* .true. */
        if (error)
            *error = MPI_SUCCESS;
        return;
    }
    host = (get_attr_function *)dlsym(RTLD_NEXT, "ompi_win_get_attr_f");
    host(handle, keyval, value, flag, error);
}

/* All names under which Open MPI's Fortran libraries call it. */
#define FORTRAN_NAME(name) \
    PROA_EXPORT extern get_attr_function name __attribute__((weak, alias("ompi_win_get_attr_f")))
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
