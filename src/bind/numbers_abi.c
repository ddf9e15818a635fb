/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles of windows as integers (MPI-5.0; MPI-4.1, 19.3.4). The host converts them, except light
 * handles, which are no addresses that it could dereference. A light handle is its own number.
 */
#include "bind/bind.h"
#include "host/kind.h"

#include <stdint.h>

typedef int to_number(MPI_Win handle);
typedef MPI_Win from_number(int number);

static int is_light(MPI_Win handle)
{
    int (*host)(MPI_Win) = proa_host_kind()->is_light;

    return host && host(handle);
}

/* Not every host has Fortran's calls, c2f and f2c: the others are equivalent. */
static int number_of(MPI_Win handle, const char *name)
{
    to_number *host = is_light(handle) ? NULL : (to_number *)proa_pmpi_symbol(name);

    if (!host && !is_light(handle))
        host = PROA_PMPI_FIND(Win_toint);
    return host ? host(handle) : (int)(intptr_t)handle;
}

static MPI_Win handle_of(int number, const char *name)
{
    MPI_Win light = (MPI_Win)(intptr_t)number;
    from_number *host = is_light(light) ? NULL : (from_number *)proa_pmpi_symbol(name);

    if (!host && !is_light(light))
        host = PROA_PMPI_FIND(Win_fromint);
    return host ? host(number) : light;
}

PROA_MPI(Win_toint)(MPI_Win handle)
{
    return number_of(handle, "PMPI_Win_toint");
}

PROA_EXPORT MPI_Win PMPI_Win_fromint(int number)
{
    return handle_of(number, "PMPI_Win_fromint");
}
PROA_ALIAS(Win_fromint);

PROA_MPI(Win_c2f)(MPI_Win handle)
{
    return number_of(handle, "PMPI_Win_c2f");
}

PROA_EXPORT MPI_Win PMPI_Win_f2c(int number)
{
    return handle_of(number, "PMPI_Win_f2c");
}
PROA_ALIAS(Win_f2c);
