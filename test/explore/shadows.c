/* SPDX-License-Identifier: BSD-3-Clause */
/* Two threads need the host's window behind a light handle at once: one makes it
 * (host/handle.c). */
#include "explore.h"
#include "base/atomic.h"

#include <pthread.h>

static int lock_again(pthread_mutex_t *mutex);
static int unlock_again(pthread_mutex_t *mutex);
#undef pthread_mutex_lock
#undef pthread_mutex_unlock
#define pthread_mutex_lock lock_again
#define pthread_mutex_unlock unlock_again
#include "host/handle.c"

static struct shared {
    struct proa_handle handle;
    int windows; /* that the host has made */
    int made;    /* a word of the host's window */
} * s;

static _Thread_local int depth; /* of the recursive mutex */

static int lock_again(pthread_mutex_t *mutex)
{
    if (depth++ == 0)
        explore_lock(mutex);
    return 0;
}

static int unlock_again(pthread_mutex_t *mutex)
{
    if (--depth == 0)
        explore_unlock(mutex);
    return 0;
}

/* ---- the host ---- */

void proa_threads_host_begin(void)
{
}

void proa_threads_host_end(void)
{
}

static int host_make(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *made)
{
    (void)bytes, (void)unit, (void)info, (void)comm, (void)base;
    s->windows++;
    s->made = 1;
    *made = (MPI_Win)&s->made;
    return MPI_SUCCESS;
}

static int host_name(MPI_Win host_window, const char *name)
{
    (void)host_window, (void)name;
    return MPI_SUCCESS;
}

static const struct proa_pmpi functions = {.Win_allocate_shared = host_make,
                                           .Win_set_name = host_name};

/* ---- the scenario ---- */

static void prepare(void)
{
    proa_pmpi_filled = &functions;
    explore_share(&proa_handles, sizeof proa_handles);
    explore_share(&shadows, sizeof shadows);
}

static void setup(void)
{
    s = explore_new(sizeof *s, 64);
    s->handle.shadow = MPI_WIN_NULL;
    s->handle.win = (void *)s;
}

static void both(int thread)
{
    const MPI_Win shadow = proa_handle_shadow(&s->handle);

    (void)thread;
    explore_check(shadow == (MPI_Win)&s->made && s->made == 1);
}

static void one_is_made(void)
{
    explore_check(s->windows == 1);
}

const struct explore_scenario explore_shadows[] = {
    {.name = "shadows.both",
     .threads = 2,
     .prepare = prepare,
     .setup = setup,
     .body = both,
     .finish = one_is_made},
    {0},
};
