/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Comm_spawn, MPI_Comm_spawn_multiple (MPI-4.1, 11.8): passed to the host, but the processes
 * that they start run with Proa too (job/spawn.h). MPI_Comm_accept, MPI_Comm_connect, MPI_Comm_join
 * (11.9): passed to the host. After any of them this process knows other processes that may lack
 * Proa (job/presence.h).
 */
#include "bind/bind.h"
#include "check/messages.h"
#include "job/presence.h"
#include "job/spawn.h"

#include <stdlib.h>

/* Infos are significant only at the root. */
static int is_root(MPI_Comm comm, int root)
{
    int rank = MPI_PROC_NULL;

    return comm != MPI_COMM_NULL && proa_pmpi()->Comm_rank(comm, &rank) == MPI_SUCCESS &&
           rank == root;
}

/* Called before this process meets others, among which may be others of this job. */
static struct proa_message meeting_begin(void)
{
    struct proa_message message;

    proa_presence_meets_others();
    proa_message_before(&message, PROA_MESSAGE_WORLD, MPI_COMM_NULL, -1);
    return message;
}

static int meeting_end(const struct proa_message *message, int error)
{
    proa_message_after(message);
    return error;
}

PROA_MPI(Comm_spawn)
(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
 MPI_Comm *intercomm, int codes[])
{
    MPI_Info with = is_root(comm, root) ? proa_spawn_info(info) : info;
    const struct proa_message meeting = meeting_begin();
    int error =
        proa_pmpi()->Comm_spawn(command, argv, maxprocs, with, root, comm, intercomm, codes);

    if (with != info)
        proa_pmpi()->Info_free(&with);
    return meeting_end(&meeting, error);
}

PROA_MPI(Comm_spawn_multiple)
(int count, char *commands[], char **argvs[], const int maxprocs[], const MPI_Info infos[],
 int root, MPI_Comm comm, MPI_Comm *intercomm, int codes[])
{
    MPI_Info *with = is_root(comm, root) && count > 0 ? malloc((size_t)count * sizeof *with) : NULL;
    const struct proa_message meeting = meeting_begin();
    int error;

    for (int i = 0; with && i < count; i++)
        with[i] = proa_spawn_info(infos[i]);
    error = proa_pmpi()->Comm_spawn_multiple(count, commands, argvs, maxprocs, with ? with : infos,
                                             root, comm, intercomm, codes);
    for (int i = 0; with && i < count; i++)
        if (with[i] != infos[i])
            proa_pmpi()->Info_free(&with[i]);
    free(with);
    return meeting_end(&meeting, error);
}

PROA_MPI(Comm_accept)(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm)
{
    const struct proa_message meeting = meeting_begin();

    return meeting_end(&meeting, proa_pmpi()->Comm_accept(port, info, root, comm, intercomm));
}

PROA_MPI(Comm_connect)
(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm)
{
    const struct proa_message meeting = meeting_begin();

    return meeting_end(&meeting, proa_pmpi()->Comm_connect(port, info, root, comm, intercomm));
}

PROA_MPI(Comm_join)(int file, MPI_Comm *intercomm)
{
    const struct proa_message meeting = meeting_begin();

    return meeting_end(&meeting, proa_pmpi()->Comm_join(file, intercomm));
}
