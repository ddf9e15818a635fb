/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a simulation, in the order of their times. Those of one time come in the order in
 * which they were put in. */
#ifndef PROA_TEST_SIMULATE_EVENTS_H
#define PROA_TEST_SIMULATE_EVENTS_H

#include "simulate.h"

struct event {
    long at;
    uint64_t number; /* of the event; simulate_push sets it */
    int rank;        /* -1: none */
    unsigned turn;
    enum { TURN, LOOK, MESSAGE, CALL } kind;
    struct simulate_message *message;
    void (*what)(void *);
    void *arg;
};

void simulate_push(struct event event);
int simulate_pop(struct event *event); /* 0: there is none */

#endif
