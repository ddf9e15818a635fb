/* SPDX-License-Identifier: BSD-3-Clause */
/* See inside.h. */
#include "order/inside.h"

#include <pthread.h>

struct proa_inside proa_inside;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void proa_inside_begin(int threads)
{
    proa_inside.single = !threads;
}

void proa_inside_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void proa_inside_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

int proa_inside_try(void)
{
    if (proa_inside.single ? proa_atomic_load(&proa_inside.is_entered, PROA_RELAXED)
                           : pthread_mutex_trylock(&mutex) != 0)
        return 0;
    proa_atomic_store(&proa_inside.is_entered, 1, PROA_RELAXED);
    return 1;
}
