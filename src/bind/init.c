/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Init, MPI_Init_thread (MPI-4.1, 11.2): Proa sets its attribute before the program does, so as
 * to be the last at MPI_Finalize. It also shows the other ranks that it is present, and prepares
 * (host/start.h).
 *
 * MPI_Session_init, MPI_Session_finalize (11.3): the first shows that to the other ranks, as
 * MPI_Init does. The second gives back what Proa took from a session, as nothing of it may be left.
 * Without MPI_Init, check mode has a session of its own, from the first one of the program to its
 * exit. The host's functions are looked up by their names when they are called: one library of
 * Proa's serves Open MPI 4.1, which has no sessions, and 5.0, which has them, although both report
 * MPI 3.1.
 */
#include "bind/bind.h"
#include "base/atomic.h"
#include "base/settings.h"
#include "check/begin.h"
#include "findings/summary.h"
#include "shm/threads.h"
#include "job/presence.h"
#include "host/kind.h"
#include "check/ordering.h"
#include "job/exchange.h"

#include <stdlib.h>

/* Uses single functions of the host, as a program may have preloaded the library for another MPI.
 */
static void look_for_absent(void)
{
    int rank, size;

    if (PROA_PMPI_FIND(Comm_rank)(MPI_COMM_WORLD, &rank) == MPI_SUCCESS &&
        PROA_PMPI_FIND(Comm_size)(MPI_COMM_WORLD, &size) == MPI_SUCCESS) {
        proa_presence_look(rank, size, 1);
        proa_check_tell_lack(rank);
    }
}

static void begin(int in_init)
{
    proa_threads_host_begin();
    if (proa_host_is_here())
        proa_presence_put(in_init, proa_check_asked_for());
}

/* ---- check mode ---- */

/* Ranks that check less, or more, would wait for each other. */
static int may_begin_check(void)
{
    static int has_begun; /* set once, by MPI_Init or MPI_Session_init */

    if (!proa_check_asked_for() || !proa_host_is_here() || !proa_pmpi_look() ||
        proa_atomic_exchange(&has_begun, 1, PROA_RELAXED))
        return 0;
    if (proa_presence_checks_alike())
        return 1;
    proa_settings_leave_check();
    return 0;
}

/* Begins check mode, with clocks if Proa is certainly on all ranks. all: a communicator of them;
 * MPI_COMM_NULL if it is not. */
static void begin_check(MPI_Comm all, int rank, int size)
{
    struct proa_group group;

    proa_check_begin(all, rank, size);
    if (all == MPI_COMM_NULL || !proa_is_on(all) || !proa_settings()->check_conflicts)
        return;
    proa_exchange_over(&all, &group);
    proa_ordering_begin(&group, proa_has_threads());
}

static void begin_check_in_init(void)
{
    int rank, size, sure;

    if (!may_begin_check())
        return;
    proa_pmpi()->Comm_rank(MPI_COMM_WORLD, &rank);
    proa_pmpi()->Comm_size(MPI_COMM_WORLD, &size);
    sure = proa_presence_check(MPI_COMM_WORLD) == PROA_OK && proa_presence_is_sure(MPI_COMM_WORLD);
    begin_check(sure ? MPI_COMM_WORLD : MPI_COMM_NULL, rank, size);
}

/* If an MPI refuses the attribute, only that is lost: it is requested again when Proa starts. */
static int initialized(int error)
{
    proa_threads_host_end();
    if (error == MPI_SUCCESS && proa_host_is_here())
        look_for_absent();
    if (error == MPI_SUCCESS && proa_watch_finalize() == MPI_SUCCESS) {
        proa_start_prepare();
        begin_check_in_init();
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

/* MPI_Abort (MPI-4.1, 11.4): writes the findings of check mode so far to their files. */
PROA_MPI(Abort)(MPI_Comm comm, int code)
{
    if (proa_settings()->check)
        proa_summary_write_now();
    return PROA_PMPI_FIND(Abort)(comm, code);
}

/* ---- sessions ---- */

#if !defined(MPI_SESSION_NULL)
/* This header is Open MPI 4's, and has no sessions. Later headers have them, and their handles are
 * pointers, as all handles are here. */
typedef struct proa_session *MPI_Session;
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session);
int PMPI_Session_finalize(MPI_Session *session);
int PMPI_Group_from_session_pset(MPI_Session session, const char *name, MPI_Group *group);
int PMPI_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info,
                                MPI_Errhandler errhandler, MPI_Comm *comm);
#endif

static int sessions; /* open sessions of the program */

/* Check mode's own session, from the program's first session to its exit: no call before that is
 * known to be the last one, or to be made by all processes. The communicator is NULL if there is
 * none. */
static MPI_Session check_session;
static MPI_Comm check_comm = MPI_COMM_NULL;

/* Others may wait for a process that exits in the middle of a session. The process itself does not
 * wait. */
static void end_check(int status, void *unused)
{
    const int alone = proa_atomic_load(&sessions, PROA_ACQUIRE) > 0 || check_comm == MPI_COMM_NULL;

    (void)status, (void)unused;
    proa_check_end("exit", alone);
    if (alone)
        return;
    proa_end_of_session();
    proa_pmpi()->Comm_free(&check_comm);
    PROA_PMPI_FIND(Session_finalize)(&check_session);
}

/* Collective over the processes of the job, which all start MPI by a session. */
static void open_check_session(void)
{
    MPI_Group group;

    if (PROA_PMPI_FIND(Session_init)(MPI_INFO_NULL, MPI_ERRORS_RETURN, &check_session) !=
        MPI_SUCCESS)
        return;
    if (PROA_PMPI_FIND(Group_from_session_pset)(check_session, "mpi://WORLD", &group) !=
        MPI_SUCCESS)
        return;
    if (PROA_PMPI_FIND(Comm_create_from_group)(group, "proa.check", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &check_comm) != MPI_SUCCESS)
        check_comm = MPI_COMM_NULL;
    PROA_PMPI_FIND(Group_free)(&group);
}

static void begin_check_in_session(int rank, int size)
{
    if (!may_begin_check())
        return;
    if (proa_presence_are_by_session())
        open_check_session();
    begin_check(check_comm, rank, size);
    on_exit(end_check, NULL);
}

/* Finds absent ranks among all ranks of the job, of which a group exists during the call. */
static void look_for_absent_of_session(MPI_Session session)
{
    MPI_Group all;
    int rank, size;

    if (PROA_PMPI_FIND(Group_from_session_pset)(session, "mpi://WORLD", &all) != MPI_SUCCESS)
        return;
    if (PROA_PMPI_FIND(Group_rank)(all, &rank) == MPI_SUCCESS &&
        PROA_PMPI_FIND(Group_size)(all, &size) == MPI_SUCCESS) {
        proa_presence_look(rank, size, 0);
        proa_check_tell_lack(rank);
        begin_check_in_session(rank, size);
    }
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
    if (error == MPI_SUCCESS)
        proa_atomic_fetch_add(&sessions, 1, PROA_RELEASE);
    if (error == MPI_SUCCESS && proa_host_is_here())
        look_for_absent_of_session(*session);
    return error;
}

PROA_MPI(Session_finalize)(MPI_Session *session)
{
    __typeof__(&PMPI_Session_finalize) host = PROA_PMPI_FIND(Session_finalize);
    int error;

    if (!host)
        return MPI_ERR_UNSUPPORTED_OPERATION; /* no program can have a session then */
    if (proa_handles_alive() == 0 && check_comm == MPI_COMM_NULL)
        proa_end_of_session();
    error = host(session);
    if (error == MPI_SUCCESS)
        proa_atomic_fetch_add(&sessions, -1, PROA_RELEASE);
    return error;
}
