/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The system services that waits use, as a table of functions, so that a test can replace them by a
 * simulated clock and scheduler (as Concurrency Kit's ck_ec_ops).
 */
#ifndef PROA_BASE_SYSTEM_H
#define PROA_BASE_SYSTEM_H

#include "base/hidden.h"

#include <stdint.h>

struct proa_system {
    /* Reads a monotonic clock, in nanoseconds. */
    long (*now_ns)(void);
    /* Lets other threads of the same priority run. */
    void (*yield)(void);
    /* Sleeps. ns: duration, in nanoseconds. */
    void (*rest)(long ns);
    /* Sleeps on the futex word until woken. timeout_ns: longest sleep, in nanoseconds. Does not
     * sleep if the word no longer equals expected. May return early. */
    void (*sleep)(uint32_t *word, uint32_t expected, long timeout_ns);
    /* Wakes all threads that sleep on the word. */
    void (*wake)(uint32_t *word);
    /* Returns the number of preemptions of this thread so far. */
    long (*preempted)(void);
    /* Returns the processor time of this thread so far, in nanoseconds. */
    long (*ran_ns)(void);
    /* Returns the number of runnable threads of the machine; 0 if unknown. */
    int (*runnable)(void);
    /* Moves this process, a process group leader, into its own session if possible. */
    void (*leave_session)(void);
};

/* Never NULL. Only tests write it, before any thread waits. */
extern PROA_HIDDEN const struct proa_system *proa_system;

#endif
