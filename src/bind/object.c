/* SPDX-License-Identifier: BSD-3-Clause */
/* The window as an object: group, attributes, info, name, error handler (MPI-4.1, 13.2.6, 13.2.7;
 * 7.7.3, 7.8, 9.3). */
#include "bind/bind.h"
#include "bind/callbacks.h"
#include "watch/traced.h"
#include "host/group_ranks.h"
#include "rma/road.h"
#include "usage/rules.h"

#include <pthread.h>
#include <stdint.h>

PROA_MPI(Win_get_group)(MPI_Win handle, MPI_Group *group)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_get_group, handle, handle, group);
    /* a new group, for the caller to free */
    return proa_pmpi()->Group_excl(proa_handle_of(win)->group, 0, NULL, group);
}

/* MPI_Group_free (MPI-4.1, 7.3.3): passed to the host. Windows know groups by their handles
 * (host/group_ranks.h), which the host may now give to others. */
PROA_MPI(Group_free)(MPI_Group *group)
{
    proa_group_ranks_freeing();
    return proa_pmpi()->Group_free(group);
}

/* Predefined attributes that no mpi.h has yet (draft of MPI-5.1, 12.6): the host gives their
 * keyvals. */
static int notify_keyvals[PROA_NOTIFY_KEYVALS] = {MPI_KEYVAL_INVALID, MPI_KEYVAL_INVALID,
                                                  MPI_KEYVAL_INVALID};
static pthread_once_t notify_once = PTHREAD_ONCE_INIT;

static void notify_keyvals_make(void)
{
    for (int i = 0; i < PROA_NOTIFY_KEYVALS; i++)
        proa_pmpi()->Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN,
                                       &notify_keyvals[i], NULL);
}

int proa_notify_keyval(enum proa_notify_keyval which)
{
    pthread_once(&notify_once, notify_keyvals_make);
    return notify_keyvals[which];
}

static int notify_attribute_find(struct proa_handle *handle, int keyval, void **value)
{
    if (keyval == MPI_KEYVAL_INVALID)
        return 0;
    if (keyval == notify_keyvals[PROA_NOTIFY_NUM_SB] ||
        keyval == notify_keyvals[PROA_NOTIFY_NUM_UB])
        *value = &handle->notify_num_most;
    else if (keyval == notify_keyvals[PROA_NOTIFY_VALUE_UB])
        *value = &handle->notify_value_most;
    else
        return 0;
    return 1;
}

/* Finds a predefined attribute. keyval: as C numbers it. value: result, what C programs get: the
 * base's address, or a pointer to the value. Returns 1 if keyval is a predefined one. */
static int attribute_find(struct proa_handle *handle, int keyval, void **value)
{
    switch (keyval) {
    case MPI_WIN_BASE:
        *value = handle->win->base;
        return 1;
    case MPI_WIN_SIZE:
        *value = &handle->bytes;
        return 1;
    case MPI_WIN_DISP_UNIT:
        *value = &handle->disp_unit;
        return 1;
    case MPI_WIN_CREATE_FLAVOR:
        *value = &handle->flavor;
        return 1;
    case MPI_WIN_MODEL:
        *value = &handle->model;
        return 1;
    default:
        return notify_attribute_find(handle, keyval, value);
    }
}

int proa_attribute_for_fortran(MPI_Win handle, int keyval, MPI_Aint *value, int *flag)
{
    struct proa_win *win = proa_win_find(handle);
    void *found = NULL;

    *flag = win && attribute_find(proa_handle_of(win), keyval, &found);
    if (!*flag)
        return 0;
    if (keyval == MPI_WIN_BASE)
        *value = (MPI_Aint)(intptr_t)found;
    else if (keyval == notify_keyvals[PROA_NOTIFY_VALUE_UB])
        *value = (MPI_Aint) * (const MPI_Count *)found;
    else
        *value = keyval == MPI_WIN_SIZE ? *(const MPI_Aint *)found : *(const int *)found;
    return 1;
}

static int check_keyval(int keyval)
{
    return proa_handle_takes_keyval(keyval)
               ? PROA_OK
               : proa_fail(PROA_ERR_KEYVAL, "keyval %d is not a window keyval", keyval);
}

PROA_MPI(Win_get_attr)(MPI_Win handle, int keyval, void *value, int *flag)
{
    struct proa_win *win = proa_win_find(handle);
    int error;

    if (!win)
        return PROA_HOST_ANSWERS(Win_get_attr, handle, handle, keyval, value, flag);
    *flag = attribute_find(proa_handle_of(win), keyval, value);
    if (*flag)
        return MPI_SUCCESS;
    error = check_keyval(keyval);
    return error ? proa_raise(win, PROA_CALL_Win_get_attr, error)
                 : proa_pmpi()->Win_get_attr(proa_handle_shadow(proa_handle_of(win)), keyval, value,
                                             flag);
}

MPI_Win proa_host_handle(MPI_Win handle)
{
    struct proa_win *win = proa_win_find(handle);

    return win ? proa_handle_shadow(proa_handle_of(win)) : handle;
}

/* Checks setting and deleting: predefined attributes must stay as they are. */
static int check_change(const struct proa_win *win, int keyval)
{
    void *value;

    if (!win)
        return PROA_OK;
    if (attribute_find(proa_handle_of(win), keyval, &value))
        return proa_fail(PROA_ERR_KEYVAL,
                         "keyval %d is a predefined attribute, which cannot be changed", keyval);
    return check_keyval(keyval);
}

PROA_MPI(Win_set_attr)(MPI_Win handle, int keyval, void *value)
{
    struct proa_win *win = proa_win_find(handle);
    int error = check_change(win, keyval);

    if (error)
        return proa_raise(win, PROA_CALL_Win_set_attr, error);
    return PROA_HOST_ANSWERS(Win_set_attr, handle, proa_host_handle(handle), keyval, value);
}

PROA_MPI(Win_delete_attr)(MPI_Win handle, int keyval)
{
    struct proa_win *win = proa_win_find(handle);
    int error = check_change(win, keyval);

    if (error)
        return proa_raise(win, PROA_CALL_Win_delete_attr, error);
    return PROA_HOST_ANSWERS(Win_delete_attr, handle, proa_host_handle(handle), keyval);
}

/* The watchdog of check mode cannot ask the host for the name (check/wait_cause.c). */
PROA_MPI(Win_set_name)(MPI_Win handle, const char *name)
{
    struct proa_win *win = proa_win_find(handle);
    int outcome = PROA_HOST_ANSWERS(Win_set_name, handle, proa_host_handle(handle), name);

    if (win)
        proa_traced_name(proa_handle_of(win)->traced, name);
    if (win && proa_handle_of(win)->rules && outcome == MPI_SUCCESS)
        proa_handle_name(proa_handle_of(win), proa_handle_of(win)->name);
    return outcome;
}

PROA_MPI(Win_get_name)(MPI_Win handle, char *name, int *length)
{
    return PROA_HOST_ANSWERS(Win_get_name, handle, proa_host_handle(handle), name, length);
}

PROA_MPI(Win_set_errhandler)(MPI_Win handle, MPI_Errhandler errhandler)
{
    struct proa_win *win = proa_win_find(handle);
    int outcome =
        PROA_HOST_ANSWERS(Win_set_errhandler, handle, proa_host_handle(handle), errhandler);

    if (win && outcome == MPI_SUCCESS)
        proa_handle_of(win)->has_handler = 1;
    return outcome;
}

PROA_MPI(Win_get_errhandler)(MPI_Win handle, MPI_Errhandler *errhandler)
{
    return PROA_HOST_ANSWERS(Win_get_errhandler, handle, proa_host_handle(handle), errhandler);
}

PROA_MPI(Win_call_errhandler)(MPI_Win handle, int code)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_call_errhandler, handle, handle, code);
    return proa_call_errhandler(proa_handle_of(win), code);
}

PROA_MPI(Win_set_info)(MPI_Win handle, MPI_Info info)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_set_info, handle, handle, info);
    proa_hints_change(info, &proa_handle_of(win)->hints);
    proa_rules_inform(proa_handle_of(win)->rules, __builtin_return_address(0));
    return MPI_SUCCESS;
}

/* Returns the text about how this process reaches the window's memory. A second key says which side
 * has to act for an operation to complete: the origin alone, or, for another node, a thread of Proa
 * there. */
static const char *memory_of(const struct proa_win *win)
{
    static const char *const names[] = {"load_store", "kernel", "network", "by_region"};
    int reach = proa_reach_of(&win->targets[0]);

    for (int rank = 1; rank < win->size; rank++)
        if ((int)proa_reach_of(&win->targets[rank]) != reach)
            return "mixed";
    return names[reach];
}

static int get_info(const struct proa_win *win, MPI_Info *info)
{
    int error = proa_hints_info(&proa_handle_of(win)->hints, info);

    if (error == MPI_SUCCESS)
        error = proa_pmpi()->Info_set(*info, "proa_memory", memory_of(win));
    if (error == MPI_SUCCESS)
        error =
            proa_pmpi()->Info_set(*info, "proa_progress", win->remote_window ? "agent" : "origin");
    return error;
}

PROA_MPI(Win_get_info)(MPI_Win handle, MPI_Info *info)
{
    struct proa_win *win = proa_win_find(handle);

    if (!win)
        return PROA_HOST_ANSWERS(Win_get_info, handle, handle, info);
    return get_info(win, info);
}
