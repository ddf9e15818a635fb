/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Aggregated (gathered) batches that no call sends: small operations of a program that computes
 * before it flushes, and posts. The thread that makes progress looks for such batches, and sends
 * those that were there at an earlier look. So a batch waits for one to two times PROA_GATHER_NS,
 * and for the progress thread where that rests. An operation reads no clock. It wakes the progress
 * thread only out of its long sleep, once. Inside the agent.
 */
#ifndef PROA_REMOTE_GATHER_H
#define PROA_REMOTE_GATHER_H

/* A batch is no longer empty. */
void proa_gather_begun(void);

/* Called by the thread that makes progress. */
void proa_gather_look(void);

/* Is there a batch that a later look has to send? */
int proa_gather_has_any(void);

/* Are batches looked for at all? Called from anywhere. */
int proa_gather_is_on(void);

#endif
