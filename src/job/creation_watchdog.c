/* SPDX-License-Identifier: BSD-3-Clause */
/* See creation_watchdog.h. */
#include "job/creation_watchdog.h"
#include "base/log.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

enum { PATIENCE_S = 10 };

static void *watch(void *arg)
{
    struct proa_creation_watchdog *patience = arg;
    struct timespec until;
    int error = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PATIENCE_S;
    pthread_mutex_lock(&patience->mutex);
    while (!patience->is_over && error != ETIMEDOUT)
        error = pthread_cond_timedwait(&patience->over, &patience->mutex, &until);
    if (!patience->is_over)
        proa_log(PROA_LOG_WARN,
                 "creating a window has waited %d s for the other ranks: does one of them run "
                 "without Proa?",
                 PATIENCE_S);
    pthread_mutex_unlock(&patience->mutex);
    return NULL;
}

void proa_creation_watchdog_begin(struct proa_creation_watchdog *patience)
{
    pthread_condattr_t clock;
    sigset_t all, before;

    patience->is_over = 0;
    pthread_mutex_init(&patience->mutex, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&patience->over, &clock);
    pthread_condattr_destroy(&clock);
    /* The program's signals are for its own threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    patience->is_watched = pthread_create(&patience->thread, NULL, watch, patience) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void proa_creation_watchdog_end(struct proa_creation_watchdog *patience)
{
    pthread_mutex_lock(&patience->mutex);
    patience->is_over = 1;
    pthread_cond_signal(&patience->over);
    pthread_mutex_unlock(&patience->mutex);
    if (patience->is_watched)
        pthread_join(patience->thread, NULL);
    pthread_cond_destroy(&patience->over);
    pthread_mutex_destroy(&patience->mutex);
}
