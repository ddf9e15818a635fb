/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion of core's codes to MPI's errors; see bind.h. */
#include "base/log.h"
#include "bind/bind.h"
#include "bind/callbacks.h"
#include "base/settings.h"
#include "findings/summary.h"
#include "usage/misuse.h"
#include "sync/sync.h"
#include "host/kind.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* The host assigns the number, as its header has none. */
static int notification_class;
static pthread_once_t notification_once = PTHREAD_ONCE_INIT;

static void notification_class_add(void)
{
    static char text[] = "MPI_ERR_RMA_NOTIFICATION: wrong notification index";

    if (proa_pmpi()->Add_error_class(&notification_class) == MPI_SUCCESS)
        proa_pmpi()->Add_error_string(notification_class, text);
    else
        notification_class = MPI_ERR_OTHER;
}

int proa_class_of_notification(void)
{
    pthread_once(&notification_once, notification_class_add);
    return notification_class;
}

int proa_class_of(int code)
{
    switch (code) {
#define CLASS(name)       \
    case PROA_ERR_##name: \
        return MPI_ERR_##name;
        PROA_ERRORS(CLASS)
#undef CLASS
    case PROA_ERR_RMA_NOTIFICATION:
        return proa_class_of_notification();
    default:
        return MPI_ERR_INTERN;
    }
}

/* ---- the sentence ---- */

static _Thread_local char said[560];
static _Thread_local int said_class;
static _Thread_local int raising; /* the host raises an error for Proa */
_Thread_local int proa_has_raised PROA_INITIAL_EXEC;

/* MPI_Error_string (MPI-4.1, 9.4): for the class of this thread's last failure in a call of the
 * chapter, returns the sentence about it. The code that the call returned is the plain class, so
 * comparing it, or asking for its class, works as usual. */
PROA_MPI(Error_string)(int code, char *string, int *length)
{
    if (said_class != code || !said[0])
        return proa_pmpi()->Error_string(code, string, length);
    snprintf(string, MPI_MAX_ERROR_STRING, "%.*s", MPI_MAX_ERROR_STRING - 1, said);
    *length = (int)strlen(string);
    return MPI_SUCCESS;
}

/* MPI_Error_class (MPI-4.1, 9.4): Open MPI 4 does not know its own classes that are added. */
PROA_MPI(Error_class)(int code, int *class)
{
    if (!notification_class || code != notification_class)
        return proa_pmpi()->Error_class(code, class);
    *class = code;
    return MPI_SUCCESS;
}

void proa_raising(int yes)
{
    raising = yes;
}

void proa_raised_by_host(void)
{
    if (!raising)
        said[0] = '\0';
    raising = 0; /* the actions of a program's error handler are the program's own */
}

static int is_fatal(MPI_Errhandler handler)
{
    return handler == MPI_ERRORS_ARE_FATAL || proa_host_kind()->is_errors_abort(handler);
}

static void say_last_words(void)
{
    if (proa_settings()->check)
        proa_summary_write_now();
    proa_log(PROA_LOG_WARN, "%s", said);
}

/* Keeps the sentence for MPI_Error_string. If the handler ends the program, the program cannot ask
 * for it. Then it is written to stderr, and the findings of check mode to their files. */
static void say(int class, MPI_Errhandler handler)
{
    said_class = class;
    if (is_fatal(handler))
        say_last_words();
    else if (proa_settings()->log_level >= PROA_LOG_INFO) /* finding the place takes microseconds */
        proa_log_often(PROA_LOG_INFO, proa_source_caller(), said);
    if (handler != MPI_ERRHANDLER_NULL)
        proa_pmpi()->Errhandler_free(&handler);
}

/* ---- raising ---- */

static MPI_Errhandler handler_of(MPI_Comm comm)
{
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;

    proa_pmpi()->Comm_get_errhandler(comm, &handler);
    return handler;
}

static int has_fatal_handler(MPI_Comm comm)
{
    MPI_Errhandler handler = handler_of(comm);
    int is = handler == MPI_ERRORS_ARE_FATAL;

    if (handler != MPI_ERRHANDLER_NULL)
        proa_pmpi()->Errhandler_free(&handler);
    return is;
}

/* Returns the communicator on whose error handler an error of this window is raised; MPI_COMM_NULL
 * if the window has its own. Without a world, as in sessions, the host has no such communicators
 * either. */
static MPI_Comm stands_in(const struct proa_handle *handle)
{
    const struct proa_host_kind *kind = proa_host_kind();
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length, has_world = 0;

    if (handle->has_handler || !kind->unset_handler)
        return MPI_COMM_NULL;
    proa_pmpi()->Initialized(&has_world);
    if (!has_world)
        return MPI_COMM_NULL;
    proa_pmpi()->Get_library_version(version, &length);
    return kind->unset_handler(version) == PROA_UNSET_SELF && !has_fatal_handler(MPI_COMM_SELF)
               ? MPI_COMM_SELF
               : MPI_COMM_WORLD;
}

static void call_comm_errhandler(MPI_Comm comm, int class)
{
    proa_raising(1);
    proa_pmpi()->Comm_call_errhandler(comm, class);
    proa_raising(0);
}

static void compose(const struct proa_win *win, enum proa_call call, MPI_Win shadow)
{
    char name[MPI_MAX_OBJECT_NAME + 1] = "";
    int length;

    proa_pmpi()->Win_get_name(shadow, name, &length);
    if (name[0])
        snprintf(said, sizeof said, "%s: %s (rank %d, window \"%s\")", proa_call_name(call),
                 proa_failure(), win->rank, name);
    else
        snprintf(said, sizeof said, "%s: %s (rank %d)", proa_call_name(call), proa_failure(),
                 win->rank);
}

/* In check mode an error is a finding, unless it is not the program's mistake. */
static void find_misuse(const struct proa_win *win, enum proa_call call, int code)
{
    if (!proa_settings()->check || code == PROA_ERR_NO_MEM || code == PROA_ERR_OTHER ||
        code == PROA_ERR_RMA_SHARED || code == PROA_ERR_INTERN)
        return;
    proa_misuse(PROA_MISUSE_ERROR, win, proa_call_name(call), proa_source_caller(), NULL, "%s: %s",
                proa_call_name(call), proa_failure());
}

int proa_raise(const struct proa_win *win, enum proa_call call, int code)
{
    struct proa_handle *handle = proa_handle_of(win);
    MPI_Win shadow = proa_handle_shadow(handle);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm comm = stands_in(handle);
    int is_cxx, class = proa_class_of(code);

    proa_has_raised = 1;
    compose(win, call, shadow);
    if (comm == MPI_COMM_NULL)
        proa_pmpi()->Win_get_errhandler(shadow, &handler);
    else
        handler = handler_of(comm);
    find_misuse(win, call, code);
    is_cxx = proa_errhandler_is_cxx(handler);
    say(class, handler);
    if (comm == MPI_COMM_NULL)
        proa_call_errhandler(handle, class);
    else
        call_comm_errhandler(comm, class);
    /* MPICH's C++ calls the error handler itself when a call fails: an error whose handler was
     * called already must not look like a failure. */
    return is_cxx ? MPI_SUCCESS : class;
}

int proa_raise_on_comm(MPI_Comm comm, enum proa_call call, int code)
{
    MPI_Comm on = comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm;
    int class = proa_class_of(code);

    snprintf(said, sizeof said, "%s: %s", proa_call_name(call), proa_failure());
    find_misuse(NULL, call, code);
    say(class, handler_of(on));
    call_comm_errhandler(on, class);
    return class;
}

int proa_raise_freed(enum proa_call call)
{
    return proa_raise_on_comm(MPI_COMM_NULL, call,
                              proa_fail(PROA_ERR_WIN, "the window has been freed"));
}

int proa_raise_unserved(MPI_Win handle, enum proa_call call)
{
    snprintf(said, sizeof said, "%s: the host MPI has this window, and no notified communication",
             proa_call_name(call));
    said_class = MPI_ERR_UNSUPPORTED_OPERATION;
    proa_log(PROA_LOG_WARN, "%s", said);
    proa_raising(1);
    proa_pmpi()->Win_call_errhandler(handle, MPI_ERR_UNSUPPORTED_OPERATION);
    proa_raising(0);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

int proa_rank_outside(const struct proa_win *win, int rank)
{
    if (rank == MPI_PROC_NULL)
        return PROA_NOWHERE;
    return proa_fail(PROA_ERR_RANK, "target rank %d is not in the window, which has ranks 0 to %d",
                     rank, win->size - 1);
}

int proa_mode_of(int assert, int allowed, int *mode)
{
    static const struct {
        int mpi, core;
    } bits[] = {{MPI_MODE_NOCHECK, PROA_MODE_NOCHECK},
                {MPI_MODE_NOSTORE, PROA_MODE_NOSTORE},
                {MPI_MODE_NOPUT, PROA_MODE_NOPUT},
                {MPI_MODE_NOPRECEDE, PROA_MODE_NOPRECEDE},
                {MPI_MODE_NOSUCCEED, PROA_MODE_NOSUCCEED}};
    int rest = assert;

    *mode = 0;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        if (assert & bits[i].mpi && allowed & bits[i].core) {
            *mode |= bits[i].core;
            rest &= ~bits[i].mpi;
        }
    return rest ? proa_fail(PROA_ERR_ASSERT,
                            "assert %#x has bits (%#x) that this call does not know",
                            (unsigned)assert, (unsigned)rest)
                : PROA_OK;
}
