/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Init, MPI_Init_thread (MPI-4.1, 11.2): Proa sets its attribute before the program does, so as
 * to be the last at MPI_Finalize. It also tells the other ranks that it is here, and prepares
 * (host/start.h). */
#include "bind/bind.h"
#include "shm/threads.h"
#include "job/absent.h"
#include "host/kind.h"

/* By single functions, as any program may have got the library for another MPI preloaded. */
static void look_for_absent(void)
{
    int rank, size;

    if (PROA_PMPI_FIND(Comm_rank)(MPI_COMM_WORLD, &rank) == MPI_SUCCESS &&
        PROA_PMPI_FIND(Comm_size)(MPI_COMM_WORLD, &size) == MPI_SUCCESS)
        proa_absent_look(rank, size);
}

static void begin(void)
{
    proa_threads_host_begin();
    if (proa_host_is_here())
        proa_absent_put();
}

/* An MPI that refuses the attribute loses nothing but that: it is asked again when Proa starts. */
static int initialized(int error)
{
    proa_threads_host_end();
    if (error == MPI_SUCCESS && proa_host_is_here())
        look_for_absent();
    if (error == MPI_SUCCESS && proa_watch_finalize() == MPI_SUCCESS)
        proa_start_prepare();
    return error;
}

PROA_EXPORT int PMPI_Init(int *argc, char ***argv)
{
    begin();
    return initialized(PROA_PMPI_FIND(Init)(argc, argv));
}
PROA_ALIAS(Init);

PROA_EXPORT int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    begin();
    return initialized(PROA_PMPI_FIND(Init_thread)(argc, argv, required, provided));
}
PROA_ALIAS(Init_thread);
