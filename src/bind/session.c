/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Session_init, MPI_Session_finalize (MPI-4.1, 11.3): the first notes the host's threads, as
 * MPI_Init does, the second gives back what Proa took from a session, for it must leave nothing
 * behind.
 *
 * Found by their names when they are called: one library of Proa's serves Open MPI 4.1, which has
 * no sessions, and 5.0, which has them, although both say that they are MPI 3.1.
 */
#include "bind/bind.h"
#include "core/threads.h"

#if !defined(MPI_SESSION_NULL)
/* This header has no sessions: it is Open MPI 4's, and as in the headers of later ones, which do,
 * handles are pointers. */
typedef struct proa_session *MPI_Session;
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
int PMPI_Session_finalize(MPI_Session *session);
#endif

PROA_EXPORT int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    __typeof__(&PMPI_Session_init) host = PROA_PMPI_FIND(Session_init);
    int error;

    if (!host)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    proa_threads_host_begin();
    error = host(info, errhandler, session);
    proa_threads_host_end();
    return error;
}
PROA_ALIAS(Session_init);

PROA_EXPORT int PMPI_Session_finalize(MPI_Session *session)
{
    __typeof__(&PMPI_Session_finalize) host = PROA_PMPI_FIND(Session_finalize);

    if (!host)
        return MPI_ERR_UNSUPPORTED_OPERATION; /* and no program can have a session */
    if (proa_handles_alive() == 0)
        proa_end_of_session();
    return host(session);
}
PROA_ALIAS(Session_finalize);
