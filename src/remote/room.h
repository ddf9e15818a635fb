/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two rooms of a window over several nodes: whoever takes exclusive locks is in the one,
 * whoever has a lock_all in the other, and there are never people in both (Blelloch, Cheng, Gibbons
 * 2003).
 *
 * So a lock_all has its lock on all targets when its call returns, by one message and its answer,
 * and asks none of them; and it waits for its room holding nothing of the window, so it is in no
 * circle with a process that takes several exclusive locks. The process of rank 0 keeps the rooms.
 * It gives permits, and a process that has left keeps its permit until it is recalled: who goes on
 * using one kind of lock sends nothing.
 *   ASK     to rank 0: a permit for a room; one for the other room, if there is any, is given back
 *   GRANT   from rank 0
 *   RECALL  from rank 0: whoever waits for the other room has his turn
 *   BACK    to rank 0: nobody of this process is inside any more
 * Who asks first has its turn first, and with it all that wait for the same room then. Whoever is
 * inside may enter once more, to take another lock, even if his permit is recalled. A process that
 * holds locks of other windows, which those may wait for who are inside, goes ahead of those who
 * wait for the other room after it has waited for long (sync/lock.c has the same rule).
 */
#ifndef PROA_REMOTE_ROOM_H
#define PROA_REMOTE_ROOM_H

#include "remote/spread.h"

enum proa_room { PROA_ROOM_NONE, PROA_ROOM_EXCLUSIVE, PROA_ROOM_ALL };

/* ---- not inside the agent ---- */

/* Before an exclusive lock is asked for, or a lock_all. May wait. */
void proa_room_enter(struct proa_win *win, enum proa_room room);
/* After it has been given back. */
void proa_room_leave(struct proa_win *win);

/* Does somebody wait for the other room while this process is in one? At any time. */
int proa_room_is_wanted(const struct proa_win *win);

/* The process of rank 0 is gone: everybody may enter, and a lock_all is one of single targets
 * (remote/batch.h). At any time. */
int proa_room_is_unkept(const struct proa_win *win);

/* ---- inside ---- */

int proa_room_open(struct proa_win *win, const struct proa_remote_card *cards);
void proa_room_close(struct proa_win *win);

/* A message of this kind. What makes no sense is dropped. */
void proa_room_message(uint32_t peer, const struct proa_wire_head *head);

/* Looks at those who have waited for long. Are there any who may come to? */
void proa_rooms_look(void);
int proa_rooms_are_pending(void);

/* The process of that rank is gone, with what it had. */
void proa_room_lost(struct proa_win *win, int rank);

#endif
