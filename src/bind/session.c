/* MPI_Session_finalize (MPI-4.1, 11.3): gives back what Proa took from a session, for it must leave nothing behind. */
#include "bind/bind.h"

#if MPI_VERSION >= 4
PROA_EXPORT int PMPI_Session_finalize(MPI_Session *session)
{
    if (proa_windows_alive() == 0)
        proa_end_of_session();
    return proa_pmpi()->Session_finalize(session);
}
PROA_ALIAS(Session_finalize);
#else
/* This host has no sessions. */
typedef int proa_no_sessions;
#endif
