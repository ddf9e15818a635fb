/* SPDX-License-Identifier: BSD-3-Clause */
/* The progress engine, with what the simulator has to know of it. There is no progress thread: the
 * simulator calls these in its place. */
#include <pthread.h>

int simulate_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                    void *arg);
#define pthread_create simulate_thread
#include "../../src/progress/progress.c"

#include "simulate.h"

/* As move_and_doze. Returns whether there is work for another call soon. */
int simulate_progress(void)
{
    proa_progress_enter();
    (void)proa_progress_step();
    proa_progress_leave();
    return simulate_rest();
}

/* A call of the program's is over, or waits: the progress thread dozes. */
int simulate_rest(void)
{
    dozes = !is_pending;
    return is_pending;
}
