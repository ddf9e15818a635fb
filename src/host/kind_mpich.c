/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH. See kind.h, and doc/HOSTS.md. */
#include "host/kind.h"

#include <stdio.h>

/* MPICH's handles are numbers: 2 bits of kind, 4 of class (8: window), the rest. Kind 0 with a rest
 * other than 0 is never given out, and all calls refuse it as an invalid window. */
static MPI_Win light_handle(unsigned number)
{
    return (MPI_Win)(0x20000000u | (number & 0x03ffffffu));
}

static int is_errors_abort(MPI_Errhandler handler)
{
#if defined(MPI_ERRORS_ABORT)
    return handler == MPI_ERRORS_ABORT;
#else
    return (void)handler, 0;
#endif
}

/* From 4.2 on the error handler of MPI_COMM_SELF comes first. */
static enum proa_unset_handler unset_handler(const char *version)
{
    int major = 0, minor = 0;

    sscanf(version, "MPICH Version: %d.%d", &major, &minor);
    return major > 4 || (major == 4 && minor >= 2) ? PROA_UNSET_SELF : PROA_UNSET_WORLD;
}

const struct proa_host_kind proa_kind_mpich = {
    .name = "mpich",
    /* there are 2,048 communicators, and each window takes one */
    .light_handle = light_handle,
    .frees_in_turn = 1, /* 5.0 has been seen to fail in MPI_Win_free */
    .is_errors_abort = is_errors_abort,
    .unset_handler = unset_handler,
    .speaks_pmi = 1,
#if defined(MPI_UB)
    .lower_bound = MPI_LB,
    .upper_bound = MPI_UB,
#endif
};
