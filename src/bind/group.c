/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Group_free (MPI-4.1, 7.3.3): the host's. Windows know groups by their handles
 * (host/members.h), which the host may now give to others.
 */
#include "bind/bind.h"
#include "host/members.h"

PROA_EXPORT int PMPI_Group_free(MPI_Group *group)
{
    proa_members_freeing();
    return proa_pmpi()->Group_free(group);
}
PROA_ALIAS(Group_free);
