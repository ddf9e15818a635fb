/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batches that nothing sends: small operations of a program that computes before it flushes. The
 * agent's thread looks for them and sends those that it has seen at an earlier look, so what is
 * gathered waits for one to two times PROA_GATHER_NS. The clock is read by that thread alone, and
 * an operation wakes it only out of its long sleep, once. Inside the agent.
 */
#ifndef PROA_CORE_GATHER_H
#define PROA_CORE_GATHER_H

/* A batch is no longer empty. */
void proa_gather_begun(void);

/* By the agent's thread. Is anything gathered that it has to come back for? */
int proa_gather_look(void);

#endif
