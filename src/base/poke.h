/* SPDX-License-Identifier: BSD-3-Clause */
/* Pokes: functions that move the messages of another library, the host's or the network's. Threads
 * that wait or poll call them at times. */
#ifndef PROA_BASE_POKE_H
#define PROA_BASE_POKE_H

/* Must not block. Any thread may call it, and several at once. */
typedef void proa_poke_function(void);

/* proa_poke_add: the poke is called from now on. It returns -1, and adds nothing, if there are
 * PROA_POKES already. proa_poke_remove: the poke is not called any more; a call in progress may
 * still end later. */
enum { PROA_POKES = 4 };
int proa_poke_add(proa_poke_function *poke);
void proa_poke_remove(proa_poke_function *poke);

/* Calls all pokes. */
void proa_poke(void);

/* From now on the calling thread calls no pokes. For a thread that must not call the host. */
void proa_poke_forbid(void);

/* Calls all pokes. Has one of them moved something? Then there may be more to move, as of a long
 * message that goes in pieces. The answer is judged by the time the pokes took, compared with those
 * that found nothing.
 *
 * has_slept: 1 for a thread that has slept. Idle pokes take longer then, as the processor's caches
 * hold other data, and as a host may yield in them. The answer is then judged by the processor time
 * they took, compared with earlier pokes, so it is 1 only for moves of some 100 KiB and more, and
 * sometimes for others. */
int proa_poke_moves(int has_slept);

#endif
