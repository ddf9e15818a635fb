/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libproa-launcher.so: `proa run` preloads it in launchers that give each rank a session of its own
 * (Hydra, MPICH's), and not in ranks. With it a rank gets a process group of its own instead, in
 * the session of the launcher's process of its node. For signals there is no difference, and no
 * rank has a terminal either way. But the kernel shares processors by sessions (sched(7),
 * autogroup), and between sessions sched_yield yields to no process. With more ranks than
 * processors, ranks that wait for each other would have to sleep and be woken each time. The
 * variable notifies the rank, which leaves the session once other work wants the processors
 * (src/base/session.c).
 */
#include "base/load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns true in the process that starts ranks, or its copy that is about to execute one. Other
 * programs that the launcher starts, such as ssh, have this library too. */
static int starts_ranks(void)
{
    return strstr(program_invocation_short_name, "pmi_proxy") != NULL;
}

/* As setsid(2). Returns the new group's number, which is the process id. */
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
