/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fd server: a socket where neighbours request files of this process that they cannot open by
 * /proc/PID/fd. The kernel denies that access if the process is not dumpable, if /proc hides
 * others' processes, or if a security module forbids it.
 *
 * The socket has an abstract name, and a thread waits on it. When one process of a window is denied
 * access to /proc, all its processes open their fd servers. The thread hands over only Proa's
 * files, and only to processes of the same user. The requesting process checks the fd server's
 * owner likewise.
 */
#ifndef PROA_SHM_FD_SERVER_H
#define PROA_SHM_FD_SERVER_H

#include "shm/segment.h"

/* Opens this process's fd server, unless it is open. Returns PROA_OK or a negative code. */
int proa_fd_server_open(void);

/* Closes the fd server when core stops. */
void proa_fd_server_close(void);

/* Returns the number of threads that serve it. They touch no memory of the program. */
int proa_fd_server_threads(void);

/* Requests a segment's file from another process's fd server. Returns the open file, which the
 * caller closes, or -1 and errno: ECONNREFUSED if there is no fd server, ESTALE if the file no
 * longer exists. The call waits some seconds for a stopped process. */
int proa_fd_server_ask(const struct proa_segment_name *name);

#endif
