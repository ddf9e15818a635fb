/* SPDX-License-Identifier: BSD-3-Clause */
/* Bells (doorbells): futexes in shared memory on which processes sleep until they are rung. */
#ifndef PROA_BASE_DOORBELL_H
#define PROA_BASE_DOORBELL_H

#include "base/atomic.h"
#include "base/line.h"
#include "base/membar.h"

#include <stddef.h>
#include <stdint.h>

/* A doorbell lies in shared memory, on a cache line of its own. sleeper: the thread that
 * waits in the kernel, and the word it waits for, written by the waiter and cleared by the ringer;
 * 0: no thread waits. rings: the futex word, written by ringers. All zero is a fresh doorbell. */
struct proa_doorbell {
    uint64_t sleeper PROA_ALIGNED_LINE;
    uint32_t rings;
};

/* Wakes all sleepers of a doorbell; with a word only if one sleeps for that word, or for anything.
 * Use proa_doorbell_ring and proa_doorbell_ring_for. */
void proa_doorbell_wake(struct proa_doorbell *bell, const uint64_t *word);

/* Wakes a sleeper that has announced itself. For the functions below only. */
static inline void proa_doorbell_look(struct proa_doorbell *bell, const uint64_t *word)
{
    if (__builtin_expect(proa_atomic_load(&bell->sleeper, PROA_RELAXED) != 0, 0))
        proa_doorbell_wake(bell, word);
}

/* Called after the store (release) that makes a condition true. The store was to a word that the
 * doorbell's owner waits for by proa_wait_count_unless: a waiter for another word goes on sleeping.
 * The light fence pairs with the heavy one of a waiter that sleeps more than once. */
static inline void proa_doorbell_ring_for(struct proa_doorbell *bell, const uint64_t *word)
{
    proa_membar_ring();
    proa_doorbell_look(bell, word);
}

/* The same straight after an atomic read-modify-write (release) of that word. */
static inline void proa_doorbell_ring_for_atomic(struct proa_doorbell *bell, const uint64_t *word)
{
    proa_membar_ring_behind_atomic();
    proa_doorbell_look(bell, word);
}

/* The same for every waiter. */
static inline void proa_doorbell_ring(struct proa_doorbell *bell)
{
    proa_doorbell_ring_for(bell, NULL);
}

/* For a thread that sleeps without proa_wait. proa_doorbell_announce announces that it sleeps for
 * this word (NULL: for anything). The thread calls it before its last look and its sleep, which
 * must be at this count of rings. Non-zero: it was not announced before. proa_doorbell_leave ends
 * the announcement. */
int proa_doorbell_announce(struct proa_doorbell *bell, const uint64_t *word, uint32_t *rings);
void proa_doorbell_leave(struct proa_doorbell *bell, const uint64_t *word);

#endif
