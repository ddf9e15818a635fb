/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door: a socket where neighbours ask for files of this process that they cannot open by
 * /proc/PID/fd. The kernel closes that to them where the process is not dumpable, or /proc hides
 * others' processes, or a security module forbids it.
 *
 * The socket has an abstract name, and a thread that sleeps at it. A process opens its door only
 * when a process of the window has met a closed /proc, and then all of them do. The thread hands
 * over Proa's files alone, to processes of the same user alone; the process that asks makes the
 * same check of the door's owner.
 */
#ifndef PROA_SHM_DOOR_H
#define PROA_SHM_DOOR_H

#include "shm/segment.h"

/* Opens this process's door, unless it is open. PROA_OK or a negative code. */
int proa_door_open(void);

/* Closes it: when core stops. */
void proa_door_close(void);

/* The number of threads that serve it: they touch no memory of the program's. */
int proa_door_threads(void);

/* Asks at another process's door: an open file of the segment, which the caller closes; or -1 and
 * errno: ECONNREFUSED, there is no door; ESTALE, the file is not there any more. A stopped process
 * is waited for, some seconds. */
int proa_door_ask(const struct proa_segment_name *name);

#endif
