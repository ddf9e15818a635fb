/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libproa-launcher.so: `proa run` preloads it in launchers that give each rank a session of its own
 * (Hydra, MPICH's), and not in ranks. There a rank gets a process group of its own instead, in the
 * session of the launcher's process of its node: for signals that is the same, and no rank has a
 * terminal either way. But the kernel shares processors by sessions (sched(7), autogroup), and
 * between sessions sched_yield hands over to no process, so that ranks that wait for each other,
 * more than there are processors, would have to sleep and be woken each time. The variable
 * tells the rank, which leaves the session once other work wants the processors
 * (src/base/session.c).
 */
#include "base/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Is this the process that starts ranks, or a copy of it that is about to become one? What else the
 * launcher starts, such as ssh, has this library too. */
static int starts_ranks(void)
{
    return strstr(program_invocation_short_name, "pmi_proxy") != NULL;
}

/* As setsid(2). It returns the new group, whose number is the process's. */
__attribute__((visibility("default"))) pid_t setsid(void)
{
    char rank[16];

    if (!starts_ranks())
        return (pid_t)syscall(SYS_setsid);
    if (setpgid(0, 0) != 0)
        return -1;
    snprintf(rank, sizeof rank, "%d", getpid());
    setenv(PROA_SESSION_VARIABLE, rank, 1);
    return getpid();
}
