/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Init, MPI_Init_thread (MPI-4.1, 11.2): Proa sets its attribute before the program does, so as
 * to be the last at MPI_Finalize. It also tells the other ranks that it is here, and prepares
 * (host/start.h).
 *
 * MPI_Session_init, MPI_Session_finalize (11.3): the first tells the other ranks, as MPI_Init does,
 * the second gives back what Proa took from a session, for it must leave nothing behind. They are
 * found by their names when they are called: one library of Proa's serves Open MPI 4.1, which has
 * no sessions, and 5.0, which has them, although both say that they are MPI 3.1.
 */
#include "bind/bind.h"
#include "base/settings.h"
#include "check/begin.h"
#include "findings/summary.h"
#include "shm/threads.h"
#include "job/presence.h"
#include "host/kind.h"
#include "check/ordering.h"
#include "job/exchange.h"

/* By single functions, as any program may have got the library for another MPI preloaded. */
static void look_for_absent(void)
{
    int rank, size;

    if (PROA_PMPI_FIND(Comm_rank)(MPI_COMM_WORLD, &rank) == MPI_SUCCESS &&
        PROA_PMPI_FIND(Comm_size)(MPI_COMM_WORLD, &size) == MPI_SUCCESS)
        proa_presence_look(rank, size, 1);
}

static void begin(int in_init)
{
    proa_threads_host_begin();
    if (proa_host_is_here())
        proa_presence_put(in_init, in_init ? proa_check_asked_for() : 0);
}

/* With clocks where Proa surely is on all ranks. Ranks that check less, or more, would wait for
 * each other. */
static void begin_check(void)
{
    const int sure =
        proa_presence_check(MPI_COMM_WORLD) == PROA_OK && proa_presence_is_sure(MPI_COMM_WORLD);
    MPI_Comm world = MPI_COMM_WORLD;
    struct proa_group group;

    if (!proa_presence_checks_alike()) {
        proa_settings_leave_check();
        return;
    }
    proa_check_begin(sure);
    if (!sure || !proa_is_on(world) || !proa_settings()->check_conflicts)
        return;
    proa_exchange_over(&world, &group);
    proa_ordering_begin(&group, proa_has_threads());
}

/* An MPI that refuses the attribute loses nothing but that: it is asked again when Proa starts. */
static int initialized(int error)
{
    proa_threads_host_end();
    if (error == MPI_SUCCESS && proa_host_is_here())
        look_for_absent();
    if (error == MPI_SUCCESS && proa_watch_finalize() == MPI_SUCCESS) {
        proa_start_prepare();
        if (proa_check_asked_for() && proa_host_is_here() && proa_pmpi_look())
            begin_check();
    }
    return error;
}

PROA_MPI(Init)(int *argc, char ***argv)
{
    begin(1);
    return initialized(PROA_PMPI_FIND(Init)(argc, argv));
}

PROA_MPI(Init_thread)(int *argc, char ***argv, int required, int *provided)
{
    begin(1);
    return initialized(PROA_PMPI_FIND(Init_thread)(argc, argv, required, provided));
}

/* MPI_Abort (MPI-4.1, 11.4): the findings of check mode so far go to their files. */
PROA_MPI(Abort)(MPI_Comm comm, int code)
{
    if (proa_settings()->check)
        proa_summary_write_now();
    return PROA_PMPI_FIND(Abort)(comm, code);
}

/* ---- sessions ---- */

#if !defined(MPI_SESSION_NULL)
/* This header has no sessions: it is Open MPI 4's, and as in the headers of later ones, which do,
 * handles are pointers. */
typedef struct proa_session *MPI_Session;
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
int PMPI_Session_finalize(MPI_Session *session);
int PMPI_Group_from_session_pset(MPI_Session session, const char *name, MPI_Group *group);
#endif

/* All ranks of the job, of which a group is made for as long as it takes. */
static void look_for_absent_of_session(MPI_Session session)
{
    MPI_Group all;
    int rank, size;

    if (PROA_PMPI_FIND(Group_from_session_pset)(session, "mpi://WORLD", &all) != MPI_SUCCESS)
        return;
    if (PROA_PMPI_FIND(Group_rank)(all, &rank) == MPI_SUCCESS &&
        PROA_PMPI_FIND(Group_size)(all, &size) == MPI_SUCCESS)
        proa_presence_look(rank, size, 0);
    PROA_PMPI_FIND(Group_free)(&all);
}

PROA_MPI(Session_init)(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    __typeof__(&PMPI_Session_init) host = PROA_PMPI_FIND(Session_init);
    int error;

    if (!host)
        return MPI_ERR_UNSUPPORTED_OPERATION;
    begin(0);
    error = host(info, errhandler, session);
    proa_threads_host_end();
    if (error == MPI_SUCCESS && proa_host_is_here())
        look_for_absent_of_session(*session);
    return error;
}

PROA_MPI(Session_finalize)(MPI_Session *session)
{
    __typeof__(&PMPI_Session_finalize) host = PROA_PMPI_FIND(Session_finalize);

    if (!host)
        return MPI_ERR_UNSUPPORTED_OPERATION; /* and no program can have a session */
    if (proa_handles_alive() == 0)
        proa_end_of_session();
    return host(session);
}
