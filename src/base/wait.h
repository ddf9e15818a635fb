/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting: every wait of Proa, whatever for, is proa_wait().
 *
 * The waiter spins as long as nobody else wants the processor; else it lets other processes run and
 * moves the host's own messages, then sleeps on a bell with a time-out that grows to 1 ms, and
 * further as the wait lasts, moving the host's messages at each wake-up (DESIGN: Waiting). Whoever
 * makes the awaited condition true stores it first and rings the bell after that.
 */
#ifndef PROA_BASE_WAIT_H
#define PROA_BASE_WAIT_H

#include "base/membar.h"

#include <stdint.h>

/* A bell lies in shared memory, on a cache line of its own. sleeper: who waits in the kernel, and
 * for what, written by who does and taken back by who rings; 0: nobody. rings: the futex word,
 * written by ringers. All zero is a fresh bell. */
struct proa_bell {
    uint64_t sleeper __attribute__((aligned(64)));
    uint32_t rings;
};

/* Returns non-zero once what is waited for has come; called often, by the waiting thread, must not
 * block. Its loads acquire. */
typedef int proa_ready(void *arg);

/* Returns once ready(arg) is true. bell: rung by whoever changes what ready looks at; NULL: nobody
 * rings, so a sleeper looks again and again. */
void proa_wait(proa_ready *ready, void *arg, struct proa_bell *bell);

/* The same, given up once over(over_arg) is true: 1; 0: it is ready. over is called in the slow
 * part of the wait only, behind its first looks, once a turn or a sleep; it must not block. An
 * event of the same moment counts: the caller looks once more. */
int proa_wait_unless(proa_ready *ready, void *arg, struct proa_bell *bell, proa_ready *over,
                     void *over_arg);
int proa_wait_count_unless(const uint64_t *word, uint64_t least, struct proa_bell *bell,
                           proa_ready *over, void *over_arg) PROA_HOT;

void proa_wait_count_slowly(const uint64_t *word, uint64_t least, struct proa_bell *bell) PROA_HOT;

/* Returns once a count that only grows is at least `least`. Its load acquires; partner: the store
 * of whoever counts. */
static inline void proa_wait_count(const uint64_t *word, uint64_t least, struct proa_bell *bell)
{
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) < least)
        proa_wait_count_slowly(word, least, bell);
}

/* Who is told of waits that have had to wait: word is what was waited for, NULL where that is more
 * than a count; ns, how long. Set before the first wait, or never. */
typedef void proa_wait_watcher(const uint64_t *word, long ns);
void proa_wait_set_watcher(proa_wait_watcher *watcher);

/* Nobody is told of the waits of this thread. */
void proa_wait_unwatched(void);

/* The same, for what another thread, that does not wait itself, gives back soon, by a thread in the
 * middle of something: nothing is driven meanwhile. */
void proa_wait_still(proa_ready *ready, void *arg, struct proa_bell *bell);

/* How calls that wait or test move the network; several threads may call each at once.
 *   drive    between two looks of a wait; may leave it to another thread that is at it
 *   take_in  in a call that tests: returns once all that had come before has been looked at
 *   rest     a thread goes to sleep: from now on the progress thread moves the network */
struct proa_wait_driver {
    void (*drive)(void);
    void (*take_in)(void);
    void (*rest)(void);
};

/* driver: valid until the next one is set; NULL: there is no network (any more). */
void proa_wait_set_driver(const struct proa_wait_driver *driver);

/* Wakes all sleepers of a bell; the second, if any sleeps for that word. Use proa_bell_ring. */
void proa_bell_wake(struct proa_bell *bell);
void proa_bell_wake_for(struct proa_bell *bell, const uint64_t *word);

/* Called after the store (release) that makes a condition true. The light fence pairs with the
 * heavy one of a waiter that sleeps for longer than once. */
static inline void proa_bell_ring(struct proa_bell *bell)
{
    proa_membar_ring();
    if (__builtin_expect(__atomic_load_n(&bell->sleeper, __ATOMIC_RELAXED) != 0, 0))
        proa_bell_wake(bell);
}

/* The same, where the store was to a word that this bell's owner waits for by proa_wait_count. Who
 * waits for another word goes on sleeping. */
static inline void proa_bell_ring_for(struct proa_bell *bell, const uint64_t *word)
{
    proa_membar_ring();
    if (__builtin_expect(__atomic_load_n(&bell->sleeper, __ATOMIC_RELAXED) != 0, 0))
        proa_bell_wake_for(bell, word);
}

/* For who sleeps without proa_wait: announces that, for what is told by this word (NULL: for
 * anything), before its last look and its sleep, which is to be at this count of rings. Not 0: was
 * not announced before. And the end of it. */
int proa_bell_announce(struct proa_bell *bell, const uint64_t *word, uint32_t *rings);
void proa_bell_leave(struct proa_bell *bell, const uint64_t *word);

/* For calls that test and return (MPI_Win_test), before their last look: takes in the network's
 * events, moves the host's messages once and, where processors are short, lets another process
 * run. */
void proa_wait_idle(void);

/* processes, processors: how many share this node. More processes than processors: no spinning,
 * yields at once. */
void proa_wait_set_load(int processes, int processors);
int proa_wait_is_crowded(void);

/* Gives the processor up once. Has it let anybody run? */
int proa_wait_yield(void);

#endif
