/* SPDX-License-Identifier: BSD-3-Clause */
/* What is simulated. */
#ifndef PROA_TEST_SIMULATE_SCENARIOS_H
#define PROA_TEST_SIMULATE_SCENARIOS_H

#include "simulate.h"

/* The partners, targets or rounds of a scenario: struct simulate_plan, arg. */
struct simulate_numbers {
    int k;
};

/* Bodies of struct simulate_plan. The counts behind each mark but the first are in the comment, in
 * their order. */
simulate_body simulate_create; /* the first window; a further one; its end; barrier and allgather */
simulate_body simulate_fence;  /* a fence; one after a put to each of k targets */
simulate_body simulate_pscw;   /* an epoch with the k next ranks, k the other way around */
simulate_body simulate_lock; /* lock, put, unlock: the next rank, twice; all at rank 0; k targets */
simulate_body simulate_lock_all; /* lock_all; put and flush to k targets; unlock_all; lock_all */
simulate_body simulate_notify;   /* a notified put to the next rank, and the wait for ours */
simulate_body simulate_death;    /* rank 1 has died; what follows, until all others know of it */

/* Rank 0 runs, and all others are scripts (storms.c). values: by place. */
simulate_body simulate_hot_lock; /* 0: how far a waiter was overtaken; 1: looks at waiters */
simulate_body simulate_recall;   /* 0: messages of the keeper */
simulate_body simulate_storm;    /* k batches from each to rank 0; 0: bytes of its heap at most */
simulate_body simulate_crowd;    /* a batch from each that waits for the lock of rank 0; the same */

void simulate_hears_lock(int rank, const struct proa_wire_head *head, long at);
void simulate_hears_room(int rank, const struct proa_wire_head *head, long at);
void simulate_hears_put(int rank, const struct proa_wire_head *head, long at);

/* Calls of proa_lock_look by the core so far. */
extern long simulate_looks;

#endif
