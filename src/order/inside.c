/* SPDX-License-Identifier: BSD-3-Clause */
/* See inside.h. */
#include "order/inside.h"
#include "base/atomic.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_single;
static int is_inside; /* for handlers of signals */

void proa_inside_begin(int threads)
{
    is_single = !threads;
}

int proa_inside_is_single(void)
{
    return is_single;
}

void proa_inside_enter(void)
{
    if (!is_single)
        pthread_mutex_lock(&mutex);
    proa_atomic_store(&is_inside, 1, PROA_RELAXED);
}

int proa_inside_try(void)
{
    if (is_single ? proa_atomic_load(&is_inside, PROA_RELAXED) : pthread_mutex_trylock(&mutex) != 0)
        return 0;
    proa_atomic_store(&is_inside, 1, PROA_RELAXED);
    return 1;
}

void proa_inside_leave(void)
{
    proa_atomic_store(&is_inside, 0, PROA_RELAXED);
    if (!is_single)
        pthread_mutex_unlock(&mutex);
}
