/* SPDX-License-Identifier: BSD-3-Clause */
/* How many processes share the processors of this node, and giving a processor up to them. */
#ifndef PROA_BASE_LOAD_H
#define PROA_BASE_LOAD_H

/* processes, processors: their numbers on this node. With more processes than processors
 * (oversubscribed) a wait does not spin and yields at once. */
void proa_load_set(int processes, int processors);
int proa_is_oversubscribed(void);

/* Gives the processor up once. Returns whether another thread has run. A yield that returns at once
 * has let no other thread run (idle). Then no other thread wants this processor, or those that do
 * are in other sessions. Linux shares a processor between sessions by groups (sched(7), autogroup),
 * as under MPICH's launcher; some kernels then switch at most yields, others at none. Only sleeping
 * lets those threads run. */
int proa_yield(void);

/* After so many idle yields in a row a thread sleeps. */
int proa_load_idle_yields(void);

#endif
