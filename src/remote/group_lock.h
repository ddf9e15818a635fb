/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two rooms of a window over several nodes. Processes that take exclusive locks are in one
 * room, and processes that have a lock_all are in the other. There are never processes in both
 * rooms at once (Blelloch, Cheng, Gibbons 2003).
 *
 * So a lock_all has its lock on all targets when its call returns, by one message and its answer,
 * and asks no target. A process waits for the room of its lock_all while it holds nothing of the
 * window. So it is in no cycle with a process that takes several exclusive locks. The process of
 * rank 0 keeps the rooms: it is the keeper, and gives permits. A process that has left a room keeps
 * its permit until the permit is recalled. So a process that uses only one kind of lock sends no
 * further messages.
 *   ASK     to rank 0: requests a permit for a room; gives back one for the other room, if any
 *   GRANT   from rank 0
 *   RECALL  from rank 0: it is the turn of the waiters for the other room
 *   BACK    to rank 0: no thread of the sender is inside any more
 * The first waiter is served first, and with it all processes that wait for the same room then.
 * A process that is inside may enter once more, to take another lock, even if its permit is
 * recalled. Processes inside may wait for a lock of another window that a waiter for the same room
 * holds. So such a waiter goes ahead of the waiters for the other room after a long wait
 * (sync/lock.c has the same rule). Processes in the other room may themselves be waiting for their
 * locks: see remote/single_locks.c.
 */
#ifndef PROA_REMOTE_GROUP_LOCK_H
#define PROA_REMOTE_GROUP_LOCK_H

#include "remote/window.h"

enum proa_room {
    PROA_GROUP_LOCK_NONE,
    PROA_GROUP_LOCK_EXCLUSIVE,
    PROA_GROUP_LOCK_ALL,
    PROA_GROUP_LOCK_ROOMS
};

/* ---- not inside the progress engine ---- */

/* Tries to get the lock without the room. Returns 1 if this process has it, 0 if it has nothing.
 * Not inside. */
typedef int proa_group_lock_instead(struct proa_win *win);

/* Called before an exclusive lock or a lock_all is requested. May wait. instead: function called
 * from time to time in a long wait, while the process holds other locks; NULL if none. Returns 1 if
 * the process is inside, 0 if instead() has returned 1. */
int proa_group_lock_enter(struct proa_win *win, enum proa_room room,
                          proa_group_lock_instead *instead);
/* Called after that lock was released, if the process is inside. */
void proa_group_lock_leave(struct proa_win *win);

/* Returns whether another process waits for the other room while this process is in one, or may
 * wait for the locks of its lock_all (remote/single_locks.c). Callable at any time. */
int proa_group_lock_is_wanted(const struct proa_win *win);

/* Returns whether the process of rank 0 is gone. Then every process may enter, and a lock_all
 * consists of the locks of single targets. Its call acquires them (remote/single_locks.c); if the
 * call came before, the first operation on each target does (remote/batch.h). Callable at any time.
 */
int proa_group_lock_is_unkept(const struct proa_win *win);

/* ---- inside the progress engine ---- */

int proa_group_lock_open(struct proa_win *win);
void proa_group_lock_close(struct proa_win *win);

/* Handles a message of this kind. The sender of a malformed message is dropped. */
void proa_group_lock_message(uint32_t peer, const struct proa_wire_head *head);

/* Lets waiters that have waited for long go ahead. Returns whether a later call may let others do
 * so. */
int proa_group_locks_look(void);

/* Drops the permit of that rank's process, which is gone, and its place in the queue. */
void proa_group_lock_lost(struct proa_win *win, int rank);

#endif
