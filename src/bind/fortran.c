/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Window attributes in Fortran, the one place where the hosts' Fortran does not go through the C
 * calls (doc/HOSTS.md): what it calls instead is in fortran_HOST.c. Fortran gets values, not
 * addresses (MPI-4.1, 13.2.6).
 */
#include "bind/attribute.h"

#include <stdint.h>

int proa_attribute_for_fortran(MPI_Win handle, int keyval, MPI_Aint *value, int *flag)
{
    struct proa_win *win = proa_win_find(handle);
    void *found = NULL;

    *flag = win && proa_attribute_find(proa_handle_of(win), keyval, &found);
    if (!*flag)
        return 0;
    if (keyval == MPI_WIN_BASE)
        *value = (MPI_Aint)(intptr_t)found;
    else
        *value = keyval == MPI_WIN_SIZE ? *(const MPI_Aint *)found : *(const int *)found;
    return 1;
}
