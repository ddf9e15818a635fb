/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A window as the user's handle stands for it: Proa's window, the host window behind the handle
 * (the shadow), and the properties that the user can ask for.
 *
 * The handle is a genuine window of the host, of one byte or none, on a communicator of this
 * process alone; so user attributes, names, error handlers and conversion to Fortran stay the
 * host's. It is never given to the host for an operation or for synchronization. MPICH has no more
 * than about 2,000 windows alive (each takes a communicator's number out of 2,048). Past
 * PROA_HOST_WINDOWS of them a window gets a light handle: a number that MPICH never gives out. Its
 * shadow is made when the user first needs a service of the host on it (proa_handle_shadow).
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
    MPI_Win value; /* the user's */
    /* the host's: the same, or MPI_WIN_NULL behind a light handle until it is needed */
    MPI_Win shadow;
    MPI_Group group;
    struct proa_group_ranks_kept accessed, exposed_to; /* groups that start and post were given */
    int open;                                          /* all processes have it */
    int left;        /* MPI_Win_free has met the others: what is left is local */
    int has_handler; /* the program has set an error handler */
    /* The values that attributes point to (MPI-4.1, 13.2.6). A disp_unit that is no int,
     * MPI_UNDEFINED. */
    MPI_Aint bytes;
    int disp_unit, flavor, model;
    /* bounds of notification counters (draft of MPI-5.1, 12.6) */
    int notify_num_most;
    MPI_Count notify_value_most;
    struct proa_hints hints; /* of info keys, in force */
    /* its counts (watch/record.h); NULL: nothing is counted */
    struct proa_record *record;
    /* its checks (check/check.h); NULL: nothing is checked */
    struct proa_check *check;
    /* its usage rules (usage/rules.h); NULL: none are checked */
    struct proa_rules *rules;
    char name[PROA_HANDLE_NAME_BYTES]; /* in check mode: as below */
    /* its part of a trace (watch/traced.h); NULL: none */
    struct proa_traced *traced;
};

extern PROA_HIDDEN struct proa_table proa_handles;

/* The windows of which nothing is counted, checked or traced: for the calls that programs make
 * often. */
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

/* The window of a handle; NULL: not ours. */
static inline struct proa_win *proa_win_find(MPI_Win handle)
{
    return proa_table_find(&proa_handles, PROA_TABLE_KEY(handle));
}

/* The handle of a window that proa_win_find has given. */
static inline struct proa_handle *proa_handle_of(const struct proa_win *win)
{
    return win->user;
}

/* Makes a window with a handle, for comm, not yet known to proa_win_find. PROA_OK; PROA_ELSEWHERE
 * if the host gives no handle; a negative code without memory. */
int proa_handle_new(MPI_Comm comm, struct proa_handle **handle);

/* Ties it to Proa's window and makes it known. PROA_OK, or a negative code without memory. */
int proa_handle_enter(struct proa_handle *handle, struct proa_win *win);

/* Counts the window: it now exists on all processes. */
void proa_handle_opened(struct proa_handle *handle);

/* Frees handle and shadow (user attributes are deleted here) and makes it unknown. MPI_SUCCESS; or
 * the error class of the host, which has raised it and keeps its window: then nothing is freed. */
int proa_handle_free(struct proa_handle *handle);

/* Was this the handle of a window of ours, freed since? Light handles are not remembered: the host
 * refuses them by itself, or they are known as such. */
int proa_handle_is_freed(MPI_Win handle);

/* The host has made a window of its own with this handle. */
void proa_handle_forget(MPI_Win handle);

/* The host window for the host's services on this window; MPI_WIN_NULL if none can be made. */
MPI_Win proa_handle_shadow(struct proa_handle *handle);

/* Around a delete function of the program's, where host windows are given back in turn
 * (host/kind.h): if this thread is giving one back, others may do so meanwhile. Resume gets what
 * pause returned. */
int proa_handle_pause(void);
void proa_handle_resume(int paused);

/* May a window have an attribute of that keyval? */
int proa_handle_takes_keyval(int keyval);

/* Gives back the objects of the host other than windows: before its end. */
void proa_handle_end(void);

/* The name that the user has given the window, shortened if need be; "" if it has none. Returns
 * name. */
const char *proa_handle_name(const struct proa_handle *handle, char name[PROA_HANDLE_NAME_BYTES]);

/* How many windows of Proa's are alive, and how many it has served, in this process. */
long proa_handles_alive(void);
unsigned long proa_handle_count(void);

#endif
