/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window with its handle: Proa's window, the host window under the handle (the shadow), and the
 * properties that the user can query.
 *
 * The handle is a genuine window of the host, of one byte or none, on a communicator of this
 * process alone. So the host keeps user attributes, names, error handlers and conversion to
 * Fortran. It never gets the handle for an operation or for synchronization. MPICH supports no more
 * than about 2,000 windows at a time (each takes one of 2,048 numbers of communicators). Beyond
 * PROA_HOST_WINDOWS of them a window gets a light handle: a number that MPICH never gives out. Its
 * shadow is created when the user first needs a service of the host on it (proa_handle_shadow).
 */
#ifndef PROA_HOST_HANDLE_H
#define PROA_HOST_HANDLE_H

#include "base/hidden.h"
#include "base/table.h"
#include "window/win.h"
#include "host/hints.h"
#include "host/group_ranks.h"

#include <mpi.h>

/* Room for the name of a window. */
enum { PROA_HANDLE_NAME_BYTES = 64 };

struct proa_check;
struct proa_record;
struct proa_rules;
struct proa_traced;

struct proa_handle {
    struct proa_win *win;
    MPI_Win value; /* the user's handle */
    /* the host's handle: the same, or MPI_WIN_NULL for a light handle until the shadow is needed */
    MPI_Win shadow;
    MPI_Group group;
    struct proa_group_ranks_kept accessed, exposed_to; /* groups that start and post were given */
    int open;                                          /* the window exists on all processes */
    int left; /* MPI_Win_free has synchronized the processes: the remaining steps are local */
    int has_handler; /* the program has set an error handler */
    /* The values that attributes point to (MPI-4.1, 13.2.6). A disp_unit that does not fit int is
     * MPI_UNDEFINED. */
    MPI_Aint bytes;
    int disp_unit, flavor, model;
    /* bounds of notification counters (draft of MPI-5.1, 12.6) */
    int notify_num_most;
    MPI_Count notify_value_most;
    struct proa_hints hints; /* info keys in force */
    /* its counts (watch/record.h); NULL if calls are not counted */
    struct proa_record *record;
    /* its checks (check/check.h); NULL if check mode is off */
    struct proa_check *check;
    /* its usage rules (usage/rules.h); NULL if none are checked */
    struct proa_rules *rules;
    char name[PROA_HANDLE_NAME_BYTES]; /* in check mode: see proa_handle_name */
    /* its part of a trace (watch/traced.h); NULL if none */
    struct proa_traced *traced;
};

extern PROA_HIDDEN struct proa_table proa_handles;

/* The windows that are neither counted, checked nor traced: for the calls that programs make often.
 */
extern PROA_HIDDEN struct proa_table proa_plain_handles;

static inline struct proa_win *proa_win_find_fast(MPI_Win handle)
{
    return proa_table_find(&proa_plain_handles, PROA_TABLE_KEY(handle));
}

/* The windows that are ruled: watched for usage rules alone, by a single thread on one node. */
extern PROA_HIDDEN struct proa_table proa_ruled_handles;

static inline struct proa_win *proa_win_find_ruled(MPI_Win handle)
{
    return proa_table_find(&proa_ruled_handles, PROA_TABLE_KEY(handle));
}

/* Returns the window of a handle, or NULL if it is not ours. */
static inline struct proa_win *proa_win_find(MPI_Win handle)
{
    return proa_table_find(&proa_handles, PROA_TABLE_KEY(handle));
}

/* Returns the handle of a window that proa_win_find has returned. */
static inline struct proa_handle *proa_handle_of(const struct proa_win *win)
{
    return win->user;
}

/* Creates a window with a handle, for comm, not known to proa_win_find yet. handle: result. Returns
 * PROA_OK; PROA_ELSEWHERE if the host gives no handle; or a negative code without memory. */
int proa_handle_new(MPI_Comm comm, struct proa_handle **handle);

/* Connects the handle to Proa's window and makes it known. Returns PROA_OK, or a negative code
 * without memory. */
int proa_handle_enter(struct proa_handle *handle, struct proa_win *win);

/* Counts the window, which now exists on all processes. */
void proa_handle_opened(struct proa_handle *handle);

/* Frees handle and shadow (user attributes are deleted here) and makes the handle unknown. Returns
 * MPI_SUCCESS; or the error class of the host, which has raised it and keeps its window: then
 * nothing is freed. */
int proa_handle_free(struct proa_handle *handle);

/* Returns whether this was the handle of a window of ours that was freed since. Light handles are
 * not remembered: the host refuses them itself, or they are recognized. */
int proa_handle_is_freed(MPI_Win handle);

/* Called when the host has created a window of its own with this handle. */
void proa_handle_forget(MPI_Win handle);

/* Returns the host window for the host's services on this window; MPI_WIN_NULL if none can be
 * created. */
MPI_Win proa_handle_shadow(struct proa_handle *handle);

/* Called around a delete function of the program, where host windows are freed in turn
 * (host/kind.h). If this thread is freeing one, other threads may do so meanwhile. Resume gets the
 * result of pause. */
int proa_handle_pause(void);
void proa_handle_resume(int paused);

/* Returns whether a window may have an attribute of that keyval. */
int proa_handle_takes_keyval(int keyval);

/* Gives back the host's objects other than windows. Called before the host ends. */
void proa_handle_end(void);

/* Writes the name that the user has given the window, truncated if necessary; "" if it has none.
 * Returns name. */
const char *proa_handle_name(const struct proa_handle *handle, char name[PROA_HANDLE_NAME_BYTES]);

/* Returns how many windows of Proa exist, and how many it has served, in this process. */
long proa_handles_alive(void);
unsigned long proa_handle_count(void);

#endif
