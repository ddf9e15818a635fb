/* MPICH. See kind.h, and doc/HOSTS.md. */
#include "host/kind.h"

const struct proa_host_kind proa_kind_mpich = {
    .name = "mpich",
};
