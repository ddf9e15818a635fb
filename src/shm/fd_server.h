/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fd server: a socket where neighbours ask for files of this process that they cannot open by
 * /proc/PID/fd. The kernel closes that to them where the process is not dumpable, or /proc hides
 * others' processes, or a security module forbids it.
 *
 * The socket has an abstract name, and a thread that sleeps at it. A process opens its fd server
 * only when a process of the window has met a closed /proc, and then all of them do. The thread
 * hands over Proa's files alone, to processes of the same user alone; the process that asks makes
 * the same check of the fd server's owner.
 */
#ifndef PROA_SHM_FD_SERVER_H
#define PROA_SHM_FD_SERVER_H

#include "shm/segment.h"

/* Opens this process's fd server, unless it is open. PROA_OK or a negative code. */
int proa_fd_server_open(void);

/* Closes it: when core stops. */
void proa_fd_server_close(void);

/* The number of threads that serve it: they touch no memory of the program's. */
int proa_fd_server_threads(void);

/* Asks at another process's fd server: an open file of the segment, which the caller closes; or -1
 * and errno: ECONNREFUSED, there is no fd server; ESTALE, the file is not there any more. A stopped
 * process is waited for, some seconds. */
int proa_fd_server_ask(const struct proa_segment_name *name);

#endif
