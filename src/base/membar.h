/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory fences between processes, cheap on the frequent side.
 *
 * Pattern (Dekker): A stores x, then loads y; B stores y, then loads x; at least one must see the
 * other's store. Usually each side needs a full fence between its store and its load. Where A is
 * frequent and B rare, A issues proa_membar_light() (a compiler barrier) and B proa_membar_heavy()
 * (membarrier(2), which makes every running thread of the registered processes execute a full
 * fence). If the kernel lacks that call, the light side becomes a full fence as well in every
 * process of the node; see proa_membar_weaken().
 *
 * Used by: doorbells (ringer light, sleeper heavy) and accumulate modes (single-element operation
 * light, switch to stripes heavy).
 */
#ifndef PROA_BASE_MEMBAR_H
#define PROA_BASE_MEMBAR_H

#include "base/atomic.h"
#include "base/hidden.h"

/* read often; written at start and by proa_membar_weaken */
extern PROA_HIDDEN int proa_membar_light_is_full;

extern PROA_HIDDEN int proa_membar_rings_are_full; /* the same; also written by
                                                    * proa_membar_set_rings */

/* Registers this process and issues a first heavy fence. Returns 1 if the light side may be a
 * compiler barrier, else 0. */
int proa_membar_start(void);

/* From now on this process issues full fences on the light side too. Called when this process
 * attaches a neighbour that lacks membarrier. */
void proa_membar_weaken(void);

/* full: 1 to make proa_membar_ring(), the light side of doorbells, a full fence as well. With more
 * processes than processors some process nearly always sleeps, and a heavy fence for each sleep
 * would cost more. */
void proa_membar_set_rings(int full);

/* The rare side (heavy). */
void proa_membar_heavy(void);

/* A full fence of this processor alone. It is cheaper than the mfence that compilers emit for
 * proa_atomic_fence(PROA_SEQ_CST). */
static inline void proa_membar_full(void)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    __asm__ __volatile__("lock; addl $0,-64(%%rsp)" ::: "memory", "cc");
#elif defined(__SANITIZE_THREAD__)
    static int dummy;
    proa_atomic_fetch_add(&dummy, 0, PROA_SEQ_CST);
#else
    proa_atomic_fence(PROA_SEQ_CST);
#endif
}

/* The frequent side (light). */
static inline void proa_membar_light(void)
{
    if (__builtin_expect(proa_membar_light_is_full, 0))
        proa_membar_full();
    else
        proa_atomic_compiler_fence();
}

static inline void proa_membar_ring(void)
{
    if (__builtin_expect(proa_membar_rings_are_full, 0))
        proa_membar_full();
    else
        proa_atomic_compiler_fence();
}

/* The same immediately after an atomic read-modify-write of this thread, which is a full fence on
 * x86 with any memory order. */
static inline void proa_membar_ring_behind_atomic(void)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    proa_atomic_compiler_fence();
#else
    proa_membar_ring();
#endif
}

#endif
