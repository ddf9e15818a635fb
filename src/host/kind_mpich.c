/* MPICH. See kind.h, and doc/HOSTS.md. */
#include "host/kind.h"

#if defined(MPI_UB)
#define LOWER_BOUND MPI_LB
#define UPPER_BOUND MPI_UB
#else
#define LOWER_BOUND MPI_DATATYPE_NULL
#define UPPER_BOUND MPI_DATATYPE_NULL
#endif

static int is_errors_abort(MPI_Errhandler handler)
{
#if defined(MPI_ERRORS_ABORT)
    return handler == MPI_ERRORS_ABORT;
#else
    return (void)handler, 0;
#endif
}

const struct proa_host_kind proa_kind_mpich = {
    .name = "mpich",
    .is_errors_abort = is_errors_abort,
    .lower_bound = LOWER_BOUND,
    .upper_bound = UPPER_BOUND,
};
