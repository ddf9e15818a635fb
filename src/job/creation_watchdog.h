/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs a line when this process waits very long for others. A separate thread does so, as the wait
 * itself is inside the host. */
#ifndef PROA_JOB_CREATION_WATCHDOG_H
#define PROA_JOB_CREATION_WATCHDOG_H

#include <pthread.h>

struct proa_creation_watchdog {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t over;
    int is_over, is_watched;
};

/* From here on. Without a thread to be had there is no line. */
void proa_creation_watchdog_begin(struct proa_creation_watchdog *patience);

/* To here: the wait is over. */
void proa_creation_watchdog_end(struct proa_creation_watchdog *patience);

#endif
