/* SPDX-License-Identifier: BSD-3-Clause */
/* The lock of check mode: one thread at a time works on accesses and clocks. */
#ifndef PROA_ORDER_INSIDE_H
#define PROA_ORDER_INSIDE_H

#include "base/atomic.h"
#include "base/hidden.h"

/* threads: several may call at once, as is assumed before. If not, a flag is enough. */
void proa_inside_begin(int threads);

/* single: one thread calls at a time; is_entered: for handlers of signals. */
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

/* Excludes other threads. try: for handlers of signals; 0: another thread, or the code that the
 * signal has interrupted, is inside. */
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
