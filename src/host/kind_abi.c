/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPICH and Open MPI by the standard ABI. See kind.h, and doc/HOSTS.md: as kind_mpich.c and
 * kind_openmpi.c, except that handles and constants are the standard's.
 */
#include "host/kind.h"

#include <stdint.h>

/* MPICH dereferences its handles here, as they are addresses. These lie where a program of 64 bits
 * has no memory, unless it requests it there. As numbers (MPI_Win_toint) they are none of MPICH's:
 * see kind_mpich.c. */
enum { LIGHT = 0x20000000, LIGHT_NUMBERS = 0x03ffffff };

static MPI_Win light_handle(unsigned number)
{
    return (MPI_Win)(uintptr_t)(LIGHT | (number & LIGHT_NUMBERS));
}

static int is_light(MPI_Win handle)
{
    return ((uintptr_t)handle & ~(uintptr_t)LIGHT_NUMBERS) == LIGHT;
}

static int is_errors_abort(MPI_Errhandler handler)
{
    return handler == MPI_ERRORS_ABORT;
}

/* For every version that has the ABI. */
static enum proa_unset_handler mpich_unset_handler(const char *version)
{
    (void)version;
    return PROA_UNSET_SELF;
}

/* No version with the ABI accepts "env" without a warning. */
static struct proa_spawn_keys spawn_keys(const char *version)
{
    (void)version;
    return (struct proa_spawn_keys){.ours = "PMIX_ENVAR", .other = "env"};
}

/* 6.0.0rc2 returns the numbers of its own header. */
static const struct proa_contents_numbers openmpi_contents = {
    .order_c = 0,
    .order_fortran = 1,
    .distribute_block = 0,
    .distribute_cyclic = 1,
    .default_argument = -1,
};

const struct proa_host_kind proa_kind_abi_mpich = {
    .name = "abi_mpich",
    .light_handle = light_handle,
    .is_light = is_light,
    .frees_in_turn = 1,
    .is_errors_abort = is_errors_abort,
    .unset_handler = mpich_unset_handler,
    .speaks_pmi = 1,
};

const struct proa_host_kind proa_kind_abi_openmpi = {
    .name = "abi_openmpi",
    .is_errors_abort = is_errors_abort,
    .contents = &openmpi_contents,
    .spawn_keys = spawn_keys,
};
