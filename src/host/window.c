/* See window.h. */
#include "host/window.h"
#include "base/fail.h"
#include "base/settings.h"
#include "host/pmpi.h"
#include "host/start.h"

#include <stdlib.h>

struct proa_table proa_windows = PROA_TABLE_INIT;

/* Handles of the host's that were windows of ours, and are not now. */
static struct proa_table freed = PROA_TABLE_INIT;

static _Atomic unsigned long served;
static _Atomic long alive;
static _Atomic long shadows; /* alive */

static MPI_Win shadow_make(void)
{
    MPI_Win shadow = MPI_WIN_NULL;
    void *base;

    if (proa_pmpi()->Win_allocate_shared(1, 1, MPI_INFO_NULL, proa_private_comm(), &base, &shadow) != MPI_SUCCESS)
        return MPI_WIN_NULL;
    shadows++;
    return shadow;
}

#if defined(MPICH_VERSION)
/* MPICH's handles are numbers: 2 bits of kind, 4 of class (8: window), the rest. Kind 0 with a rest other than 0 is never given out, and is
 * refused by MPICH as an invalid window wherever it might get to. */
static MPI_Win light_handle(void)
{
    static _Atomic unsigned next = 1;
    MPI_Win handle;

    do
        handle = (MPI_Win)(0x20000000u | (next++ & 0x03ffffffu));
    while (handle == MPI_WIN_NULL || proa_win_find(handle));
    return handle;
}

static int wants_light(void)
{
    return shadows >= proa_settings()->host_windows;
}
#else
static MPI_Win light_handle(void)
{
    return MPI_WIN_NULL;
}

static int wants_light(void)
{
    return 0;
}
#endif

int proa_window_new(MPI_Comm comm, struct proa_window **result)
{
    struct proa_window *window = *result = calloc(1, sizeof *window);
    int light = wants_light();

    if (!window)
        return proa_fail(PROA_ERR_NO_MEM, "no memory for the window's handle");
    window->group = MPI_GROUP_NULL;
    window->shadow = light ? MPI_WIN_NULL : shadow_make();
    window->handle = light ? light_handle() : window->shadow;
    if (window->handle != MPI_WIN_NULL && proa_pmpi()->Comm_group(comm, &window->group) == MPI_SUCCESS)
        return PROA_OK;
    proa_window_free(window);
    *result = NULL;
    return proa_fail(PROA_ELSEWHERE, "the host MPI gives no window for a handle");
}

int proa_window_enter(struct proa_window *window, struct proa_win *win)
{
    if (proa_table_set(&proa_windows, PROA_TABLE_KEY(window->handle), win) != 0)
        return proa_fail(PROA_ERR_NO_MEM, "no memory to enter the window's handle");
    proa_table_remove(&freed, PROA_TABLE_KEY(window->handle));
    window->win = win;
    return PROA_OK;
}

void proa_window_opened(struct proa_window *window)
{
    window->open = 1;
    served++;
    alive++;
}

/* Delete functions of the user's run in here and still find the window. The host may give its handle out again as soon as it is freed: the
 * entry goes only if it is still this window's. */
static int shadow_free(struct proa_window *window)
{
    uintptr_t key = PROA_TABLE_KEY(window->shadow);
    int error;

    if (window->win && window->shadow == window->handle)
        proa_table_set(&freed, key, window->win); /* any value but NULL */
    error = proa_pmpi()->Win_free(&window->shadow);
    shadows--;
    if (window->win)
        proa_table_remove_pair(&proa_windows, key, window->win);
    return error;
}

int proa_window_free(struct proa_window *window)
{
    int error = window->shadow == MPI_WIN_NULL ? MPI_SUCCESS : shadow_free(window);

    if (window->win) {
        proa_table_remove_pair(&proa_windows, PROA_TABLE_KEY(window->handle), window->win);
        alive -= window->open;
    }
    if (window->group != MPI_GROUP_NULL)
        proa_pmpi()->Group_free(&window->group);
    free(window);
    return error;
}

int proa_window_is_freed(MPI_Win handle)
{
    return proa_table_find(&freed, PROA_TABLE_KEY(handle)) && !proa_win_find(handle);
}

void proa_window_forget(MPI_Win handle)
{
    proa_table_remove(&freed, PROA_TABLE_KEY(handle));
    proa_table_remove(&proa_windows, PROA_TABLE_KEY(handle));
}

/* MPICH calls back with the shadow's handle (bind/callbacks.c): it is known to proa_win_find as well. */
MPI_Win proa_window_shadow(struct proa_window *window)
{
    if (window->shadow == MPI_WIN_NULL) {
        window->shadow = shadow_make();
        if (window->shadow != MPI_WIN_NULL)
            proa_table_set(&proa_windows, PROA_TABLE_KEY(window->shadow), window->win);
    }
    return window->shadow;
}

/* ---- keyvals ---- */

static pthread_mutex_t probe_mutex = PTHREAD_MUTEX_INITIALIZER;
static MPI_Win probe = MPI_WIN_NULL;

/* Hosts raise a wrong keyval on the window that they were given, with words and, Open MPI, a class of their own. So it is tried on a window
 * that nobody else sees, which returns its errors. */
int proa_window_takes_keyval(int keyval)
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

void proa_window_end(void)
{
    if (probe == MPI_WIN_NULL)
        return;
    proa_pmpi()->Win_free(&probe);
    shadows--;
}

long proa_windows_alive(void)
{
    return alive;
}

unsigned long proa_window_count(void)
{
    return served;
}
