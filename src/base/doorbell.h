/* SPDX-License-Identifier: BSD-3-Clause */
/* Doorbells: futexes in shared memory on which processes sleep. To ring a doorbell is to wake its
 * sleepers. */
#ifndef PROA_BASE_DOORBELL_H
#define PROA_BASE_DOORBELL_H

#include "base/atomic.h"
#include "base/line.h"
#include "base/membar.h"

#include <stddef.h>
#include <stdint.h>

/* A doorbell lies in shared memory, on a cache line of its own. sleeper: the thread that waits in
 * the kernel and the word it waits for, written by the waiter and cleared by the ringer; 0 if no
 * thread waits. rings: the futex word, written by ringers. A new doorbell is all zero. */
struct proa_doorbell {
    uint64_t sleeper PROA_ALIGNED_LINE;
    uint32_t rings;
};

/* Wakes all sleepers of a doorbell. word: the word stored to, to wake them only if one waits for it
 * or for any word; NULL for any word. Callers use proa_doorbell_ring and proa_doorbell_ring_for. */
void proa_doorbell_wake(struct proa_doorbell *bell, const uint64_t *word);

/* Wakes a sleeper that has announced itself. For the functions below only. */
static inline void proa_doorbell_look(struct proa_doorbell *bell, const uint64_t *word)
{
    if (__builtin_expect(proa_atomic_load(&bell->sleeper, PROA_RELAXED) != 0, 0))
        proa_doorbell_wake(bell, word);
}

/* Rings the doorbell after the store (release) that makes a condition true. The store was to a word
 * that the doorbell's owner awaits by proa_wait_count_unless. A waiter for another word is not
 * woken. The light fence pairs with the heavy one of a waiter that sleeps more than once. */
static inline void proa_doorbell_ring_for(struct proa_doorbell *bell, const uint64_t *word)
{
    proa_membar_ring();
    proa_doorbell_look(bell, word);
}

/* The same immediately after an atomic read-modify-write (release) of that word. */
static inline void proa_doorbell_ring_for_atomic(struct proa_doorbell *bell, const uint64_t *word)
{
    proa_membar_ring_behind_atomic();
    proa_doorbell_look(bell, word);
}

/* The same for waiters on any word. */
static inline void proa_doorbell_ring(struct proa_doorbell *bell)
{
    proa_doorbell_ring_for(bell, NULL);
}

/* For a thread that sleeps without proa_wait. proa_doorbell_announce announces that the thread
 * sleeps for this word; NULL for any event. The thread calls it before its last check of the
 * condition. Its sleep must expect the value in *rings. Returns non-zero if the thread was not
 * announced before. proa_doorbell_leave withdraws the announcement. */
int proa_doorbell_announce(struct proa_doorbell *bell, const uint64_t *word, uint32_t *rings);
void proa_doorbell_leave(struct proa_doorbell *bell, const uint64_t *word);

#endif
