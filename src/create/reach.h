/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the processes of a window that is created reach each other: they map the memory that the
 * cards show, and join a network if they are on several nodes.
 *
 * If the kernel, or a limit, keeps a process from the memory of a neighbour, all processes look for
 * another way together, in this order, so that they have the same idea of which process guards
 * which memory:
 *   files that cannot be opened by /proc are handed over through fd servers (shm/fd_server.h)
 *   if a process has no room to map more, memory that must be shared is refused to all
 *   a process that has brought private memory counts as a node of its own, and serves it itself
 *   every process counts as a node of its own
 *   the host has the window
 * Caller: create/create.c.
 */
#ifndef PROA_CREATE_REACH_H
#define PROA_CREATE_REACH_H

#include "create/card.h"
#include "window/win.h"

/* Reaches all targets, or the same outcome on all processes: PROA_ELSEWHERE or a code, with
 * proa_failure() set. Sets the targets, the leader, the pairs, and the network of the window; does
 * args->finish. Collective. */
int proa_reach(struct proa_win *win, const struct proa_create_args *args,
               const struct proa_group *group, const struct proa_card *cards);

/* Resets the targets, as if no process had been reached yet. */
void proa_targets_forget(struct proa_win *win);

#endif
