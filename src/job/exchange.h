/* SPDX-License-Identifier: BSD-3-Clause */
/* The collective calls that window creation needs, on the communicator of the user. */
#ifndef PROA_JOB_EXCHANGE_H
#define PROA_JOB_EXCHANGE_H

#include "window/win.h"

#include <mpi.h>

/* Fills in group for comm. *comm must exist as long as group is used. */
void proa_exchange_over(MPI_Comm *comm, struct proa_group *group);

#endif
