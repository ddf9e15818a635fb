/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Session_finalize (MPI-4.1, 11.3): gives back what Proa took from a session, for it must leave
 * nothing behind.
 *
 * Found by its name when it is called: one library of Proa's serves Open MPI 4.1, which has no
 * sessions, and 5.0, which has them, although both say that they are MPI 3.1.
 */
#include "bind/bind.h"

#if !defined(MPI_SESSION_NULL)
/* This header has no sessions: it is Open MPI 4's, and as in the headers of later ones, which do,
 * handles are pointers. */
typedef struct proa_session *MPI_Session;
int PMPI_Session_finalize(MPI_Session *session);
#endif

typedef int finalize_function(MPI_Session *session);

PROA_EXPORT int PMPI_Session_finalize(MPI_Session *session)
{
    finalize_function *host = PROA_PMPI_FIND(Session_finalize);

    if (!host)
        return MPI_ERR_UNSUPPORTED_OPERATION; /* and no program can have a session */
    if (proa_handles_alive() == 0)
        proa_end_of_session();
    return host(session);
}
PROA_ALIAS(Session_finalize);
