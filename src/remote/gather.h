/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches that nothing sends: small operations of a program that computes before it flushes, and
 * posts. Whoever moves the network looks for them and sends those that were there at an earlier
 * look, so what is gathered waits for one to two times PROA_GATHER_NS, and for the agent's thread
 * where that rests. An operation reads no clock, and wakes the agent's thread only out of its long
 * sleep, once. Inside the agent.
 */
#ifndef PROA_REMOTE_GATHER_H
#define PROA_REMOTE_GATHER_H

/* A batch is no longer empty. */
void proa_gather_begun(void);

/* By whoever moves the network. */
void proa_gather_look(void);

/* Is there anything that somebody has to come back for? */
int proa_gather_has_any(void);

/* Does anybody look? Asked from anywhere. */
int proa_gather_is_on(void);

#endif
