/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The few things that waiting asks of the system, behind a table, so that a test can put a
 * pretended clock and scheduler in their place (the way of Concurrency Kit's ck_ec_ops).
 */
#ifndef PROA_BASE_SYSTEM_H
#define PROA_BASE_SYSTEM_H

#include "base/hidden.h"

#include <stdint.h>

struct proa_system {
    /* A clock that only goes forward, in nanoseconds. */
    long (*now_ns)(void);
    /* Lets others of the same priority run. */
    void (*yield)(void);
    /* Sleeps for that long. */
    void (*rest)(long ns);
    /* Sleeps until the word is woken, for timeout_ns at most; not at all if it does not hold
     * `expected` any more. May return early. */
    void (*sleep)(uint32_t *word, uint32_t expected, long timeout_ns);
    /* Wakes all who sleep at the word. */
    void (*wake)(uint32_t *word);
    /* How often this thread has lost its processor to others so far. */
    long (*preempted)(void);
    /* Processor time that this thread has taken so far, in nanoseconds. */
    long (*ran_ns)(void);
};

/* Never NULL. Written by tests alone, before there is anybody to wait. */
extern PROA_HIDDEN const struct proa_system *proa_system;

#endif
