/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock of check mode: one thread at a time works on accesses and clocks. */
#ifndef PROA_ORDER_INSIDE_H
#define PROA_ORDER_INSIDE_H

#include "base/atomic.h"
#include "base/hidden.h"

/* Starts. threads: true if several threads may call at once, which is the initial assumption.
 * Otherwise a flag is enough. */
void proa_inside_begin(int threads);

/* single: one thread calls at a time. is_entered: flag for signal handlers. */
struct proa_inside {
    int single, is_entered;
};
extern PROA_HIDDEN struct proa_inside proa_inside;

static inline int proa_inside_is_single(void)
{
    return proa_inside.single;
}

void proa_inside_lock(void);
void proa_inside_unlock(void);

/* Excludes other threads. proa_inside_try is for signal handlers: it returns 0 if another thread,
 * or the interrupted code, is inside. */
int proa_inside_try(void);

static inline void proa_inside_enter(void)
{
    if (!proa_inside.single)
        proa_inside_lock();
    proa_atomic_store(&proa_inside.is_entered, 1, PROA_RELAXED);
}

static inline void proa_inside_leave(void)
{
    proa_atomic_store(&proa_inside.is_entered, 0, PROA_RELAXED);
    if (!proa_inside.single)
        proa_inside_unlock();
}

#endif
