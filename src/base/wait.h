/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting: every wait of Proa is one loop (wait.c), which follows one of three profiles.
 *
 *   dedicated        a processor for each process: spins as long as no other thread wants it
 *   oversubscribed   more processes than processors: does not spin, and yields
 *   networked        the process has windows that span nodes: spins and drives the network
 *
 * Then the waiter lets the host make progress, and sleeps on a doorbell (base/doorbell.h). The
 * timeout grows to 1 ms, and further as the wait lasts; the host makes progress at each wake-up
 * (DESIGN: Waiting). The thread that makes the awaited condition true stores it first and rings the
 * doorbell after that.
 */
#ifndef PROA_BASE_WAIT_H
#define PROA_BASE_WAIT_H

#include "base/atomic.h"
#include "base/doorbell.h"
#include "base/hidden.h"

#include <stdint.h>

/* Returns non-zero once the awaited event has occurred. The waiting thread calls it often. It must
 * not block. Its loads acquire. */
typedef int proa_ready(void *arg);

/* Returns once ready(arg) is true. bell: doorbell rung by the thread that changes the state that
 * ready reads; NULL if no thread rings, so that a sleeper checks repeatedly. */
void proa_wait(proa_ready *ready, void *arg, struct proa_doorbell *bell);

/* As proa_wait, but given up once over(over_arg) is true. Returns 1 if given up, 0 if ready. over
 * is called only in the slow part of the wait, after its first checks, once a turn or a sleep. It
 * must not block. The event may occur at the same moment, so the caller checks once more. */
int proa_wait_unless(proa_ready *ready, void *arg, struct proa_doorbell *bell, proa_ready *over,
                     void *over_arg);

/* The same for a count that only grows: returns once it is at least `least`. Acquires; partner: the
 * store of the thread that counts. over: NULL if the wait is never given up. */
int proa_wait_count_unless(const uint64_t *word, uint64_t least, struct proa_doorbell *bell,
                           proa_ready *over, void *over_arg) PROA_HOT;

/* ---- the first checks ---- */

/* The number of checks of its word that a wait for a count begins with; 0 if the network, other
 * processes or a watcher take precedence. Each wait that these checks do not satisfy updates the
 * number. */
extern PROA_HIDDEN int proa_wait_looks;

static inline void proa_wait_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

/* The beginning of a wait for a count, before proa_wait_count_unless. Returns 1 if the count is
 * reached. It is separate from the rest of the wait, whose functions take longer to return than a
 * neighbour to answer. per_pause: checks per pause, a constant. */
static inline int proa_wait_first_looks(const uint64_t *word, uint64_t least, int per_pause)
{
    for (int left = proa_atomic_load(&proa_wait_looks, PROA_RELAXED); left > 0; left--) {
        if (proa_atomic_load(word, PROA_ACQUIRE) >= least)
            return 1;
        if (left % per_pause == 0)
            proa_wait_pause();
    }
    return 0;
}

/* ---- the watcher and the network ---- */

/* The watcher, called after each wait that was not satisfied at once. word: the awaited count; NULL
 * if the condition is not a single count. ns: duration of the wait, in nanoseconds. Also called
 * during long waits, with ns < 0. Set before the first wait, or never. */
typedef void proa_wait_watcher(const uint64_t *word, long ns);
void proa_wait_set_watcher(proa_wait_watcher *watcher);

/* From now on the watcher is not called for waits of this thread. */
void proa_wait_unwatched(void);

/* A word of this thread that is odd during a long wait; NULL if there is none. Check mode reads it
 * from another thread. */
extern PROA_HIDDEN _Thread_local uint64_t *proa_wait_mark PROA_INITIAL_EXEC;

/* As proa_wait, for a thread in the middle of an operation. Another thread holds the awaited
 * resource, does not wait itself, and releases it soon. The network is not driven meanwhile. */
void proa_wait_still(proa_ready *ready, void *arg, struct proa_doorbell *bell);

/* Functions by which calls that wait or test move the network. Several threads may call each
 * function at once.
 *   drive    between two checks of a wait; may leave it to another thread that is already driving
 *   take_in  in a call that tests: returns once all events that occurred before are processed
 *   rest     before a thread sleeps: from now on the progress thread moves the network */
struct proa_wait_driver {
    void (*drive)(void);
    void (*take_in)(void);
    void (*rest)(void);
};

/* driver: valid until the next one is set; NULL if there is no network, or none any more. */
void proa_wait_set_driver(const struct proa_wait_driver *driver);

/* Drives the network once, if there is one and this thread may. */
void proa_wait_drive(void);

/* For calls that test and return (MPI_Win_test), before their last check. It processes the
 * network's events, moves the host's messages, and lets another process run if oversubscribed. */
void proa_wait_idle(void);

#endif
