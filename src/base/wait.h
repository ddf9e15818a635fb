/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting: every wait of Proa is one loop (wait.c), which reads one of three profiles.
 *
 *   dedicated        a processor for each process: spins as long as no other thread wants it
 *   oversubscribed   more processes than processors: does not spin, and yields
 *   networked        the process has windows that span nodes: spins and drives the network
 *
 * Then the waiter lets the host make progress, and sleeps on a doorbell (base/doorbell.h). The
 * time-out grows to 1 ms, and further as the wait lasts; the host makes progress at each wake-up
 * (DESIGN: Waiting). The thread that makes the awaited condition true stores it first and rings the
 * doorbell after that.
 */
#ifndef PROA_BASE_WAIT_H
#define PROA_BASE_WAIT_H

#include "base/atomic.h"
#include "base/doorbell.h"
#include "base/hidden.h"

#include <stdint.h>

/* Returns non-zero once the awaited event has come. The waiting thread calls it often; it must not
 * block. Its loads acquire. */
typedef int proa_ready(void *arg);

/* Returns once ready(arg) is true. doorbell: rung by the thread that changes the state that ready
 * looks at. NULL: no thread rings, so a sleeper looks again and again. */
void proa_wait(proa_ready *ready, void *arg, struct proa_doorbell *bell);

/* As proa_wait, but given up once over(over_arg) is true. Returns 1 if given up, 0 if ready. over
 * is called only in the slow part of the wait, behind its first looks, once a turn or a sleep; it
 * must not block. An event of the same moment counts: the caller looks once more. */
int proa_wait_unless(proa_ready *ready, void *arg, struct proa_doorbell *bell, proa_ready *over,
                     void *over_arg);

/* The same for a count that only grows: returns once it is at least `least`. Acquires; partner: the
 * store of the thread that counts. over == NULL: the wait is never given up. */
int proa_wait_count_unless(const uint64_t *word, uint64_t least, struct proa_doorbell *bell,
                           proa_ready *over, void *over_arg) PROA_HOT;

/* ---- the first looks ---- */

/* How many looks at its word a wait for a count begins with. 0: a network, other processes or a
 * watcher come first. Each wait that they did not satisfy finds out, for those that follow. */
extern PROA_HIDDEN int proa_wait_looks;

static inline void proa_wait_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("isb");
#endif
}

/* The beginning of a wait for a count, before proa_wait_count_unless: 1 if the count has come.
 * Apart from the rest of the wait, whose functions take longer to return than a neighbour to
 * answer. per_pause, a constant: how many looks there are to a pause. */
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

/* The watcher, called after each wait that was not satisfied at once. word: the count waited for,
 * NULL if the condition is more than a count; ns: how long the wait took. Called in long waits as
 * well, with ns < 0. Set before the first wait, or never. */
typedef void proa_wait_watcher(const uint64_t *word, long ns);
void proa_wait_set_watcher(proa_wait_watcher *watcher);

/* The watcher is not called for waits of this thread. */
void proa_wait_unwatched(void);

/* A word of this thread's that is odd while it is in a wait that is not over soon: for check mode,
 * which looks at it from another thread. NULL: there is none. */
extern PROA_HIDDEN _Thread_local uint64_t *proa_wait_mark PROA_INITIAL_EXEC;

/* As proa_wait, for a thread in the middle of an operation. It waits for something that another
 * thread, which does not wait itself, gives back soon. The network is not driven meanwhile. */
void proa_wait_still(proa_ready *ready, void *arg, struct proa_doorbell *bell);

/* How calls that wait or test move the network; several threads may call each function at once.
 *   drive    between two looks of a wait; may leave it to another thread that is already driving
 *   take_in  in a call that tests: returns once all events that had come before have been looked at
 *   rest     a thread goes to sleep: from now on the progress thread moves the network */
struct proa_wait_driver {
    void (*drive)(void);
    void (*take_in)(void);
    void (*rest)(void);
};

/* driver: valid until the next one is set; NULL: there is no network, or none any more. */
void proa_wait_set_driver(const struct proa_wait_driver *driver);

/* Drives the network once, if there is one and this thread may. */
void proa_wait_drive(void);

/* For calls that test and return (MPI_Win_test), before their last look: takes in the network's
 * events, moves the host's messages, and lets another process run where processors are short. */
void proa_wait_idle(void);

#endif
