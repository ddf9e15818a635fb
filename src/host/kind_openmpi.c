/* SPDX-License-Identifier: BSD-3-Clause */
/* Open MPI. See kind.h, and doc/HOSTS.md. */
#include "host/kind.h"

#include <dlfcn.h>
#include <stdio.h>

/* 5.0 has it, and 4.1 does not. One library serves both, so the address is looked up. */
static int is_errors_abort(MPI_Errhandler handler)
{
    return handler == (MPI_Errhandler)dlsym(RTLD_DEFAULT, "ompi_mpi_errors_abort");
}

/* 5.0 also accepts 4.1's key, but with a warning. */
static struct proa_spawn_keys spawn_keys(const char *version)
{
    static const char key_of_4[] = "env", key_of_5[] = "PMIX_ENVAR";
    int major = 0, is_4 = sscanf(version, "Open MPI v%d", &major) == 1 && major < 5;

    return (struct proa_spawn_keys){.ours = is_4 ? key_of_4 : key_of_5, .other = key_of_4};
}

const struct proa_host_kind proa_kind_openmpi = {
    .name = "openmpi",
    .is_errors_abort = is_errors_abort,
#if OMPI_ENABLE_MPI1_COMPAT /* otherwise its header turns the names into an error */
    .lower_bound = MPI_LB,
    .upper_bound = MPI_UB,
#endif
    .spawn_keys = spawn_keys,
};
