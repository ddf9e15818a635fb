/* SPDX-License-Identifier: BSD-3-Clause */
/* The clocks of the nodes of a window, compared by messages to and fro, for a trace. */
#ifndef PROA_WATCH_CLOCKS_H
#define PROA_WATCH_CLOCKS_H

#include "window/win.h"

#include <mpi.h>

/* A communicator of one process of each node of the window; MPI_COMM_NULL: this process is not
 * among them. Collective over comm. */
MPI_Comm proa_clocks_open(const struct proa_win *win, MPI_Comm comm);

/* Compares each node's clock with that of the first, which records it, unless it has just done so.
 * Collective over those processes. */
void proa_clocks_compare(MPI_Comm nodes);

#endif
