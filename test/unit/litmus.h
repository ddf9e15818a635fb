/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The litmus test of store buffering between two processes: each stores into a word that the other
 * reads, passes what is tested, and reads the word that the other stores into. Not both may miss
 * the other's store. A processor that is asked for no fence lets its load go ahead of its store,
 * and both miss; often enough for some hundred thousand rounds in which both sides run within the
 * time that a store takes.
 */
#ifndef PROA_TEST_LITMUS_H
#define PROA_TEST_LITMUS_H

#include "world.h"

/* One side's turn: stores round where the other side reads, passes what is tested, and returns what
 * it then reads. */
typedef int64_t litmus_side(void *arg, int64_t round);

/* Rounds from 1 on, fewer where they take more than 8 s. In none may both read less than its
 * number; both processes of a world of two call it, of whose shared memory it uses the first
 * LITMUS_BYTES. own: the word that this side reads in its turn, 0 before. */
enum { LITMUS_BYTES = 1 << 16 };
void litmus(struct world *world, long rounds, litmus_side *side, void *arg, const int64_t *own);

#endif
