/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock_all that consists of the shared locks of all targets, instead of the room
 * (remote/group_lock.h).
 *
 * Processes in the room for exclusive locks may only wait for theirs: for a shared lock of a
 * process that waits in turn for a lock which the caller holds. In the room's queue that circle has
 * no end. So a process that holds other locks, and has waited for the room for long, tries for the
 * lock of each target, ahead of writers that only wait, as a pressed process does on one node
 * (sync/bypass.h).
 *
 * All or none: a process that kept some, and waited for another, could be in a circle with a
 * process that takes several exclusive locks. So what was had is given back where one target has a
 * writer inside. Then the caller waits for a holder, and by the rule of pressed processes that one
 * does.
 */
#ifndef PROA_REMOTE_SINGLE_LOCKS_H
#define PROA_REMOTE_SINGLE_LOCKS_H

#include "window/win.h"

/* Not inside the progress engine. Returns 1: this process has the locks of all targets,
 * neighbours too; proa_remote_unlock_all and proa_unlock_all_end give them back. 0: it has none. */
int proa_single_locks_try(struct proa_win *win);

#endif
