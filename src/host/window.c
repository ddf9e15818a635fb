/* See window.h. */
#include "host/window.h"
#include "base/settings.h"
#include "host/pmpi.h"
#include "host/start.h"

#include <stdlib.h>

struct proa_table proa_windows = PROA_TABLE_INIT;

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

struct proa_window *proa_window_new(void)
{
    struct proa_window *window = calloc(1, sizeof *window);
    int light = wants_light();

    if (!window)
        return NULL;
    window->group = MPI_GROUP_NULL;
    window->shadow = light ? MPI_WIN_NULL : shadow_make();
    window->handle = light ? light_handle() : window->shadow;
    if (window->handle == MPI_WIN_NULL) {
        free(window);
        return NULL;
    }
    return window;
}

int proa_window_enter(struct proa_window *window, struct proa_win *win)
{
    win->user = window;
    if (proa_table_set(&proa_windows, PROA_TABLE_KEY(window->handle), win) != 0)
        return -1;
    window->win = win;
    served++;
    alive++;
    return 0;
}

/* The entry goes before the shadow: the host may give the same handle out again at once. */
int proa_window_free(struct proa_window *window)
{
    int error = MPI_SUCCESS;

    if (window->win) {
        proa_table_remove(&proa_windows, PROA_TABLE_KEY(window->handle));
        alive--;
    }
    if (window->shadow != MPI_WIN_NULL) {
        if (window->win && window->shadow != window->handle)
            proa_table_remove(&proa_windows, PROA_TABLE_KEY(window->shadow));
        error = proa_pmpi()->Win_free(&window->shadow);
        shadows--;
    }
    if (window->group != MPI_GROUP_NULL)
        proa_pmpi()->Group_free(&window->group);
    free(window);
    return error;
}

/* Callbacks of the user get the shadow's handle: it is known to proa_win_find as well. */
MPI_Win proa_window_shadow(struct proa_window *window)
{
    if (window->shadow == MPI_WIN_NULL) {
        window->shadow = shadow_make();
        if (window->shadow != MPI_WIN_NULL)
            proa_table_set(&proa_windows, PROA_TABLE_KEY(window->shadow), window->win);
    }
    return window->shadow;
}

long proa_windows_alive(void)
{
    return alive;
}

unsigned long proa_window_count(void)
{
    return served;
}
