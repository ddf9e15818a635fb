/* SPDX-License-Identifier: BSD-3-Clause */
/* The work of the progress engine above the network (progress/progress.h). */
#ifndef PROA_REMOTE_WORK_H
#define PROA_REMOTE_WORK_H

#include "net/net.h"

/* Starts windows over several nodes: sets the work of the progress engine, and its transport.
 * transport: the functions; NULL if there is no network. Called before the first window, and again
 * for another transport. */
void proa_remote_start(const struct proa_net_transport *transport);

#endif
