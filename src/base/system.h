/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few services that waiting needs of the system, behind a table, so that a test can put a
 * simulated clock and scheduler in their place (the way of Concurrency Kit's ck_ec_ops).
 */
#ifndef PROA_BASE_SYSTEM_H
#define PROA_BASE_SYSTEM_H

#include "base/hidden.h"

#include <stdint.h>

struct proa_system {
    /* A clock that only goes forward, in nanoseconds. */
    long (*now_ns)(void);
    /* Lets other threads of the same priority run. */
    void (*yield)(void);
    /* Sleeps for that long. */
    void (*rest)(long ns);
    /* Sleeps until the word is woken, for timeout_ns at most. Does not sleep if the word no longer
     * holds `expected`. May return early. */
    void (*sleep)(uint32_t *word, uint32_t expected, long timeout_ns);
    /* Wakes all threads that sleep at the word. */
    void (*wake)(uint32_t *word);
    /* How often this thread has lost its processor to other threads so far. */
    long (*preempted)(void);
    /* Processor time that this thread has used so far, in nanoseconds. */
    long (*ran_ns)(void);
    /* How many threads of the machine run or want to; 0: unknown. */
    int (*runnable)(void);
    /* Gives this process, which leads a process group, a session of its own, if it can. */
    void (*leave_session)(void);
};

/* Never NULL. Only tests write it, before any thread waits. */
extern PROA_HIDDEN const struct proa_system *proa_system;

#endif
