/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Init, MPI_Init_thread (MPI-4.1, 11.2): to be there before the program, so as to be the last
 * at MPI_Finalize, and to prepare (host/start.h). */
#include "bind/bind.h"
#include "core/threads.h"

/* An MPI that refuses the attribute loses nothing but that: it is asked again when Proa starts. */
static int initialized(int error)
{
    proa_threads_host_end();
    if (error == MPI_SUCCESS && proa_watch_finalize() == MPI_SUCCESS)
        proa_start_prepare();
    return error;
}

PROA_EXPORT int PMPI_Init(int *argc, char ***argv)
{
    proa_threads_host_begin();
    return initialized(PROA_PMPI_FIND(Init)(argc, argv));
}
PROA_ALIAS(Init);

PROA_EXPORT int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    proa_threads_host_begin();
    return initialized(PROA_PMPI_FIND(Init_thread)(argc, argv, required, provided));
}
PROA_ALIAS(Init_thread);
