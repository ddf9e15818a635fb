/* SPDX-License-Identifier: BSD-3-Clause */
/* See handle.h. */
#include "host/handle.h"
#include "base/atomic.h"
#include "base/fail.h"
#include "base/settings.h"
#include "host/kind.h"
#include "host/private_comm.h"
#include "host/pmpi.h"
#include "shm/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct proa_table proa_handles = PROA_TABLE_INIT;
struct proa_table proa_plain_handles = PROA_TABLE_INIT;
struct proa_table proa_ruled_handles = PROA_TABLE_INIT;

/* Handles of the host that stood for windows of ours, freed since. */
static struct proa_table freed = PROA_TABLE_INIT;

static unsigned long served;
static long alive;
static long shadows; /* shadows that exist */

/* ---- shadows ---- */

/* The calls that create a shadow, the best first. Open MPI may have any of them without the others,
 * depending on its components for one-sided communication, some of which a user may leave out. */
enum way { BY_ALLOCATE_SHARED, BY_CREATE_DYNAMIC, BY_ALLOCATE, WAYS };

static int make_by(enum way way, MPI_Win *shadow)
{
    const struct proa_pmpi *mpi = proa_pmpi();
    MPI_Comm comm = proa_private_comm();
    void *base;

    if (way == BY_ALLOCATE_SHARED)
        return mpi->Win_allocate_shared(1, 1, MPI_INFO_NULL, comm, &base, shadow);
    if (way == BY_CREATE_DYNAMIC)
        return mpi->Win_create_dynamic(MPI_INFO_NULL, comm, shadow);
    return mpi->Win_allocate(1, 1, MPI_INFO_NULL, comm, &base, shadow);
}

/* Creates the first shadow. Open MPI starts its component for one-sided communication only now, and
 * threads with it: UCX's, in some builds. */
static int make_first(MPI_Win *shadow, enum way *works)
{
    int error = MPI_ERR_OTHER;

    proa_threads_host_begin();
    for (enum way way = 0; error != MPI_SUCCESS && way < WAYS; way++) {
        error = make_by(way, shadow);
        if (error == MPI_SUCCESS)
            *works = way;
    }
    proa_threads_host_end();
    return error;
}

/* Once a way has worked, it is the only one tried: a later failure has another reason. The caller
 * holds shadow_mutex. */
static int make_some_way(MPI_Win *shadow)
{
    static enum way works = WAYS;
    int error = works < WAYS ? make_by(works, shadow) : make_first(shadow, &works);

    if (error == MPI_SUCCESS) /* some windows of Open MPI have names; a new window has none */
        proa_pmpi()->Win_set_name(*shadow, "");
    return error;
}

/* All shadows are created on one communicator, on which MPI allows one collective call at a time.
 * So they are created one after the other. Recursive for proa_handle_shadow. */
static pthread_mutex_t shadow_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static MPI_Win shadow_make(void)
{
    MPI_Win shadow = MPI_WIN_NULL;
    int error;

    pthread_mutex_lock(&shadow_mutex);
    error = make_some_way(&shadow);
    pthread_mutex_unlock(&shadow_mutex);
    if (error != MPI_SUCCESS)
        return MPI_WIN_NULL;
    proa_atomic_fetch_add(&shadows, 1, PROA_RELAXED);
    return shadow;
}

/* Some hosts need shadows to be freed one after the other too. But the mutex is never held while a
 * delete function of the program runs inside the free. Such a function may create windows, and wait
 * for a thread of any process that does. A wrapper around each delete function
 * (bind/callbacks_mpich.c) releases the mutex meanwhile. */
static _Thread_local int giving_back;

int proa_handle_pause(void)
{
    int paused = giving_back;

    giving_back = 0;
    if (paused)
        pthread_mutex_unlock(&shadow_mutex);
    return paused;
}

void proa_handle_resume(int paused)
{
    if (paused)
        pthread_mutex_lock(&shadow_mutex);
    giving_back = paused;
}

static int free_in_turn(MPI_Win *shadow)
{
    int outer = giving_back, error;

    proa_handle_resume(1);
    error = proa_pmpi()->Win_free(shadow);
    proa_handle_pause();
    giving_back = outer;
    return error;
}

/* MPI itself allows several frees at a time: the call is collective on the window, not on the
 * communicator. */
static int shadow_give_back(MPI_Win shadow)
{
    int error =
        proa_host_kind()->frees_in_turn ? free_in_turn(&shadow) : proa_pmpi()->Win_free(&shadow);

    if (error == MPI_SUCCESS)
        proa_atomic_fetch_sub(&shadows, 1, PROA_RELAXED);
    return error;
}

/* ---- light handles ---- */

static MPI_Win light_handle(void)
{
    static unsigned next = 1;
    MPI_Win handle;

    do
        handle = proa_host_kind()->light_handle(proa_atomic_fetch_add(&next, 1, PROA_RELAXED));
    while (handle == MPI_WIN_NULL || proa_win_find(handle));
    return handle;
}

static int wants_light(void)
{
    return proa_host_kind()->light_handle &&
           proa_atomic_load(&shadows, PROA_RELAXED) >= proa_settings()->host_windows;
}

/* ---- windows ---- */

int proa_handle_new(MPI_Comm comm, struct proa_handle **result)
{
    struct proa_handle *handle = *result = calloc(1, sizeof *handle);
    int light = wants_light();
    MPI_Win shadow;

    if (!handle)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the window's handle");
    handle->group = MPI_GROUP_NULL;
    shadow = light ? MPI_WIN_NULL : shadow_make();
    proa_atomic_store(&handle->shadow, shadow, PROA_RELEASE);
    handle->value = light ? light_handle() : shadow;
    if (handle->value != MPI_WIN_NULL &&
        proa_pmpi()->Comm_group(comm, &handle->group) == MPI_SUCCESS)
        return PROA_OK;
    proa_handle_free(handle);
    *result = NULL;
    return proa_fail(PROA_ELSEWHERE, "the host MPI cannot create the window behind a handle");
}

/* Not with threads, as the watchdog has to know each calling thread. Not over nodes, as flushes
 * wait. */
static int is_ruled(const struct proa_handle *handle, const struct proa_win *win)
{
    return proa_settings()->check && !handle->check && !handle->record && !handle->traced &&
           !win->threads && !win->remote_window;
}

/* Enters the window where forms other than the slow one find it. Returns 0, or -1 without memory.
 */
static int enter_forms(const struct proa_handle *handle, struct proa_win *win)
{
    const uintptr_t key = PROA_TABLE_KEY(handle->value);
    const int is_watched = handle->record || handle->traced || proa_settings()->check;

    win->ruled = (uint8_t)is_ruled(handle, win);
    if (win->ruled)
        return proa_table_set(&proa_ruled_handles, key, win);
    return is_watched ? 0 : proa_table_set(&proa_plain_handles, key, win);
}

int proa_handle_enter(struct proa_handle *handle, struct proa_win *win)
{
    uintptr_t key = PROA_TABLE_KEY(handle->value);

    if (proa_table_set(&proa_handles, key, win) != 0 || enter_forms(handle, win) != 0)
        return proa_fail(PROA_ERR_NO_MEM, "out of memory for the table of handles");
    proa_table_remove(&freed, key);
    handle->win = win;
    return PROA_OK;
}

void proa_handle_opened(struct proa_handle *handle)
{
    handle->open = 1;
    proa_atomic_fetch_add(&served, 1, PROA_RELAXED);
    proa_atomic_fetch_add(&alive, 1, PROA_RELAXED);
}

static void remove_pair(uintptr_t key, const struct proa_handle *handle)
{
    proa_table_remove_pair(&proa_handles, key, handle->win);
    proa_table_remove_pair(&proa_plain_handles, key, handle->win);
    proa_table_remove_pair(&proa_ruled_handles, key, handle->win);
}

/* Delete functions of the user run in the free and still find the window. The host may reuse its
 * handle as soon as it is freed, so the entry is removed only if it is still this window's. If a
 * delete function fails, MPICH keeps the window without its attributes; Open MPI frees it. */
static int shadow_free(struct proa_handle *handle)
{
    MPI_Win shadow = proa_atomic_load(&handle->shadow, PROA_ACQUIRE);
    uintptr_t key = PROA_TABLE_KEY(shadow);
    int error;

    if (handle->win && shadow == handle->value)
        proa_table_set(&freed, key, handle->win); /* any value but NULL */
    error = shadow_give_back(shadow);
    if (error != MPI_SUCCESS)
        proa_table_remove(&freed, key);
    else if (handle->win)
        remove_pair(key, handle);
    return error;
}

int proa_handle_free(struct proa_handle *handle)
{
    int error = proa_atomic_load(&handle->shadow, PROA_ACQUIRE) == MPI_WIN_NULL
                    ? MPI_SUCCESS
                    : shadow_free(handle);

    if (error != MPI_SUCCESS)
        return error;
    if (handle->win) {
        remove_pair(PROA_TABLE_KEY(handle->value), handle);
        proa_atomic_fetch_sub(&alive, handle->open, PROA_RELAXED);
    }
    if (handle->group != MPI_GROUP_NULL)
        proa_pmpi()->Group_free(&handle->group);
    proa_group_ranks_drop(&handle->accessed);
    proa_group_ranks_drop(&handle->exposed_to);
    free(handle);
    return MPI_SUCCESS;
}

int proa_handle_is_freed(MPI_Win handle)
{
    int (*is_light)(MPI_Win) = proa_host_kind()->is_light;

    return (proa_table_find(&freed, PROA_TABLE_KEY(handle)) || (is_light && is_light(handle))) &&
           !proa_win_find(handle);
}

void proa_handle_forget(MPI_Win handle)
{
    proa_table_remove(&freed, PROA_TABLE_KEY(handle));
    proa_table_remove(&proa_handles, PROA_TABLE_KEY(handle));
    proa_table_remove(&proa_plain_handles, PROA_TABLE_KEY(handle));
    proa_table_remove(&proa_ruled_handles, PROA_TABLE_KEY(handle));
}

/* The host calls back with the shadow's handle (bind/callbacks.c), so proa_win_find knows that
 * handle as well. If several threads call at once, one creates the shadow. */
MPI_Win proa_handle_shadow(struct proa_handle *handle)
{
    MPI_Win shadow = proa_atomic_load(&handle->shadow, PROA_ACQUIRE);

    if (shadow != MPI_WIN_NULL)
        return shadow;
    pthread_mutex_lock(&shadow_mutex);
    shadow = proa_atomic_load(&handle->shadow, PROA_RELAXED);
    if (shadow == MPI_WIN_NULL && (shadow = shadow_make()) != MPI_WIN_NULL) {
        proa_table_set(&proa_handles, PROA_TABLE_KEY(shadow), handle->win);
        proa_atomic_store(&handle->shadow, shadow, PROA_RELEASE);
    }
    pthread_mutex_unlock(&shadow_mutex);
    return shadow;
}

const char *proa_handle_name(const struct proa_handle *handle, char name[PROA_HANDLE_NAME_BYTES])
{
    MPI_Win shadow = proa_atomic_load(&handle->shadow, PROA_ACQUIRE);
    char whole[MPI_MAX_OBJECT_NAME] = "";
    int length;

    if (shadow != MPI_WIN_NULL)
        proa_pmpi()->Win_get_name(shadow, whole, &length);
    snprintf(name, PROA_HANDLE_NAME_BYTES, "%.*s", PROA_HANDLE_NAME_BYTES - 1, whole);
    return name;
}

/* ---- keyvals ---- */

static pthread_mutex_t probe_mutex = PTHREAD_MUTEX_INITIALIZER;
static MPI_Win probe = MPI_WIN_NULL;

/* Hosts raise an error for a wrong keyval on the window they are given, with their own text and, in
 * Open MPI, their own class. So the keyval is tried on a private window, which returns its errors.
 */
int proa_handle_takes_keyval(int keyval)
{
    int error = MPI_ERR_OTHER, found;
    void *value;

    if (keyval == MPI_KEYVAL_INVALID)
        return 0;
    pthread_mutex_lock(&probe_mutex);
    if (probe == MPI_WIN_NULL && (probe = shadow_make()) != MPI_WIN_NULL)
        proa_pmpi()->Win_set_errhandler(probe, MPI_ERRORS_RETURN);
    if (probe != MPI_WIN_NULL)
        error = proa_pmpi()->Win_get_attr(probe, keyval, &value, &found);
    pthread_mutex_unlock(&probe_mutex);
    return error == MPI_SUCCESS;
}

void proa_handle_end(void)
{
    if (probe != MPI_WIN_NULL)
        shadow_give_back(probe);
    probe = MPI_WIN_NULL;
}

long proa_handles_alive(void)
{
    return proa_atomic_load(&alive, PROA_RELAXED);
}

unsigned long proa_handle_count(void)
{
    return proa_atomic_load(&served, PROA_RELAXED);
}
