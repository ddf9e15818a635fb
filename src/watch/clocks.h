/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the clocks of a window's nodes by an exchange of messages, for a trace. */
#ifndef PROA_WATCH_CLOCKS_H
#define PROA_WATCH_CLOCKS_H

#include "window/win.h"

#include <mpi.h>

/* Returns a communicator of one process of each node of the window. Returns MPI_COMM_NULL if this
 * process is not among them. Collective over comm. */
MPI_Comm proa_clocks_open(const struct proa_win *win, MPI_Comm comm);

/* Compares each node's clock with that of the first node, which records the result, unless it did
 * so recently. Collective over these processes. */
void proa_clocks_compare(MPI_Comm nodes);

#endif
