/* SPDX-License-Identifier: BSD-3-Clause */
/* See start.h. */
#include "host/start.h"
#include "base/atomic.h"
#include "base/log.h"
#include "base/fail.h"
#include "base/settings.h"
#include "create/start.h"
#include "progress/progress.h"
#include "remote/work.h"
#include "shm/peer.h"
#include "host/kind.h"
#include "host/private_comm.h"
#include "host/pmpi.h"
#include "host/handle.h"
#include "host/left.h"
#include "host/types.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* OFF: Proa cannot or must not serve windows. ENDED: MPI_Finalize has begun, or is done. */
enum state { NOT_YET, ON, OFF, ENDED };

static pthread_mutex_t start_mutex = PTHREAD_MUTEX_INITIALIZER;
static int state = NOT_YET;
static int several_threads, from_session;
static char why_off[200];

void (*proa_at_end)(void);
void (*proa_at_finalize)(void);

static void host_end(MPI_Comm private_comm_instead)
{
    if (proa_at_end)
        proa_at_end();
    proa_handle_end();
    proa_progress_end();
    proa_private_comm_end(private_comm_instead);
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first of all, the last set first (MPI-4.1,
 * 11.2.4). Memory stays mapped, and requests and types are still available from MPI_COMM_WORLD:
 * callbacks of the user that run later, of other objects, may still work on windows. */
static int at_finalize(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    if (proa_at_finalize)
        proa_at_finalize();
    proa_left_tell();
    if (from_session && proa_atomic_load(&state, PROA_ACQUIRE) == ON)
        return MPI_SUCCESS; /* Proa ends with the session */
    if (proa_atomic_load(&state, PROA_ACQUIRE) == ON)
        host_end(MPI_COMM_WORLD);
    else
        proa_private_comm_unprepare();
    proa_atomic_store(&state, ENDED, PROA_RELEASE);
    return MPI_SUCCESS;
}

/* Does not use proa_pmpi(), which needs all functions of the chapter: this also runs in programs
 * without windows. The preloaded library may be the one for another MPI, and must not harm a
 * program that creates no windows. */
int proa_watch_finalize(void)
{
    static int watching;
    int keyval, error = MPI_SUCCESS;

    if (watching || !proa_host_is_here())
        return MPI_SUCCESS;
    error = PROA_PMPI_FIND(Comm_create_keyval)(MPI_COMM_NULL_COPY_FN, at_finalize, &keyval, NULL);
    if (error == MPI_SUCCESS)
        error = PROA_PMPI_FIND(Comm_set_attr)(MPI_COMM_SELF, keyval, NULL);
    if (error == MPI_SUCCESS) /* the keyval exists until the attribute is deleted */
        error = PROA_PMPI_FIND(Comm_free_keyval)(&keyval);
    watching = error == MPI_SUCCESS;
    return error;
}

static int mpi_is_initialized(void)
{
    int up = 0, down = 0;

    proa_pmpi()->Initialized(&up);
    proa_pmpi()->Finalized(&down);
    return up && !down;
}

static int start_host(MPI_Comm comm)
{
    int level = MPI_THREAD_MULTIPLE;

    from_session = !mpi_is_initialized();
    if (!from_session && proa_watch_finalize() != MPI_SUCCESS)
        return proa_fail(PROA_ERR_OTHER, "the host MPI refuses an attribute on MPI_COMM_SELF");
    if (proa_private_comm_begin(from_session ? comm : MPI_COMM_NULL) != PROA_OK)
        return PROA_ERR_OTHER;
    proa_pmpi()->Query_thread(&level);
    several_threads = level == MPI_THREAD_MULTIPLE;
    return PROA_OK;
}

/* Starts the parts that outlive sessions. */
static int start_core(void)
{
    static int started;

    if (!started && proa_core_start() == PROA_OK) {
        proa_remote_start(proa_net_find(proa_settings()->net));
        proa_operations_start();
        started = 1;
    }
    return started ? PROA_OK : PROA_ERR_OTHER;
}

/* Reads the variable, not proa_settings(): the program may still change settings. */
void proa_start_prepare(void)
{
    if (getenv("PROA_DISABLE") || !proa_host_is_here() || !proa_pmpi_look())
        return;
    pthread_mutex_lock(&start_mutex);
    proa_core_prepare();
    if (proa_atomic_load(&state, PROA_RELAXED) == NOT_YET)
        proa_private_comm_prepare(MPI_COMM_NULL);
    pthread_mutex_unlock(&start_mutex);
}

static void warn(const char *sentence)
{
    proa_log(PROA_LOG_WARN, "%s", sentence);
}

/* Warns once for a job: nearly always all ranks have the same settings. */
static void complain_of_settings(MPI_Comm comm)
{
    int rank = 0;

    proa_pmpi()->Comm_rank(mpi_is_initialized() ? MPI_COMM_WORLD : comm, &rank);
    if (rank == 0)
        proa_settings_complain(warn);
}

static enum state start(MPI_Comm comm)
{
    complain_of_settings(comm);
    if (proa_settings()->disable) {
        snprintf(why_off, sizeof why_off, "PROA_DISABLE is set");
        proa_log(PROA_LOG_INFO, "PROA_DISABLE is set: all windows are the host's");
        return OFF;
    }
    if (start_core() != PROA_OK || start_host(comm) != PROA_OK) {
        snprintf(why_off, sizeof why_off, "cannot start: %s", proa_failure());
        proa_log(PROA_LOG_WARN, "cannot start; windows are left to the host MPI: %s",
                 proa_failure());
        return OFF;
    }
    return ON;
}

static enum state started(MPI_Comm comm)
{
    enum state now = (enum state)proa_atomic_load(&state, PROA_ACQUIRE);

    if (now != NOT_YET || (comm == MPI_COMM_NULL && !mpi_is_initialized()))
        return now;
    pthread_mutex_lock(&start_mutex);
    if (proa_atomic_load(&state, PROA_RELAXED) == NOT_YET)
        proa_atomic_store(&state, start(comm), PROA_RELEASE);
    now = (enum state)proa_atomic_load(&state, PROA_RELAXED);
    pthread_mutex_unlock(&start_mutex);
    return now;
}

int proa_is_on(MPI_Comm comm)
{
    return started(comm) == ON;
}

int proa_takes_part(MPI_Comm comm)
{
    enum state now = started(comm);

    return now == ON || now == OFF;
}

const char *proa_why_off(void)
{
    return why_off;
}

void proa_end_of_session(void)
{
    pthread_mutex_lock(&start_mutex);
    if (proa_atomic_load(&state, PROA_RELAXED) == ON && from_session) {
        host_end(MPI_COMM_NULL);
        proa_atomic_store(&state, NOT_YET, PROA_RELEASE);
    }
    pthread_mutex_unlock(&start_mutex);
}

int proa_has_threads(void)
{
    return several_threads;
}
