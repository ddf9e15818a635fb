/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The door: where neighbours ask for files of this process that they cannot open by
 * /proc/PID/fd, which the kernel closes to them where the process is not dumpable, or /proc hides
 * others' processes, or a security module forbids it.
 *
 * A socket with an abstract name and a thread that sleeps at it; opened only when somebody has met
 * a closed /proc, and then by all processes of the window. It hands over Proa's files alone, to
 * processes of the same user alone, and asks the same of whose door it is.
 */
#ifndef PROA_SHM_DOOR_H
#define PROA_SHM_DOOR_H

#include "shm/segment.h"

/* Opens this process's door, unless it is open. PROA_OK or a negative code. */
int proa_door_open(void);

/* Closes it: when core stops. */
void proa_door_close(void);

/* Threads that stand at it: they touch no memory of the program's. */
int proa_door_threads(void);

/* At another process's: an open file of the segment, which the caller closes; or -1 and errno:
 * ECONNREFUSED, there is no door; ESTALE, the file is not there any more. A process that is stopped
 * is waited for, some seconds. */
int proa_door_ask(const struct proa_segment_name *name);

#endif
