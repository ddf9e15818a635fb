/* SPDX-License-Identifier: BSD-3-Clause */
/* Pokes: what moves somebody else's messages, called at times by threads that wait or poll: the
 * host's, and the network's. */
#ifndef PROA_BASE_POKE_H
#define PROA_BASE_POKE_H

/* Must not block, may be called from any thread, and by several at once. */
typedef void proa_poke_function(void);

/* From now on it is called, or is not any more (a call under way may still end later). There is
 * room for PROA_POKES; one more is not taken: -1. */
enum { PROA_POKES = 4 };
int proa_poke_add(proa_poke_function *poke);
void proa_poke_remove(proa_poke_function *poke);

/* Calls them all. */
void proa_poke(void);

/* The calling thread never does so any more: one that must not call the host. */
void proa_poke_forbid(void);

/* The same. Has one of them moved something? Then there may be more, as of a long message that goes
 * in pieces. Told from the time it took, by the measure of those that found nothing. */
int proa_poke_moves(void);

/* The same by a thread that has slept: idle ones take longer then, as the processor's caches hold
 * other things, and as a host may yield in them. Told from the processor time that it took, by the
 * measure of those before, so only moves of some 100 KiB and more are, and sometimes others. */
int proa_poke_moves_after_sleep(void);

#endif
